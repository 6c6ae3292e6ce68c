package session_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/session"
)

// TestJobTableIsDrawn: docs/session.md has the table of the code.
func TestJobTableIsDrawn(t *testing.T) {
	const file, begin, end = "../../docs/session.md", "<!-- table -->\n", "<!-- end of the table -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	drawn, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	rows, _ := session.JobMoves()
	want := "| from | what happens | to |\n|---|---|---|\n" + strings.Join(rows, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, drawn); d != "" {
		t.Errorf("%s (-code +drawn; -update writes it anew):\n%s", file, d)
	}
}
