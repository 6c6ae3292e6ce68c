//go:build unix

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestTrustAsks: at a terminal the user is asked, and only a yes is one.
func TestTrustAsks(t *testing.T) {
	for _, test := range []struct {
		answer string
		mode   string
		code   int
	}{
		{"y\n", "autonomous", exitDone}, {"YES\n", "autonomous", exitDone},
		{"n\n", "supervised", exitDenied}, {"\n", "supervised", exitDenied}, {"\x04", "supervised", exitDenied},
	} {
		dir := home(t, "", "mode = \"autonomous\"")
		user, terminal, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := user.WriteString(test.answer); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(context.Background(), []string{"-C", dir, "trust"}, streams{in: terminal, out: &out, err: &errs})
		terminal.Close()
		user.Close()
		if !strings.HasSuffix(strings.TrimSuffix(out.String(), "Trusted: .redline/config.toml as it is now.\n"), "Let it count? [y/N] ") {
			t.Errorf("%q: %s", test.answer, out.String())
		}
		if got := load(t, flagged(where{}, dir)).word("mode"); got != test.mode || code != test.code {
			t.Errorf("%q: mode %s, exit status %d, %s", test.answer, got, code, errs.String())
		}
	}
}
