package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"redline/internal/console"
	"redline/internal/ledger"
	"redline/internal/wire"
)

func newRollback(s streams, w *where) *cobra.Command {
	var hunks []string
	c := &cobra.Command{
		Use:   "rollback CHECKPOINT",
		Short: "Set the files of a request back to what they were before it",
		Long: `Set every file that a turn changed back to what it was before the turn, whatever was
done to it since, by you, by others or by later turns; changes of these files that
wait are rejected. That is asked about first. With --hunk only these hunks are
taken back, and everything else stays.

A checkpoint is named by its id, or by that of its turn; "last" is the newest.
redline redo takes a rollback back. The exit status is 3 if you do not agree, 5 if
a hunk cannot be taken back because its place was changed since.`,
		Example: `  redline rollback last
  redline rollback cp_turn_k3f7qabc --yes
  redline rollback turn_k3f7qabc --hunk h_q2abcd_2`,
		Args: cobra.ExactArgs(1),
		RunE: onFolder(s, w, func(j *job) error { return rollback(j, hunks) }),
	}
	c.Flags().StringArrayVar(&hunks, "hunk", nil, "only the hunk with this `id`; may be given again")
	return c
}

func rollback(j *job, hunks []string) error {
	id, err := j.folder.CheckpointID(j.ctx, j.session, j.first())
	if err != nil {
		return err
	}
	if hunks, err = j.hunks(hunks); err != nil {
		return err
	}
	if len(hunks) == 0 {
		cp, err := j.folder.Checkpoint(j.ctx, id)
		if err != nil {
			return err
		}
		if !j.w.json {
			fmt.Fprintf(j.s.err, "Back to %s, before %s:\n", brief(id), clock(cp.Created))
			for _, f := range cp.Files {
				fmt.Fprintf(j.s.err, "  %s\n", checkpointFile(f))
			}
		}
		if err := j.confirm("Set these files back, whatever was done to them since?"); err != nil {
			return err
		}
	}
	open, err := j.review().Open(j.ctx)
	if err != nil {
		return err
	}
	report, err := j.folder.Rollback(j.ctx, id, hunks...)
	if err != nil {
		return err
	}
	now, err := j.review().Open(j.ctx)
	if err != nil {
		return err
	}
	if gone := waiting(open) - waiting(now); gone > 0 && !j.w.json {
		j.say("Rejected %s that waited for a decision.", plural(gone, "hunk"))
	}
	return j.reported("Rolled back to "+brief(id), report, "redline redo takes it back.")
}

// waiting counts the hunks that are neither on the disk nor rejected.
func waiting(turns []wire.Turn) int {
	n := 0
	for _, t := range turns {
		for _, f := range t.Files {
			for _, h := range f.Hunks {
				if !h.Applied && h.State != "rejected" {
					n++
				}
			}
		}
	}
	return n
}

func checkpointFile(f ledger.CheckpointFile) string {
	words := shown(f.Path.String())
	switch {
	case f.From != nil:
		words += ", which was " + shown(f.From.String())
	case f.Base.IsZero():
		words += ", which was not there"
	}
	return words
}

func newCheckpoints(s streams, w *where) *cobra.Command {
	var n int
	var diff3 string
	c := &cobra.Command{
		Use:   "checkpoints [CHECKPOINT]",
		Short: "List the states to which one can go back",
		Long: `List the checkpoints, newest first: each is the state of the files of a turn before
it. With an id, the files and hunks of one; with --diff3, a file as it is now, as it
was before the turn, and as the turn left or proposed it.`,
		Example: `  redline checkpoints
  redline checkpoints last
  redline checkpoints turn_k3f7qabc --diff3 notes/ideas.md`,
		Args: cobra.MaximumNArgs(1),
		RunE: onFolder(s, w, func(j *job) error {
			switch {
			case n < 0:
				return usage("-n is a number of lines, 0 for all")
			case diff3 != "":
				return compare(j, diff3)
			case j.first() != "":
				return checkpoint(j)
			}
			return checkpoints(j, n)
		}),
	}
	c.Flags().IntVarP(&n, "number", "n", shownTurns, "at most so many; 0: all")
	c.Flags().StringVar(&diff3, "diff3", "", "compare the file at this `path`")
	return c
}

func checkpoints(j *job, n int) error {
	list, err := j.folder.Checkpoints(j.ctx, j.session, n)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, list)
	}
	if len(list) == 0 {
		j.say("There is no checkpoint yet.")
	}
	for _, cp := range list {
		first := ""
		if len(cp.Files) > 0 {
			first = shown(cp.Files[0].Path.String())
		}
		if more := len(cp.Files) - 1; more > 0 {
			first += fmt.Sprintf(" and %d more", more)
		}
		j.say("%s  %s  %s", brief(cp.ID), clock(cp.Created), first)
	}
	return nil
}

func checkpoint(j *job) error {
	id, err := j.folder.CheckpointID(j.ctx, j.session, j.first())
	if err != nil {
		return err
	}
	cp, err := j.folder.Checkpoint(j.ctx, id)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, cp)
	}
	j.say("checkpoint  %s\nsession     %s\ntime        %s", cp.ID, gist(cp.Session, 0), clock(cp.Created))
	for _, f := range cp.Files {
		j.say("file        %s", checkpointFile(f))
		for _, h := range f.Hunks {
			j.say("            %s", h.ID)
		}
	}
	return nil
}

// compareJSON is the three texts of a file; null where there is no file, or no text.
type compareJSON struct {
	Path     string  `json:"file_path"`
	Current  *string `json:"current_file"`
	Base     *string `json:"checkpoint_base"`
	Proposed *string `json:"agent_proposed"`
}

func compare(j *job, path string) error {
	given := j.first()
	if given == "" {
		given = "last"
	}
	id, err := j.folder.CheckpointID(j.ctx, j.session, given)
	if err != nil {
		return err
	}
	d, err := j.folder.Compare(j.ctx, id, path)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, compareJSON{d.Path.String(), textOf(d.Current), textOf(d.Base), textOf(d.Proposed)})
	}
	for _, side := range []struct {
		title string
		data  []byte
	}{{"now", d.Current}, {"before the turn", d.Base}, {"as the turn has it", d.Proposed}} {
		j.say("== %s, %s ==", shown(d.Path.String()), side.title)
		switch t := textOf(side.data); {
		case side.data == nil:
			j.say("(no file)")
		case t == nil:
			j.say("(not a text, %s)", bytesOf(int64(len(side.data))))
		case *t != "" && (*t)[len(*t)-1] == '\n':
			fmt.Fprint(j.s.out, console.Clean(*t))
		default:
			j.say("%s", console.Clean(*t))
		}
	}
	return nil
}

// textOf is data as text, if it is one.
func textOf(data []byte) *string {
	if data == nil || !utf8.Valid(data) {
		return nil
	}
	t := string(data)
	return &t
}
