package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"redline"
)

// commands are all commands that do something.
func commands(t *testing.T) []*cobra.Command {
	t.Helper()
	var list []*cobra.Command
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Runnable() && !c.Hidden {
			list = append(list, c)
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}))
	return list
}

// TestHelp: every command says what it does and shows an example, and no text is too
// wide for a terminal.
func TestHelp(t *testing.T) {
	for _, c := range commands(t) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the short text is %q", c.CommandPath(), c.Short)
		}
		if !strings.Contains(c.Example, "redline") && !c.HasSubCommands() {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Long + "\n" + c.Example) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
				t.Errorf("%s: a line of the help has %d characters: %s", c.CommandPath(), n, line)
			}
		}
	}
}

// TestCovered: the transcripts and scripts have every command, every tool and every
// exit status.
func TestCovered(t *testing.T) {
	var all strings.Builder
	for _, pattern := range []string{"testdata/*.txtar", "testdata/scripts/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(data)
		}
	}
	text := all.String()
	for _, c := range commands(t) {
		words := strings.Fields(c.CommandPath())
		if len(words) > 1 && !c.HasSubCommands() && !mentions(text, words[1:]) {
			t.Errorf("no script runs %s", c.CommandPath())
		}
	}
	for _, name := range redline.Toolsets {
		specs, err := redline.Specs(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range specs {
			if !strings.Contains(text, s.Name) {
				t.Errorf("no script calls %s of %s", s.Name, name)
			}
		}
	}
	for _, code := range []int{exitError, exitUsage, exitDenied, exitPending, exitConflict, exitAborted} {
		ends := regexp.MustCompile(fmt.Sprintf(`\(exit status %[1]d\)|status %[1]d redline|finish \w+ %[1]d\b`, code))
		if !ends.MatchString(text) {
			t.Errorf("no script ends with status %d", code)
		}
	}
}

// mentions tells whether a line runs the command, with flags between its words or
// not.
func mentions(text string, words []string) bool {
	for line := range strings.Lines(text) {
		_, after, ok := strings.Cut(line, "redline ")
		for _, w := range words {
			if !ok {
				break
			}
			_, after, ok = strings.Cut(" "+after+" ", " "+w)
		}
		if ok {
			return true
		}
	}
	return false
}
