package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/session"
	"redline/tool"
)

var update = flag.Bool("update", false, "renew the transcripts")

// TestTranscripts runs the commands in testdata and compares all that they print.
// A file has the folder at the start, the commands (a line each; the words of
// quotes stay together), what standard input holds, and the transcript.
//
//	redline ARG…     the program, in the folder
//	silently ARG…    the program, of which only a failure is told
//	show PATH        a file of the folder, or that there is none
//	write PATH TEXT  another program writes; \n is a line end
//	env NAME VALUE   a variable of the environment, for the rest of the file
//
// Files under config/ are the user's own configuration. In the transcript the
// places are FOLDER, CONFIG and STATE.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		file, err := filepath.Abs(file) // the commands run in another folder
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newStage(t, archive)
			for line := range strings.Lines(string(s.parts["commands"])) {
				s.do(strings.TrimSpace(line))
			}
			got := s.transcript.String()
			if *update {
				for i := range archive.Files {
					if archive.Files[i].Name == "transcript" {
						archive.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(s.parts["transcript"]), got); d != "" {
				t.Errorf("transcript (-want +got):\n%s", d)
			}
		})
	}
}

// stage is a folder in which commands run.
type stage struct {
	t          *testing.T
	dir        string
	parts      map[string][]byte
	places     *strings.Replacer
	ids        ids
	transcript strings.Builder
}

func newStage(t *testing.T, archive *txtar.Archive) *stage {
	home := t.TempDir()
	s := &stage{t: t, dir: filepath.Join(home, "folder"), parts: map[string][]byte{}}
	s.places = strings.NewReplacer(s.dir, "FOLDER", filepath.Join(home, "config"), "CONFIG", filepath.Join(home, "state"), "STATE")
	alone(t, home)
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "folder/"); ok {
			s.put(name, string(f.Data))
		} else if strings.HasPrefix(f.Name, "config/") {
			s.put(filepath.Join("..", f.Name), string(f.Data))
		} else {
			s.parts[f.Name] = f.Data
		}
	}
	return s
}

// alone keeps a test from what the machine has of Redline: keys, settings, state.
func alone(t *testing.T, home string) {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "REDLINE_") || strings.HasSuffix(name, "_API_KEY") || name == "NO_COLOR" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
}

func (s *stage) put(name, content string) {
	s.t.Helper()
	full := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// hashes differ where the text does, so they are numbered in the order in which
// they appear.
var hash = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// took is how long a run took, which depends on the machine.
var took = regexp.MustCompile(`call(s?), \d+\.\d s\b`)

func (s *stage) do(line string) {
	s.t.Helper()
	if line == "" {
		return
	}
	fmt.Fprintf(&s.transcript, "$ %s\n", line)
	words := split(line)
	switch words[0] {
	case "redline", "silently":
		var out, errs bytes.Buffer
		s.t.Chdir(s.dir)
		args := s.ids.reveal(words[1:])
		code := run(context.Background(), args, streams{in: bytes.NewReader(s.parts["stdin"]), out: &out, err: &errs})
		text := out.String()
		for line := range strings.Lines(errs.String()) {
			text += "! " + line
		}
		text = s.ids.hide(s.places.Replace(hash.ReplaceAllString(took.ReplaceAllString(text, "call$1"), "sha256:…")))
		if words[0] == "redline" {
			s.transcript.WriteString(text)
		}
		if code != 0 {
			fmt.Fprintf(&s.transcript, "(exit status %d)\n", code)
		}
	case "show":
		data, err := os.ReadFile(filepath.Join(s.dir, words[1]))
		if err != nil {
			s.transcript.WriteString("(no such file)\n")
			return
		}
		s.transcript.Write(data)
	case "write":
		s.put(words[1], strings.ReplaceAll(words[2], `\n`, "\n"))
	case "env":
		s.t.Setenv(words[1], words[2])
	default:
		s.t.Fatalf("unknown command %q", words[0])
	}
}

// split is the words of a line; what is in single quotes is one word.
func split(line string) []string {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		var word string
		if rest, ok := strings.CutPrefix(line, "'"); ok {
			word, line, _ = strings.Cut(rest, "'")
		} else {
			word, line, _ = strings.Cut(line, " ")
		}
		words = append(words, word)
	}
	return words
}

func TestStatusOf(t *testing.T) {
	failed := func(c tool.Code, end string) tool.Result {
		return tool.Result{IsError: true, EndRun: end, Details: &tool.Failure{Code: c}}
	}
	for _, test := range []struct {
		result tool.Result
		want   int
	}{
		{tool.Result{}, exitDone},
		{failed("not_found", ""), exitError},
		{failed(session.CodeLimit, "The limit is reached."), exitError},
		{failed(tool.CodeDenied, ""), exitDenied},
		{failed("", tool.Cancelled), exitDenied},
	} {
		if got := statusOf(test.result); got != test.want {
			t.Errorf("%+v: exit status %d, want %d", test.result, got, test.want)
		}
	}
}
