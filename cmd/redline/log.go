package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redline/internal/console"
	"redline/internal/wire"
)

// shownTurns is how many turns a list shows unless more are asked for.
const shownTurns = 20

func newLog(s streams, w *where) *cobra.Command {
	var n int
	var file string
	c := &cobra.Command{
		Use:   "log",
		Short: "List the requests that changed something, newest first",
		Long: `List the requests that changed something, newest first: id, time, status, what was
asked, and the files with added and removed lines. With --file it is the history
of one document, through its names.`,
		Example: `  redline log
  redline log -n 5 --json
  redline log --file notes/ideas.md`,
		Args: cobra.NoArgs,
		RunE: onFolder(s, w, func(j *job) error {
			if n < 0 {
				return usage("-n is a number of lines, 0 for all")
			}
			if file != "" {
				return history(j, file, n)
			}
			return log(j, n)
		}),
	}
	c.Flags().IntVarP(&n, "number", "n", shownTurns, "at most so many; 0: all")
	c.Flags().StringVar(&file, "file", "", "the history of the document at this `path`")
	return c
}

func log(j *job, n int) error {
	turns, err := j.folder.Turns(j.ctx, j.session, n)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, turns)
	}
	if len(turns) == 0 {
		j.say("Nothing was changed here yet.")
	}
	for i := range turns {
		headline(j, &turns[i])
		for k, f := range turns[i].Files {
			const most = 6
			if k == most && len(turns[i].Files) > most+1 {
				j.say("    … and %d more", len(turns[i].Files)-most)
				break
			}
			j.say("    %s", fileLine(f))
		}
	}
	return nil
}

// headline is a turn on a line.
func headline(j *job, t *wire.Turn) {
	j.say("%s  %s  %-9s %s", brief(t.ID), clock(t.Began), t.Status, gist(t.Message, 72))
}

func history(j *job, file string, n int) error {
	versions, err := j.folder.History(j.ctx, file)
	if err != nil {
		return err
	}
	if n > 0 && len(versions) > n {
		versions = versions[:n]
	}
	if j.w.json {
		if versions == nil {
			return printJSON(j.s.out, []any{})
		}
		return printJSON(j.s.out, versions)
	}
	if len(versions) == 0 {
		j.say("Nothing was changed in %s yet.", shown(file))
	}
	for _, v := range versions {
		what := shown(v.Path.String())
		if !v.State.Exists() {
			what += " (deleted)"
		}
		j.say("%s  %s  %-8s %s  %s", brief(v.Turn), clock(v.Time), v.Kind, what, gist(v.Message, 60))
	}
	return nil
}

func newShow(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "show [TURN]",
		Short: "Show a request with all that it changed",
		Example: `  redline show
  redline show turn_k3f7qabc --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: onFolder(s, w, func(j *job) error {
			id, err := j.turn(j.first())
			if err != nil {
				return err
			}
			t, err := j.folder.Turn(j.ctx, id)
			if err != nil {
				return err
			}
			if j.w.json {
				return printJSON(j.s.out, t)
			}
			j.say("turn        %s\ncheckpoint  %s\nsession     %s\ntime        %s\nreview      %s\nstatus      %s", t.ID, t.Checkpoint, gist(t.Session, 0), clock(t.Began), t.Review, t.Status)
			if t.Message != "" {
				j.say("request     %s", strings.ReplaceAll(strings.TrimSpace(console.Clean(t.Message)), "\n", "\n            "))
			}
			for _, f := range t.Files {
				j.say("%s", hunkList(f))
			}
			j.say("")
			return console.Diff(j.s.out, t, console.Style{Color: j.screen().Color})
		}),
	}
}

// hunkList is the ids of the hunks of a file, to name them by.
func hunkList(f wire.File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "file        %s", shown(f.Path))
	for _, h := range f.Hunks {
		where := ""
		if h.Applied {
			where = ", on the disk"
		}
		fmt.Fprintf(&b, "\n            %s %s, %s%s", h.ID, h.Kind, h.State, where)
	}
	return b.String()
}

func newDiff(s streams, w *where) *cobra.Command {
	var files []string
	c := &cobra.Command{
		Use:   "diff [TURN]",
		Short: "Show what waits for a decision, or what a request changed",
		Long: `Show what waits for a decision; if nothing does, what the last request changed.

On a terminal it is coloured, word by word. Otherwise it is a patch that git apply
and patch accept: of what waits, on top of what is on the disk.`,
		Example: `  redline diff
  redline diff turn_k3f7qabc --file notes/ideas.md
  redline diff | git apply --stat`,
		Args: cobra.MaximumNArgs(1),
		RunE: onFolder(s, w, func(j *job) error { return diffTurns(j, files) }),
	}
	c.Flags().StringArrayVar(&files, "file", nil, "only this `path`; may be given again")
	return c
}

func diffTurns(j *job, files []string) error {
	turns, err := turnsToDiff(j)
	if err != nil {
		return err
	}
	for i := range turns {
		if turns[i].Files, err = j.folder.Only(turns[i].Files, files...); err != nil {
			return err
		}
	}
	if j.w.json {
		return printJSON(j.s.out, turns)
	}
	if len(turns) == 0 {
		fmt.Fprintln(j.s.err, "redline: nothing was changed here yet")
	}
	screen := j.screen()
	for i, t := range turns {
		if screen.Terminal {
			if i > 0 {
				j.say("")
			}
			headline(j, &t)
			err = console.Diff(j.s.out, t, console.Style{Color: screen.Color})
		} else {
			err = j.printPatch(t.ID, files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *job) printPatch(turn string, files []string) error {
	patch, err := j.folder.Patch(j.ctx, turn, files...)
	if err != nil {
		return err
	}
	_, err = j.s.out.Write(patch)
	return err
}

// turnsToDiff is the turn that was named, those that wait, or the last.
func turnsToDiff(j *job) ([]wire.Turn, error) {
	if j.first() != "" {
		id, err := j.turn(j.first())
		if err != nil {
			return nil, err
		}
		t, err := j.folder.Turn(j.ctx, id)
		return []wire.Turn{t}, err
	}
	turns, err := j.review().Open(j.ctx)
	if err != nil || len(turns) > 0 {
		return turns, err
	}
	return j.folder.Turns(j.ctx, j.session, 1)
}
