package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/console"
	"redline/internal/wire"
)

// job is a subcommand at work on the folder.
type job struct {
	ctx     context.Context
	s       streams
	w       *where
	folder  *redline.Folder
	session string // "": all
	args    []string
}

// onFolder opens the folder for a subcommand, and closes it again.
func onFolder(s streams, w *where, do func(*job) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		folder, err := openFolder(cmd.Context(), s, w)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, folder.Close()) }()
		j := &job{ctx: cmd.Context(), s: s, w: w, folder: folder, args: args}
		if w.changed("session") {
			if j.session, err = folder.SessionID(cmd.Context(), w.session); err != nil {
				return err
			}
		}
		return do(j)
	}
}

// review is the review of the session that the flags name, or of all.
func (j *job) review() *redline.Review { return j.folder.Review(j.session) }

// turn completes the id of a turn; "" is the last.
func (j *job) turn(given string) (string, error) {
	return j.folder.TurnID(j.ctx, j.session, cmp.Or(given, redline.Last))
}

// hunks completes the ids of hunks.
func (j *job) hunks(given []string) ([]string, error) {
	ids := make([]string, len(given))
	for i, id := range given {
		var err error
		if ids[i], err = j.folder.HunkID(j.ctx, j.session, id); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// first is the first argument, or "".
func (j *job) first() string {
	if len(j.args) == 0 {
		return ""
	}
	return j.args[0]
}

// say prints a line for people.
func (j *job) say(format string, args ...any) { fmt.Fprintf(j.s.out, format+"\n", args...) }

// screen is what the program writes to.
func (j *job) screen() console.Options {
	o := console.Detect(j.s.in, j.s.out, j.s.err, os.Getenv)
	o.Color = o.Color && !j.w.noColor
	return o
}

// confirm asks before something that cannot be taken back, or drops what the user
// did. Without anybody to ask --yes must have been given.
func (j *job) confirm(question string) error {
	if j.w.yes {
		return nil
	}
	if o := j.screen(); !o.Ask || j.w.json {
		return &status{exitDenied, errors.New("nothing was changed: nobody can be asked here; add --yes if you mean it")}
	}
	fmt.Fprintf(j.s.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(j.s.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return &status{exitDenied, errors.New("nothing was changed")}
	}
	return nil
}

// gist makes a text of unknown origin safe and short enough for a list.
func gist(s string, most int) string {
	s = strings.Join(strings.Fields(console.Clean(s)), " ")
	if r := []rune(s); most > 0 && len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// shown is a path for a terminal.
func shown(path string) string { return strings.ReplaceAll(console.Clean(path), "\n", `\n`) }

// brief is the beginning of an id, which is enough to name it.
func brief(id string) string {
	const random = 8
	i := strings.LastIndex(id, "_") + 1
	return id[:min(len(id), i+random)]
}

// clock is a moment for a list.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// fileLine is what happened to a file, on a line.
func fileLine(f wire.File) string {
	words := shown(f.Path)
	if f.From != "" {
		words = shown(f.From) + " → " + words
	}
	if f.Added > 0 {
		words += fmt.Sprintf(" +%d", f.Added)
	}
	if f.Gone > 0 {
		words += fmt.Sprintf(" −%d", f.Gone)
	}
	return f.Verb + " " + words
}

// bytesOf is a size for people.
func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return plural(int(n), "byte")
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
}
