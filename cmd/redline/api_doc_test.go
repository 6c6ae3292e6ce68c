package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/wire"
)

// TestAPIPage: what docs/api.md tells its readers to type works. Its blocks of shell are
// run in their order in one bash, with a server of their own, and the block that follows
// one is what it prints.
func TestAPIPage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the page is for a Unix shell")
	}
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	const page = "../../docs/api.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	examples := examplesOf(string(data))
	if len(examples) == 0 {
		t.Fatal("docs/api.md has no examples")
	}
	home := t.TempDir()
	alone(t, home)
	t.Setenv("LC_ALL", "C.UTF-8")
	printed := typed(t, home, examples)
	if *update {
		if err := os.WriteFile(page, []byte(renewed(string(data), examples, printed)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	shown, real := naming{}, naming{}
	for i, e := range examples {
		if d := cmp.Diff(shown.steady(e.shows), real.steady(printed[i])); d != "" {
			t.Errorf("behind\n%sdocs/api.md shows something else (-page +program; renew with -update):\n%s", e.types, d)
		}
	}
}

// TestAPICommands: the commands for a WebSocket that docs/api.md shows are such.
func TestAPICommands(t *testing.T) {
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?m)^\\{\"id\": \"\\d\", \"type\": .*$").FindAll(page, -1)
	var types []string
	for _, line := range shown {
		var q wire.Request
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		types = append(types, q.Type)
	}
	want := []string{wire.CommandMessage, wire.CommandClarify, wire.CommandApprove, wire.CommandDecide, wire.CommandInterrupt}
	if d := cmp.Diff(want, types); d != "" {
		t.Error(d)
	}
}

// example is a block of shell, and what the page shows that it prints.
type example struct {
	types, shows string
	at, end      int // where the block of what it prints is, in bytes; end 0: there is none
}

var (
	shellBlock   = regexp.MustCompile("(?s)\n```sh\n(.*?)```\n")
	printedBlock = regexp.MustCompile("(?s)^\\s*```(?:json|text)\n(.*?)```\n")
)

func examplesOf(page string) (list []example) {
	for _, m := range shellBlock.FindAllStringSubmatchIndex(page, -1) {
		e := example{types: page[m[2]:m[3]]}
		if p := printedBlock.FindStringSubmatchIndex(page[m[1]:]); p != nil {
			e.at, e.end = m[1]+p[2], m[1]+p[3]
			e.shows = page[e.at:e.end]
		}
		list = append(list, e)
	}
	return list
}

// typed runs the examples, and returns what each prints. What bash has started ends with
// it.
func typed(t *testing.T, home string, examples []example) []string {
	const mark = "\x01\n"
	script := "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
	for _, e := range examples {
		script += e.types + "printf '\\001\\n'\n"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", script)
	c.Dir, c.WaitDelay = home, 10*time.Second
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	out, err := c.CombinedOutput()
	printed := strings.Split(string(out), mark)
	if err != nil {
		log, _ := os.ReadFile(home + "/server.log")
		t.Fatalf("%v at\n%safter\n%s\nthe log of the server:\n%s", err, examples[min(len(printed), len(examples))-1].types, out, log)
	}
	return printed[:len(examples)]
}

// renewed is the page with what was printed. JSON that is long is indented.
func renewed(page string, examples []example, printed []string) string {
	for i := len(examples) - 1; i >= 0; i-- {
		e, text := examples[i], printed[i]
		if e.end == 0 {
			continue
		}
		var indented bytes.Buffer
		if len(text) > 100 && json.Indent(&indented, []byte(text), "", "  ") == nil {
			text = strings.TrimSpace(indented.String()) + "\n"
		}
		page = page[:e.at] + text + page[e.end:]
	}
	return page
}

// naming calls what is different each time by the order in which it appears.
type naming map[string]string

var (
	differs = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|(?:job|turn|c)_[0-9a-z]{16,}|h_[0-9a-z]{6}_|127\.0\.0\.1:\d+`)
	passes  = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z|"version":"[^"]*"|"(?:queued|running)"|, \d+\.\d s\b`)
)

func (n naming) steady(s string) string {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(s)) == nil {
		s = compact.String()
	}
	s = differs.ReplaceAllStringFunc(passes.ReplaceAllString(s, "…"), func(id string) string {
		if n[id] == "" {
			n[id] = fmt.Sprintf("<%d>", len(n)+1)
		}
		return n[id]
	})
	return strings.TrimSpace(s)
}
