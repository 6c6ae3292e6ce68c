package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// choice is what is to be accepted or rejected.
type choice struct {
	all    string // accept or reject
	hunks  []string
	files  []string
	every  bool
	rebase bool
}

func newAccept(s streams, w *where) *cobra.Command {
	ch := &choice{all: "accept"}
	c := &cobra.Command{
		Use:   "accept [TURN]",
		Short: "Accept changes that wait for a decision, and write them",
		Long: `Accept changes that wait for a decision: of a turn, of files, some hunks, or all.
What was not on the disk is written there; redline undo takes it back.

Under review turn the turn is accepted as a whole. Under review optimistic its
changes are on the disk already, and accepting closes the record.

If somebody changed a file meanwhile nothing is written and the exit status is 5.
With --rebase the changes are made on the file as it is now, if they still fit.`,
		Example: `  redline accept
  redline accept turn_k3f7qabc
  redline accept --file notes/ideas.md
  redline accept --hunk h_q2abcd_1 --hunk h_q2abcd_3`,
	}
	c.Flags().BoolVar(&ch.rebase, "rebase", false, "make the changes on what others wrote to the files meanwhile")
	return ch.command(c, s, w)
}

func newReject(s streams, w *where) *cobra.Command {
	return (&choice{all: "reject"}).command(&cobra.Command{
		Use:   "reject [TURN]",
		Short: "Reject changes that wait for a decision",
		Long: `Reject changes that wait for a decision: of a turn, of files, some hunks, or all.
What is on the disk already is taken back, as with redline undo; a file that
somebody changed since is left alone, and the exit status is 5. The agent is told
of it with the next request.`,
		Example: `  redline reject
  redline reject turn_k3f7qabc
  redline reject --file notes/ideas.md
  redline reject --hunk h_q2abcd_2`,
	}, s, w)
}

func (ch *choice) command(c *cobra.Command, s streams, w *where) *cobra.Command {
	c.Args = cobra.MaximumNArgs(1)
	c.RunE = onFolder(s, w, func(j *job) error { return decide(j, ch) })
	c.Flags().StringArrayVar(&ch.hunks, "hunk", nil, "the hunk with this `id`; may be given again")
	c.Flags().StringArrayVar(&ch.files, "file", nil, "what is open in this `path`; may be given again")
	c.Flags().BoolVar(&ch.every, "all", false, "everything that is open, as when nothing is named")
	return c
}

// decisions are what a choice comes to, one after the other.
func (ch *choice) decisions(j *job) ([]wire.Decision, error) {
	named := len(ch.hunks) > 0 || len(ch.files) > 0 || j.first() != ""
	switch {
	case ch.every && named:
		return nil, usage("--all is everything that is open: leave it out, or name nothing else")
	case len(ch.hunks) > 0 && (len(ch.files) > 0 || j.first() != ""):
		return nil, usage("a hunk is named by its id alone: leave out the turn and the files")
	case len(ch.hunks) > 0:
		ids, err := j.hunks(ch.hunks)
		if ch.all == "accept" {
			return []wire.Decision{{Accept: ids}}, err
		}
		return []wire.Decision{{Reject: ids}}, err
	}
	d := wire.Decision{All: ch.all}
	if j.first() != "" {
		id, err := j.turn(j.first())
		if err != nil {
			return nil, err
		}
		d.Turn = id
	}
	if len(ch.files) == 0 {
		return []wire.Decision{d}, nil
	}
	var list []wire.Decision
	for _, f := range ch.files {
		d.Path = f
		list = append(list, d)
	}
	return list, nil
}

// decidedJSON is what came of a choice, and what it was about.
type decidedJSON struct {
	Turns []wire.Turn `json:"turns"` // as they are now
	wire.Decided
}

func decide(j *job, ch *choice) error {
	decisions, err := ch.decisions(j)
	if err != nil {
		return err
	}
	open, err := j.review().Open(j.ctx)
	if err != nil {
		return err
	}
	if all := decisions[0]; all.All != "" && all.Turn == "" && all.Path == "" {
		if len(open) == 0 {
			return nothingOpen(j)
		}
		for i := range open {
			if !j.w.json {
				headline(j, &open[i])
			}
		}
	}
	var all wire.Decided
	for _, d := range decisions {
		one, err := j.decideOne(d, ch.rebase)
		all.Also = append(all.Also, one.Also...)
		all.Applied = append(all.Applied, one.Applied...)
		all.Files = append(all.Files, one.Files...)
		all.Open = one.Open
		if err != nil {
			return j.undecided(ch, decisions, open, all, err)
		}
	}
	if err := j.printDecided(ch, decisions, open, all); err != nil {
		return err
	}
	return conflicts(wire.Report{Files: all.Files})
}

func nothingOpen(j *job) error {
	if j.w.json {
		return printJSON(j.s.out, decidedJSON{Turns: []wire.Turn{}})
	}
	j.say("Nothing waits for a decision.")
	return nil
}

// decideOne carries out a decision, if need be and wanted on the files as they are.
func (j *job) decideOne(d wire.Decision, rebase bool) (wire.Decided, error) {
	decided, err := j.review().Decide(j.ctx, d)
	var conflict *ledger.Error
	if !rebase || !errors.As(err, &conflict) || conflict.Code != ledger.Conflict {
		return decided, err
	}
	for _, c := range conflict.Conflicts {
		if !c.Rebase {
			return decided, err
		}
	}
	for _, c := range conflict.Conflicts {
		if err := j.review().Rebase(j.ctx, c.Path.String()); err != nil {
			return decided, err
		}
	}
	again, err := j.review().Decide(j.ctx, wire.Decision{})
	again.Also = append(decided.Also, again.Also...)
	again.Applied = append(decided.Applied, again.Applied...)
	again.Files = append(decided.Files, again.Files...)
	return again, err
}

// undecided tells of a decision that was not carried out, but first what was done
// until then.
func (j *job) undecided(ch *choice, decisions []wire.Decision, open []wire.Turn, done wire.Decided, err error) error {
	if len(done.Applied)+len(done.Files) == 0 {
		return rebaseHint(err, "nothing was written")
	}
	return errors.Join(j.printDecided(ch, decisions, open, done), rebaseHint(err, "of that nothing was written"))
}

// rebaseHint says what to do about a conflict, and what was written.
func rebaseHint(err error, written string) error {
	list, ok := inTheWay(err)
	if !ok {
		return err
	}
	fits := len(list) > 0
	for _, c := range list {
		if len(c.Hunks) > 0 { // in each other's way: the reason says what to do
			return err
		}
		fits = fits && c.Rebase
	}
	if fits {
		return fmt.Errorf("%w; %s, and the changes still fit: redline accept --rebase makes them on what is there now", err, written)
	}
	return fmt.Errorf("%w; %s: set the file back, or give the changes up with redline reject", err, written)
}

func (j *job) printDecided(ch *choice, decisions []wire.Decision, open []wire.Turn, d wire.Decided) error {
	turns, err := j.turnsOf(decisions, open)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, decidedJSON{turns, d})
	}
	j.say("%s.", map[string]string{"accept": "Accepted", "reject": "Rejected"}[ch.all])
	for _, a := range d.Applied {
		if a.Applied > 0 {
			j.say("  %-11s %s (%s)", "written", shown(a.Path), plural(a.Applied, "hunk"))
		}
	}
	fileReports(j, d.Files)
	for _, id := range d.Also {
		j.say("  %-11s %s, because they depend on each other", "with it", id)
	}
	if d.Open > 0 {
		verb := "are"
		if d.Open == 1 {
			verb = "is"
		}
		j.say("%s %s still open: redline diff shows what waits.", plural(d.Open, "hunk"), verb)
	}
	return nil
}

// turnsOf are the turns that were open, or that decisions name, as they are now.
func (j *job) turnsOf(decisions []wire.Decision, open []wire.Turn) ([]wire.Turn, error) {
	var ids []string
	for _, t := range open {
		ids = append(ids, t.ID)
	}
	if id := decisions[0].Turn; id != "" && !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	turns := []wire.Turn{}
	for _, id := range ids {
		t, err := j.folder.Turn(j.ctx, id)
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	return turns, nil
}
