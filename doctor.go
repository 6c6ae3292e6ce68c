package redline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"redline/internal/ledger"
	"redline/internal/workspace"
	"redline/llm"
)

// Health is how something is.
type Health string

// A warning is worth knowing; with a problem something does not work.
const (
	Healthy Health = "ok"
	Warning Health = "warning"
	Trouble Health = "problem"
)

// Finding is one thing that an examination found.
type Finding struct {
	Area   string `json:"area"` // folder, state, configuration, model, sandbox, programs, terminal
	Health Health `json:"status"`
	Text   string `json:"text"`
	Do     string `json:"do,omitempty"` // what to do about it
}

// Examine looks at the folder, at what Redline keeps of it, and at the system. It
// writes nothing but, for a moment, two temporary files in the folder; a process
// that died in the middle of a write is cleared up after, as always.
func Examine(ctx context.Context, dir string, o Options) []Finding {
	list := examineFolder(ctx, dir)
	if list[0].Health != Trouble {
		list = append(list, examineState(ctx, resolved(dir), o)...)
	}
	return append(append(list, examineSandbox()), examinePrograms()...)
}

func examineFolder(ctx context.Context, dir string) []Finding {
	trouble := func(err error, do string) []Finding { return []Finding{{"folder", Trouble, err.Error(), do}} }
	folder, err := workspace.Open(dir)
	if err != nil {
		return trouble(err, "name another folder with -C")
	}
	defer folder.Close()
	if _, err := folder.List(ctx, workspace.WalkOptions{Depth: 1}); err != nil {
		return trouble(err, "make it readable for you")
	}
	list := []Finding{{"folder", Healthy, folder.Name() + " can be read", ""}}
	once, cancel := context.WithCancel(ctx)
	cancel() // do not wait for others
	unlock, err := folder.Lock(once, "examining the folder")
	if err != nil {
		return append(list, Finding{"folder", Warning, "it is busy: " + err.Error(), "wait until that is done, and try again"})
	}
	defer unlock()
	exchange, err := folder.Probe()
	switch {
	case err != nil:
		return append(list, Finding{"folder", Warning, "it cannot be written: " + err.Error(), "make it writable for you, or only ask about what is in it"})
	case !exchange:
		return append(list, Finding{"folder", Warning, "it can be written, but its file system cannot exchange two files in one step", "do not save a document in another program in the very moment in which Redline writes it"})
	}
	return append(list, Finding{"folder", Healthy, "it can be locked and written, and files are exchanged in one step", ""})
}

func examineState(ctx context.Context, dir string, o Options) []Finding {
	trouble := func(err error, do string) []Finding { return []Finding{{"state", Trouble, err.Error(), do}} }
	_, state, err := statePlace(dir, o)
	if err != nil {
		return trouble(err, "choose another place with --state")
	}
	if _, err := os.Stat(stateFile(state)); errors.Is(err, fs.ErrNotExist) {
		return []Finding{{"state", Healthy, "nothing is kept of this folder yet; it will be in " + state, ""}}
	}
	f, err := Open(ctx, dir, o)
	if err != nil {
		return trouble(err, "look at "+state)
	}
	defer f.Close()
	list := []Finding{f.usage(ctx, state)}
	if f.Recovered != "" {
		list = append(list, Finding{"state", Warning, f.Recovered, ""})
	}
	if err := f.store.ReadOnly(); err != nil {
		return append(list, trouble(err, "")...)
	}
	if err := f.ledger.VerifyAudit(ctx); err != nil {
		return append(list, trouble(fmt.Errorf("the audit log is not what was written: %w", err), "keep a copy of "+state+" and find out who changed it")...)
	}
	return append(list, Finding{"state", Healthy, "the audit log is complete", ""})
}

// usage is how much is kept, and how much of it is beyond what is kept for long.
func (f *Folder) usage(ctx context.Context, state string) Finding {
	usage, err := f.ledger.Usage(ctx)
	if err != nil {
		return Finding{"state", Trouble, err.Error(), "look at " + state}
	}
	turns, err := f.ledger.Records(ctx, "")
	if err != nil {
		return Finding{"state", Trouble, err.Error(), "look at " + state}
	}
	old, limit := 0, time.Now().Add(-keptAge)
	for _, t := range turns {
		if !t.Ended.IsZero() && t.Ended.Before(limit) && t.Status != ledger.Pending {
			old++
		}
	}
	old = max(old, len(turns)-keptTurns)
	text := fmt.Sprintf("%s in %s: %s, contents of %s", inUnits(usage.DiskBytes), state, count(len(turns), "turn"), inUnits(usage.BlobBytes))
	if old > 0 {
		text += fmt.Sprintf("; %s beyond what is kept (90 days, 1,000 turns, 1 GiB)", count(old, "turn"))
	}
	return Finding{"state", Healthy, text, ""}
}

// What the ledger keeps if nobody says otherwise.
const (
	keptAge   = 90 * 24 * time.Hour
	keptTurns = 1000
)

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// inUnits writes bytes for people.
func inUnits(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}

// examinePrograms looks for the programs that are of use.
func examinePrograms() []Finding {
	var list []Finding
	if name, err := exec.LookPath("bash"); err == nil {
		list = append(list, Finding{"programs", Healthy, "bash is " + name, ""})
	} else {
		list = append(list, Finding{"programs", Warning, "there is no bash", "install it if you use the toolset coding, which runs commands with it"})
	}
	if name, err := exec.LookPath("git"); err == nil {
		return append(list, Finding{"programs", Healthy, "git is " + name, ""})
	}
	return append(list, Finding{"programs", Healthy, "there is no git, and Redline needs none", ""})
}

// AskOnce sends the model one small request, to see whether it answers.
func (c Chosen) AskOnce(ctx context.Context) error {
	m, err := llm.Collect(c.Provider.Stream(ctx, llm.Request{
		Model: c.Model, Messages: []llm.Message{llm.User("Answer with the word ok.")}, MaxTokens: 16,
	}))
	if err != nil {
		return err
	}
	switch {
	case m.Reply != nil && m.Reply.Failure != nil:
		return m.Reply.Failure
	case ctx.Err() != nil:
		return fmt.Errorf("there was no answer: %w", ctx.Err())
	}
	return nil
}
