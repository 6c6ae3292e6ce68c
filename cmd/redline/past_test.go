package main

import (
	"bytes"
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	_ "modernc.org/sqlite"
)

// TestBrokenAudit: a change of the audit log shows, and the exit status says so.
func TestBrokenAudit(t *testing.T) {
	s := newStage(t, txtar.Parse([]byte("-- folder/a.md --\none\n")))
	for range 3 {
		s.do(`redline tool call edit_document '{"path": "a.md", "operation": "append", "content": "two"}'`)
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(s.dir), "state", "redline", "*", "redline.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("databases: %v, %v", found, err)
	}
	db, err := sql.Open("sqlite", found[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`DELETE FROM records WHERE kind = 'audit' AND id LIKE '%2'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, out, err string }{
		{"audit --verify", "", "entry 2 is missing"},
		{"audit --verify --json", `"intact": false`, ""},
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), strings.Fields(test.args), streams{in: strings.NewReader(""), out: &out, err: &errs})
		if code != exitError || !strings.Contains(out.String(), test.out) || !strings.Contains(errs.String(), test.err) {
			t.Errorf("%s: exit status %d\n%s%s", test.args, code, &out, &errs)
		}
	}
}

// TestShowSession: what was said is shown, and does not get at the terminal.
func TestShowSession(t *testing.T) {
	s := newStage(t, txtar.Parse(nil))
	s.do("silently --model offline 'flibber the \x1b[31mwug'")
	for _, format := range []string{"sessions show last", "sessions show last --json"} {
		var out, errs bytes.Buffer
		s.t.Chdir(s.dir)
		if code := run(context.Background(), strings.Fields(format), streams{in: strings.NewReader(""), out: &out, err: &errs}); code != exitDone {
			t.Fatalf("%s: exit status %d\n%s", format, code, &errs)
		}
		if !strings.Contains(out.String(), "flibber the") || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: %q", format, &out)
		}
	}
}
