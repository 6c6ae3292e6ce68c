package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAPIPage: the session with curl that docs/api.md shows is what a server answers.
func TestAPIPage(t *testing.T) {
	for _, program := range []string{"curl", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	page, err := filepath.Abs("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "<!-- The session below is run by a test. -->\n```console\n", "```\n"
	before, rest, found := strings.Cut(string(data), open)
	session, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("docs/api.md has no session")
	}
	home := t.TempDir()
	alone(t, home)
	dir := filepath.Join(home, "notes")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "meeting.md"), []byte("# Meeting\n\nhello world\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	known := startServer(t, dir)
	var got strings.Builder
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		got.WriteString(line)
		c := exec.CommandContext(t.Context(), "sh", "-c", command)
		c.Dir, c.Env = dir, append(os.Environ(), known.environ()...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s%v: %s", line, err, out)
		}
		known.learn(string(out))
		got.Write(out)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+open+got.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(steadily(session), steadily(got.String())); d != "" {
		t.Errorf("docs/api.md shows something else (-page +server; renew with -update):\n%s", d)
	}
}

// learnt is what the answers so far have told, by the names that the page has for them.
type learnt map[string]string

// startServer starts a server on a folder, which ends with the test.
func startServer(t *testing.T, dir string) learnt {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx, []string{"serve", dir, "--listen", "127.0.0.1:0", "--json", "--model", "offline", "--log-level", "error"}, streams{in: strings.NewReader(""), out: in, err: io.Discard})
		in.Close()
	}()
	t.Cleanup(func() { stop(); <-done })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ URL, Token string }
	if err := json.Unmarshal(line, &at); err != nil {
		t.Fatal(err)
	}
	return learnt{"URL": at.URL, "AUTH": "Authorization: Bearer " + at.Token, "JSON": "Content-Type: application/json"}
}

func (l learnt) environ() (list []string) {
	for name, value := range l {
		list = append(list, name+"="+value)
	}
	return list
}

var named = regexp.MustCompile(`"(session|job|hunk|turn|checkpoint)_id":"([^"]+)"`)

func (l learnt) learn(answer string) {
	for _, m := range named.FindAllStringSubmatch(answer, -1) {
		l[strings.ToUpper(m[1])] = m[2]
	}
}

var passing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|(job|turn|h|c)_[0-9a-z_]+|\d{4}-\d\d-\d\dT[0-9:.]+Z|"(queued|running)"}`)

// steadily leaves out what is never the same twice, and whether a job has begun already.
func steadily(s string) string { return passing.ReplaceAllString(s, "") }
