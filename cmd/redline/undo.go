package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/wire"
)

func newUndo(s streams, w *where) *cobra.Command {
	var part redline.Part
	c := &cobra.Command{
		Use:   "undo [TURN]",
		Short: "Take back the last request, or another one, wholly or in part",
		Long: `Take back what a turn changed on the disk: without an id, the turn whose change was
the last to reach it, unless a later request changed nothing; with --file, the last
one that changed the file. Files that you or others changed since are merged, or
left alone and reported as conflicts. Nothing else is touched, git is not needed,
and redline redo takes it back.

The exit status is 5 if a file is left in conflict.`,
		Example: `  redline undo
  redline undo turn_k3f7qabc
  redline undo --file notes/ideas.md
  redline undo --hunk h_q2abcd_3`,
		Args: cobra.MaximumNArgs(1),
		RunE: onFolder(s, w, func(j *job) error { return undo(j, part) }),
	}
	c.Flags().StringArrayVar(&part.Files, "file", nil, "only this `path`; may be given again")
	c.Flags().StringArrayVar(&part.Hunks, "hunk", nil, "only the hunk with this `id`; may be given again")
	c.Flags().BoolVar(&part.Unattributed, "unattributed", false, "with --file: also what happened while a command ran that may not have done it")
	return c
}

func undo(j *job, part redline.Part) (err error) {
	if part.Unattributed && len(part.Files) == 0 {
		return usage("--unattributed goes with --file: name the files")
	}
	if part.Hunks, err = j.hunks(part.Hunks); err != nil {
		return err
	}
	switch given := j.first(); {
	case given != "" && given != redline.Last:
		part.Turn, err = j.turn(given)
	case len(part.Hunks) == 0 && len(part.Files) == 0:
		part.Turn, err = j.review().Last(j.ctx)
	}
	var report wire.Report
	if err == nil {
		report, err = j.review().UndoPart(j.ctx, part)
	}
	switch {
	case redline.Nothing(err) && part.Turn == "":
		return nothingSince(j, err)
	case redline.Nothing(err):
		return nothingToUndo(j, part.Turn)
	}
	if err != nil {
		return err
	}
	return j.reported("Taken back "+brief(report.Turn), report, "redline redo brings it back.")
}

// nothingSince says that there is no last request to undo, which is no failure.
func nothingSince(j *job, reason error) error {
	if j.w.json {
		return printJSON(j.s.out, wire.Report{Files: []wire.FileReport{}})
	}
	open, err := j.review().Open(j.ctx)
	switch {
	case err != nil:
		return err
	case len(open) > 0 && open[len(open)-1].Staged():
		j.say("There is nothing to undo: what waits for a decision is not on the disk; redline reject drops it.")
	default:
		words := reason.Error()
		j.say("%s.", strings.ToUpper(words[:1])+words[1:])
	}
	return nil
}

// nothingToUndo says that a turn has nothing to undo, which is no failure.
func nothingToUndo(j *job, turn string) error {
	if j.w.json {
		return printJSON(j.s.out, wire.Report{Turn: turn, Files: []wire.FileReport{}})
	}
	t, err := j.folder.Turn(j.ctx, turn)
	switch {
	case err != nil:
		return err
	case t.Pending() && t.Staged():
		j.say("There is nothing to undo: the changes of %s are not on the disk; redline reject drops them.", brief(turn))
	case t.Status == "empty":
		j.say("There is nothing to undo: %s changed nothing.", brief(turn))
	default:
		j.say("There is nothing to undo: %s is %s.", brief(turn), t.Status)
	}
	return nil
}

func newRedo(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "redo [TURN]",
		Short: "Bring back what the last undo or rollback took",
		Long: `Take back the newest undo or rollback, or the newest one of a turn.

The exit status is 5 if a file is left in conflict.`,
		Example: `  redline redo
  redline redo turn_k3f7qabc`,
		Args: cobra.MaximumNArgs(1),
		RunE: onFolder(s, w, func(j *job) (err error) {
			turn := ""
			if j.first() != "" && j.first() != redline.Last {
				if turn, err = j.turn(j.first()); err != nil {
					return err
				}
			}
			report, err := j.review().Redo(j.ctx, turn)
			switch {
			case redline.Nothing(err) && j.w.json:
				return printJSON(j.s.out, wire.Report{Turn: turn, Files: []wire.FileReport{}})
			case redline.Nothing(err):
				j.say("There is nothing to redo.")
				return nil
			case err != nil:
				return err
			}
			return j.reported("Brought back "+brief(report.Turn), report, "redline undo takes it back.")
		}),
	}
}

// reported prints what became of each file.
func (j *job) reported(title string, r wire.Report, next string) error {
	if j.w.json {
		if err := printJSON(j.s.out, r); err != nil {
			return err
		}
		return conflicts(r)
	}
	if r.Commit == "" && len(r.Files) > 0 {
		title = "Nothing was changed"
	}
	j.say("%s:", title)
	fileReports(j, r.Files)
	if len(r.Files) == 0 {
		j.say("  nothing: no file was different")
	}
	for _, p := range r.Outside {
		j.say("  outside     %s: a command changed it, and no undo restores it", shown(p))
	}
	if r.Commit != "" {
		j.say("%s", next)
	}
	return conflicts(r)
}

func fileReports(j *job, files []wire.FileReport) {
	for _, f := range files {
		reason := ""
		if f.Reason != "" {
			reason = ": " + gist(f.Reason, 0)
		}
		j.say("  %-11s %s%s", f.Outcome, shown(f.Path), reason)
	}
}

// conflicts is the exit status of a report.
func conflicts(r wire.Report) error {
	n := r.Conflicted()
	if n == 0 {
		return nil
	}
	verb := "was"
	if n > 1 {
		verb = "were"
	}
	return &status{exitConflict, fmt.Errorf("%s %s left as it is; look at it and change it by hand, or redline rollback", plural(n, "file"), verb)}
}
