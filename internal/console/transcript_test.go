package console_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/console"
	"redline/internal/text"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// A transcript is a txtar file: how it is run (run, with a line for each setting), what
// the conversation does (script), what its turn changed (turn), what the user
// types (typed); then what came of it: terminal, or out and err without one, sent
// (commands to the conversation) and decided (what was asked of the reviews).
//
//	ask <request>    one of the requests; without any, and without review, the prompt is run
//	review           the turn is reviewed, without a conversation before
//	plain            also without a terminal
//	width 40
//	nocolor
//	editor <command>
//	uneditable       hunks cannot be edited
//	waiting <question> | <message> | <calls>   it waits for an answer at the beginning
//	fail <error>     of a decision
//	also <hunk>…     is decided with them
//	report <path>: <outcome>: <reason>
type transcript struct {
	requests      []string
	review, plain bool
	options       console.Options
	reviews       *reviews
	uneditable    bool
	conv          *conversation
	typed         string
}

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			got := play(t, a)
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
				t.Errorf("files of the editor stay behind: %v", left)
			}
		})
	}
}

// play runs a transcript and returns it as it now is.
func play(t *testing.T, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	got := &txtar.Archive{Comment: a.Comment}
	add := func(name, text string) {
		if text != "" {
			got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	for _, f := range a.Files {
		switch f.Name {
		case "run", "script", "turn", "typed":
			got.Files = append(got.Files, f)
		}
	}
	tr := parseTranscript(t, a)
	if tr.plain {
		var out, errs bytes.Buffer
		tr.options.Out, tr.options.Err = &out, &errs
		problem := tr.run(t)
		for _, text := range []string{out.String(), errs.String()} {
			if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
				t.Errorf("without a terminal there is a control character in %q", text[i:])
			}
		}
		add("out", out.String())
		add("err", errs.String())
		add("sent without a terminal", joinLines(tr.conv.sent()))
		add("error without a terminal", problem)
		tr = parseTranscript(t, a)
	}
	var screen bytes.Buffer
	tr.options.Out, tr.options.Err = &screen, &screen
	tr.options.Terminal, tr.options.Ask = true, true
	tr.options.In = &typist{lines: tr.typed, screen: &screen}
	problem := tr.run(t)
	text := screen.String()
	if !strings.HasSuffix(text, "\n") && text != "" {
		text += "(no line end)\n"
	}
	add("terminal", strings.NewReplacer("\x1b", `\e`, "\r", `\r`, " \n", " ·\n").Replace(text))
	add("error", problem)
	add("sent", joinLines(tr.conv.sent()))
	add("decided", joinLines(tr.reviews.log))
	return got
}

func joinLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// typist types line by line; the terminal echoes.
type typist struct {
	lines  string
	screen io.Writer
}

func (t *typist) Read(p []byte) (int, error) {
	line, rest, _ := strings.Cut(t.lines, "\n")
	if t.lines == "" {
		return 0, io.EOF
	}
	t.lines = rest
	_, _ = io.WriteString(t.screen, line+"\n")
	return copy(p, line+"\n"), nil
}

// run returns the error as a line.
func (tr *transcript) run(t *testing.T) string {
	t.Helper()
	o := tr.options
	o.Reviews = editing{tr.reviews}
	if tr.uneditable {
		o.Reviews = tr.reviews
	}
	c := console.New(o)
	ctx := context.Background()
	var err error
	switch {
	case tr.review:
		turns, openErr := o.Reviews.Open(ctx)
		if openErr != nil {
			t.Fatal(openErr)
		}
		_, err = c.Review(ctx, o.Reviews, turns)
	case len(tr.requests) > 0:
		_, err = c.Ask(ctx, tr.conv, tr.requests)
	default:
		_, err = c.Prompt(ctx, tr.conv)
	}
	if err != nil {
		return err.Error() + "\n"
	}
	return ""
}

func parseTranscript(t *testing.T, a *txtar.Archive) *transcript {
	t.Helper()
	section := map[string]string{}
	for _, f := range a.Files {
		section[f.Name] = string(f.Data)
	}
	tr := &transcript{typed: section["typed"], reviews: &reviews{}}
	tr.options.Color = true
	editor, waiting := "", ""
	for line := range strings.Lines(section["run"]) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "ask":
			tr.requests = append(tr.requests, rest)
		case "review":
			tr.review = true
		case "plain":
			tr.plain = true
		case "width":
			tr.options.Width, _ = strconv.Atoi(rest)
		case "nocolor":
			tr.options.Color = false
		case "editor":
			editor = rest
		case "waiting":
			waiting = rest
		case "uneditable":
			tr.uneditable = true
		case "fail":
			tr.reviews.fail = rest
		case "also":
			tr.reviews.also = strings.Fields(rest)
		case "report":
			tr.reviews.files = append(tr.reviews.files, parseReport(rest))
		default:
			t.Fatalf("no such setting: %s", line)
		}
	}
	tr.options.Nearest = text.Nearest
	tr.options.Getenv = func(name string) string {
		if name == "EDITOR" {
			return editor
		}
		return ""
	}
	turn := parseTurn(section["turn"])
	if len(turn.Files) > 0 {
		tr.reviews.turns = append(tr.reviews.turns, *turn)
	}
	tr.conv = newConversation(section["script"], turn)
	if waiting != "" {
		tr.conv.asks(waiting)
	}
	return tr
}
