package toolsettest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
	"redline/llm"
	"redline/tool"
)

// play runs a case and compares it, or writes it anew.
func play(t *testing.T, name string, kit Kit) {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, calls := parse(t, a)
	p := newPlayer(t, kit, before, calls)
	for _, line := range calls {
		p.line(line)
	}
	p.bench.EndTurn()
	got := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "before/") || f.Name == "calls" {
			got.Files = append(got.Files, f)
		}
	}
	got.Files = append(got.Files, txtar.File{Name: "results", Data: []byte(p.results.String())})
	got.Files = append(got.Files, show("after", tree(t, p.bench.Dir))...)
	got.Files = append(got.Files, txtar.File{Name: "ledger", Data: []byte(p.bench.entries())})
	Golden(t, name, string(txtar.Format(got)))
	if !p.meddled {
		p.bench.takeBack()
		if d := cmp.Diff(txtar.Format(&txtar.Archive{Files: p.start}), txtar.Format(&txtar.Archive{Files: show("", tree(t, p.bench.Dir))})); d != "" {
			t.Errorf("after everything was taken back the folder is another one (-before +now):\n%s", d)
		}
	}
}

// parse reads the folder and the calls of a case.
func parse(t testing.TB, a *txtar.Archive) (before []file, calls []string) {
	t.Helper()
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
			parsed, err := parseFile(name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			before = append(before, parsed)
		}
		if f.Name == "calls" {
			calls = lines(f.Data)
		}
	}
	if len(calls) == 0 {
		t.Fatal("the case has no calls")
	}
	return before, calls
}

// lines are the lines that say something.
func lines(data []byte) []string {
	var list []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// player plays the lines of one case.
type player struct {
	t       testing.TB
	bench   *Bench
	set     tool.Set
	start   []txtar.File // the folder at the start
	results strings.Builder
	hashes  map[string]string
	calls   int
	meddled bool // another program wrote

	approved, cancelled bool // the next call
}

func newPlayer(t testing.TB, kit Kit, before []file, calls []string) *player {
	t.Helper()
	p := &player{t: t, bench: newBench(t, kit, before), hashes: map[string]string{}}
	p.start = show("", tree(t, p.bench.Dir))
	for i, line := range calls {
		if review, ok := strings.CutPrefix(line, "!review "); ok {
			if i > 0 {
				t.Fatal("!review has to be the first line")
			}
			p.bench.review = ledger.Review(review)
		}
		if strings.HasPrefix(line, "!answer") && p.bench.User == nil {
			p.bench.User = new(User)
		}
	}
	p.set = p.bench.Set()
	return p
}

// line does a line of the calls.
func (p *player) line(line string) tool.Result {
	p.t.Helper()
	if command, ok := strings.CutPrefix(line, "!"); ok {
		if err := p.command(words(command)); err != nil {
			p.t.Fatalf("%s: %v", line, err)
		}
		return tool.Result{}
	}
	name, arguments, _ := strings.Cut(line, " ")
	return p.call(name, arguments)
}

// words splits a line at blanks; Go strings are one word.
func words(line string) []string {
	var list []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			word, _ := strconv.Unquote(quoted)
			list = append(list, word)
			line = line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		list = append(list, word)
		line = rest
	}
	return list
}

// command does what the harness does itself.
func (p *player) command(w []string) error {
	at := ""
	if len(w) > 1 {
		at = filepath.Join(p.bench.Dir, filepath.FromSlash(w[1]))
	}
	shape := w[0] + " " + strconv.Itoa(len(w)-1)
	switch shape {
	case "write 2", "fill 3", "chmod 2", "remove 1":
		p.meddled = true
	}
	switch shape {
	case "review 1": // newPlayer has read it
	case "answer 1":
		p.bench.User.will(w[1])
	case "open 1":
		p.bench.Open = w[1]
	case "approve 0":
		p.approved = true
	case "cancel 0":
		p.cancelled = true
	case "turn 0":
		p.bench.EndTurn()
	case "write 2":
		return file{name: w[1], data: []byte(w[2])}.write(p.bench.Dir)
	case "fill 3":
		n, err := strconv.Atoi(w[2])
		if err != nil {
			return err
		}
		return file{name: w[1], data: bytes.Repeat([]byte(w[3]), n)}.write(p.bench.Dir)
	case "chmod 2":
		mode, err := strconv.ParseUint(w[2], 8, 32)
		if err != nil {
			return err
		}
		return os.Chmod(at, os.FileMode(mode))
	case "remove 1":
		return os.RemoveAll(at)
	default:
		return fmt.Errorf("there is no such command with %d words behind it", len(w)-1)
	}
	return nil
}

// call runs a tool as an agent would, and writes down what came of it.
func (p *player) call(name, arguments string) tool.Result {
	p.t.Helper()
	p.calls++
	p.bench.Desk(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if p.approved {
		ctx = tool.Approve(ctx)
	}
	if p.cancelled {
		cancel()
	}
	p.approved, p.cancelled = false, false
	call := llm.ToolCall{ID: "call_" + strconv.Itoa(p.calls), Name: name, Arguments: json.RawMessage(p.fill(arguments))}
	if !json.Valid(call.Arguments) {
		call.Raw, call.Arguments = string(call.Arguments), nil
	}
	canonical := tool.Call{ID: call.ID, Name: name, Arguments: call.Arguments}
	said := p.beforehand(ctx, canonical)
	before := folderOf(p.t, p.bench.Dir)
	r := tool.Run(ctx, p.set, call, nil)
	questions := p.questions()
	if questions == "" { // otherwise the user decided about it
		said.check(p, r, before)
	}
	if p.results.Len() > 0 {
		p.results.WriteString("\n")
	}
	fmt.Fprintf(&p.results, "> %d %s %s\n", p.calls, name, short(arguments))
	p.results.WriteString(p.mask(said.String()) + questions + p.format(canonical, r))
	return r
}

// mask replaces what is never the same twice.
func (p *player) mask(words string) string {
	words = strings.ReplaceAll(words, p.bench.Dir, "$FOLDER")
	if p.bench.kit.Mask != nil {
		words = p.bench.kit.Mask(words)
	}
	return hashPattern.ReplaceAllStringFunc(words, func(h string) string {
		if p.hashes[h] == "" {
			p.hashes[h] = fmt.Sprintf("<hash %d>", len(p.hashes)+1)
		}
		return p.hashes[h]
	})
}

var hashPattern = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

func (p *player) questions() string {
	if p.bench.User == nil {
		return ""
	}
	var b strings.Builder
	for _, q := range p.bench.User.take() {
		b.WriteString(q + "\n")
	}
	return b.String()
}

// format writes a result for people.
func (p *player) format(call tool.Call, r tool.Result) string {
	c := tool.Canonical(call, r, nil)
	var b strings.Builder
	if c.OK {
		b.WriteString("ok " + indent(p.mask(string(c.Result))) + "\n")
	} else {
		b.WriteString("failed " + indent(p.mask(string(c.Error))) + "\n")
	}
	if r.EndRun != "" {
		b.WriteString("ends the run: " + r.EndRun + "\n")
	}
	output := slices.Collect(strings.Lines(p.mask(r.Output)))
	for i, line := range output {
		if hidden := len(output) - 2*shownLines; hidden > 0 && i >= shownLines && i < shownLines+hidden {
			if i == shownLines {
				fmt.Fprintf(&b, "⋮ %d lines\n", hidden)
			}
			continue
		}
		b.WriteString(strings.TrimRight("| "+clip(strings.TrimSuffix(line, "\n")), " ") + "\n")
	}
	return b.String()
}

// What of a very long output is shown: as many lines at its beginning and its end,
// and as many characters of a line.
const (
	shownLines = 30
	shownLine  = 2000
)

// clip takes out the middle of a very long line, and makes visible what would not
// be seen.
func clip(line string) string {
	line = strings.NewReplacer("\r", `\r`, "\uFEFF", `\ufeff`).Replace(line)
	r := []rune(line)
	if len(r) <= shownLine {
		return line
	}
	return fmt.Sprintf("%s ⋯ %d characters ⋯ %s", string(r[:shownLine/20]), len(r)-shownLine/10, string(r[len(r)-shownLine/20:]))
}

// indent writes a long JSON value on several lines.
func indent(value string) string {
	var b bytes.Buffer
	if len(value) <= 120 || json.Indent(&b, []byte(value), "", "  ") != nil {
		return clip(value)
	}
	var list []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		list = append(list, clip(line))
	}
	return strings.Join(list, "\n")
}

// short is the beginning of a long line.
func short(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

var hashOf = regexp.MustCompile(`\$hash\(([^():]+)(?::(\d+)-(\d+))?\)`)

// fill puts values in the place of $FOLDER and $hash.
func (p *player) fill(arguments string) string {
	if arguments == "" {
		arguments = "{}"
	}
	arguments = strings.ReplaceAll(arguments, "$FOLDER", p.bench.Dir)
	return hashOf.ReplaceAllStringFunc(arguments, func(s string) string {
		m := hashOf.FindStringSubmatch(s)
		snapshot, err := p.bench.turn.Peek(context.Background(), workspace.MustPath(m[1]))
		if err != nil {
			p.t.Fatalf("%s: %v", s, err)
		}
		if m[2] == "" {
			return snapshot.Hash.String()
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		h, err := text.New(snapshot.Data).HashRange(text.Range{Start: from - 1, End: to})
		if err != nil {
			p.t.Fatalf("%s: %v", s, err)
		}
		return h.String()
	})
}
