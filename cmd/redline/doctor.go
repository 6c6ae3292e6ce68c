package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"redline"
	"redline/internal/console"
	"redline/llm"
)

func newDoctor(s streams, w *where) *cobra.Command {
	var online bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check folder, state, configuration, model and system, and tell what is missing",
		Long: `Check whether the folder can be read, locked and written, what Redline keeps of it
and whether that is sound, the configuration, the model, and what the system has
to offer. Each line is ok, a warning or a problem, with what to do about it.

The network is not touched, except that model servers on this machine are looked
for; with --online the model is asked one short question, which may cost a
fraction of a cent.

The exit status is 1 if there is a problem.`,
		Example: `  redline doctor
  redline -C ~/notes doctor --online
  redline doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examine(cmd.Context(), s, w, online)
			if err := report(s.out, found, w.json); err != nil {
				return err
			}
			for _, f := range found {
				if f.Health == redline.Trouble {
					return &status{code: exitError}
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&online, "online", false, "ask the model one short question")
	return c
}

func report(out io.Writer, found []redline.Finding, asJSON bool) error {
	if asJSON {
		return printJSON(out, found)
	}
	for _, f := range found {
		fmt.Fprintf(out, "%-8s %-14s %s\n", f.Health, f.Area, console.Clean(f.Text))
		if f.Do != "" {
			fmt.Fprintf(out, "%-8s %-14s → %s\n", "", "", console.Clean(f.Do))
		}
	}
	return nil
}

// examine looks at everything.
func examine(ctx context.Context, s streams, w *where, online bool) []redline.Finding {
	set, found := examineConfig(ctx, w)
	if set == nil { // broken; what can be seen without it
		return append(found, redline.Examine(ctx, w.dir, redline.Options{State: w.state})...)
	}
	found = append(redline.Examine(ctx, w.dir, set.options()), found...)
	found = append(found, examineModel(ctx, set, online)...)
	return append(found, examineTerminal(s, set))
}

func examineConfig(ctx context.Context, w *where) (*settings, []redline.Finding) {
	set, err := loadSettings(ctx, w)
	if err != nil {
		return nil, []redline.Finding{{Area: "configuration", Health: redline.Trouble, Text: err.Error(), Do: "correct it; docs/configuration.md describes every key"}}
	}
	ok := func(text string) redline.Finding {
		return redline.Finding{Area: "configuration", Health: redline.Healthy, Text: text}
	}
	var found []redline.Finding
	switch {
	case set.home == nil:
		found = append(found, ok("you have none: "+set.homeName+" is not there"))
	case set.exposed():
		found = append(found, redline.Finding{Area: "configuration", Health: redline.Warning,
			Text: set.homeName + " has a key in it, and others can read it", Do: "chmod 600 " + set.homeName})
	default:
		found = append(found, ok(set.homeName+" is read"))
	}
	switch {
	case set.folder == nil:
	case set.notice() != "":
		found = append(found, redline.Finding{Area: "configuration", Health: redline.Warning, Text: set.notice(), Do: "redline config shows what it wants"})
	case set.trusted:
		found = append(found, ok(redline.ConfigPath+" is trusted, and read"))
	default:
		found = append(found, ok(redline.ConfigPath+" is read; it needs no trust"))
	}
	return set, found
}

// exposed tells whether others can read the file that has a key in it.
func (s *settings) exposed() bool {
	key := s.Setting("api_key")
	if key.Value == nil || key.Origin.Name != s.homeName {
		return false
	}
	info, err := os.Stat(s.homeName)
	return err == nil && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/'
}

func examineModel(ctx context.Context, set *settings, online bool) []redline.Finding {
	finding := func(h redline.Health, text, do string) redline.Finding {
		return redline.Finding{Area: "model", Health: h, Text: text, Do: do}
	}
	var found []redline.Finding
	m, err := set.model()
	switch {
	case err != nil:
		found = append(found, finding(redline.Trouble, err.Error(), "redline models lists what can be used"))
	case online && m.Model.API != llm.APIOffline && m.Model.API != llm.APIScripted:
		found = append(found, askModel(ctx, m))
	default:
		found = append(found, finding(redline.Healthy, m.Name+" ("+m.Why+")", ""))
	}
	c, err := set.catalogue()
	if err != nil {
		return found // set.model has told
	}
	for _, f := range redline.LocalServers(ctx, c) {
		found = append(found, finding(redline.Healthy, f.Service+" answers on this machine; use it with "+hintOf(f), ""))
	}
	return found
}

func askModel(ctx context.Context, m redline.Chosen) redline.Finding {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := m.AskOnce(ctx); err != nil {
		return redline.Finding{Area: "model", Health: redline.Trouble, Text: fmt.Sprintf("%s (%s) does not answer: %v", m.Name, m.Why, err),
			Do: "check the key, the name of the model and the network"}
	}
	return redline.Finding{Area: "model", Health: redline.Healthy, Text: fmt.Sprintf("%s (%s) answers", m.Name, m.Why)}
}

func examineTerminal(s streams, set *settings) redline.Finding {
	f := redline.Finding{Area: "terminal", Health: redline.Healthy}
	out, ok := s.out.(*os.File)
	switch {
	case !ok || !term.IsTerminal(int(out.Fd())):
		f.Text = "the output goes to no terminal: plain text, and nobody can be asked"
	case set.colors(true):
		f.Text = fmt.Sprintf("%s, with colours", cmp.Or(os.Getenv("TERM"), "a terminal"))
	default:
		f.Text = fmt.Sprintf("%s, without colours", cmp.Or(os.Getenv("TERM"), "a terminal"))
	}
	return f
}
