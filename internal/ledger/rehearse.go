package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"redline/internal/text"
	"redline/internal/workspace"
)

// Scene is where a command runs whose changes have to wait. It finds a double of the
// folder, as the turn sees it, in the place of Dir: a copy, or an overlay whose
// upper layer is Upper. At most one of the two is there; neither, if the command may
// work on the folder itself.
type Scene struct {
	Dir         string // absolute name of the folder
	Copy        string
	Upper, Work string // Work is an empty folder beside Upper, for the system
}

// Stagehand tells whether a scene holds a command, so that nothing that it does
// reaches the folder itself, not even by an absolute name: it tries.
type Stagehand func(Scene) error

// Rehearsed is what came of a command in a double of the folder.
type Rehearsed struct {
	Effects []Effect // part of the turn now
	Outside []Path   // changed in the double, but not kept: ignored, too large, or git's own
	// Escaped is what was done to the folder itself meanwhile, where the command
	// could reach it. It is on the disk and on record as a turn of its own.
	Escaped *Commit
}

// Rehearse runs a command on a private double of the folder, for a turn whose
// changes wait for a decision, and makes what it did there part of the turn. The
// double is gone when it returns. The error of run comes back with what was done.
//
//	disk ── baseline: what was there, by hash
//	  └─ pending changes of the session, and those of the turn
//	       └─ double: overlay, else a copy under the same name, else a copy
//	            └─ command ── differences ── Enact
func (t *Turn) Rehearse(ctx context.Context, tool string, hold Stagehand, run func(context.Context, Scene) error) (Rehearsed, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return Rehearsed{}, errorf(TurnOver, "the turn has ended")
	case t.own == nil:
		return Rehearsed{}, errorf(Invalid, "only a review that keeps changes back has something to rehearse for")
	}
	before, err := t.known(ctx)
	if err != nil {
		return Rehearsed{}, fmt.Errorf("keep the files before the command: %w", err)
	}
	private, err := workspace.MakePrivate(t.ledger.options.Private)
	if err != nil {
		return Rehearsed{}, fmt.Errorf("make a private copy of the folder: %w", err)
	}
	defer private.Close() // what is left is swept later
	stage, err := t.build(ctx, private, hold)
	if err != nil {
		return Rehearsed{}, fmt.Errorf("make a private copy of the folder: %w", err)
	}
	defer stage.double.Close()
	var done Rehearsed
	var runErr error
	if stage.holds {
		runErr = run(ctx, stage.scene)
	} else if done.Escaped, runErr, err = t.watched(ctx, tool, stage.scene, run); err != nil {
		return done, errors.Join(runErr, err)
	}
	// What the command did must be part of the turn even if it was cancelled.
	ctx = context.WithoutCancel(ctx)
	effects, contents, outside, err := t.differences(ctx, stage.double, before)
	if err == nil {
		done.Outside = outside
		done.Effects, err = t.enact(ctx, tool, effects, contents...)
	}
	return done, errors.Join(runErr, err)
}

// known is every file, folder and link as the turn sees it. What is outside the
// promise has no hash.
func (t *Turn) known(ctx context.Context) (map[Path]State, error) {
	l := t.ledger
	l.baseline.mu.Lock()
	defer l.baseline.mu.Unlock()
	if _, err := l.updateBaseline(ctx); err != nil {
		return nil, err
	}
	known := map[Path]State{}
	for p, f := range l.baseline.cache.All() {
		known[p] = stateOf(f)
	}
	for p := range l.baseline.cache.Dirs() {
		known[p] = State{Kind: Dir}
	}
	for p, s := range t.view.changed() {
		if s.Exists() {
			known[p] = s
		} else {
			delete(known, p)
		}
	}
	return known, nil
}

// theatre is a double that a command can be run on.
type theatre struct {
	scene  Scene
	double *workspace.Double
	holds  bool // what is done there cannot reach the folder
}

// build makes the double: an overlay if the system can, else a copy.
func (t *Turn) build(ctx context.Context, private *workspace.Private, hold Stagehand) (*theatre, error) {
	if stage, err := t.overlay(ctx, private, hold); err == nil {
		return stage, nil
	}
	name, err := private.Make("copy")
	if err != nil {
		return nil, err
	}
	double, err := t.ledger.folder.Copy(ctx, name, t.ledger.options.MaxCopy)
	if err != nil {
		return nil, err
	}
	stage := &theatre{scene: Scene{Dir: t.ledger.folder.Name(), Copy: name}, double: double}
	if err := t.furnish(ctx, double); err != nil {
		return nil, errors.Join(err, double.Close())
	}
	stage.holds = hold != nil && hold(stage.scene) == nil
	return stage, nil
}

func (t *Turn) overlay(ctx context.Context, private *workspace.Private, hold Stagehand) (*theatre, error) {
	if hold == nil {
		return nil, errors.ErrUnsupported
	}
	upper, err := private.Make("upper")
	if err != nil {
		return nil, err
	}
	work, err := private.Make("work")
	if err != nil {
		return nil, err
	}
	double, err := t.ledger.folder.Layer(upper)
	if err != nil {
		return nil, err
	}
	stage := &theatre{scene: Scene{Dir: t.ledger.folder.Name(), Upper: upper, Work: work}, double: double, holds: true}
	if err = t.furnish(ctx, double); err == nil {
		err = hold(stage.scene)
	}
	if err != nil {
		return nil, errors.Join(err, double.Close())
	}
	return stage, nil
}

// furnish makes the double what the turn sees.
func (t *Turn) furnish(ctx context.Context, double *workspace.Double) error {
	changed := t.view.changed()
	for _, p := range slices.SortedFunc(maps.Keys(changed), Path.Compare) {
		s := changed[p]
		var err error
		switch s.Kind {
		case None:
			err = double.Remove(p)
		case Dir:
			err = double.Put(p, os.ModeDir, nil)
		default:
			var data []byte
			if data, err = t.view.content(ctx, s.Hash); err != nil {
				return err
			}
			mode := s.Mode
			if s.Kind == Link {
				mode = os.ModeSymlink
			}
			err = double.Put(p, mode, data)
		}
		if err != nil {
			return err
		}
	}
	return double.Seal(ctx)
}

// watched runs a command that could reach the folder itself. What happens to it
// meanwhile is put on record as a turn of its own, which reached the disk at once.
func (t *Turn) watched(ctx context.Context, tool string, scene Scene, run func(context.Context, Scene) error) (escaped *Commit, runErr, err error) {
	l := t.ledger
	id := newID("turn")
	other := &Turn{ledger: l, edits: map[Path][]toldChange{}, record: &TurnRecord{
		ID: id, Session: t.record.Session, Job: t.record.Job, Message: t.record.Message, Checkpoint: "cp_" + id, Origin: Agent,
		Review: Auto, Status: Running, Began: l.now(), Process: os.Getpid(), Instance: instance, Actions: []Action{}, Changes: []Change{},
	}}
	other.view.ledger = l
	escaped, err = other.Shell(ctx, tool, func(ctx context.Context) error {
		runErr = run(ctx, scene)
		return nil
	})
	_, endErr := other.End(context.WithoutCancel(ctx))
	return escaped, runErr, errors.Join(err, endErr)
}

// differences are what a command has done to the double, and what of it is not kept.
func (t *Turn) differences(ctx context.Context, double *workspace.Double, before map[Path]State) (effects []Effect, contents [][]byte, outside []Path, err error) {
	found, git, err := double.Changed(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	c := &comparison{turn: t, double: double, before: before, after: map[Path]State{}}
	for _, f := range found {
		if err := c.add(f); err != nil {
			return nil, nil, nil, err
		}
	}
	c.clear(found)
	for p, after := range c.after {
		if e := (Effect{Path: p, Before: before[p], After: after}); !e.empty() {
			effects = append(effects, e)
		}
	}
	slices.SortFunc(effects, compareEffects)
	slices.SortFunc(c.outside, Path.Compare)
	if git {
		c.outside = append(c.outside, gitFolder)
	}
	return effects, c.contents, c.outside, nil
}

// comparison is a double against what it was.
type comparison struct {
	turn     *Turn
	double   *workspace.Double
	before   map[Path]State
	after    map[Path]State // where something was found
	contents [][]byte
	size     int64
	outside  []Path
	lost     []Path // of outside: those that are gone in the double
}

// add takes up what was found at one path.
func (c *comparison) add(f workspace.Found) error {
	was, known := c.before[f.Path]
	file := f.Mode.IsRegular()
	switch {
	case !f.Exists && (!known || kept(was)):
		if known {
			c.after[f.Path] = State{}
		}
	case !f.Exists:
		c.lose(f.Path)
	case known && !kept(was):
		c.outside = append(c.outside, f.Path)
	case !known && (f.Ignored || file && f.Size > c.turn.ledger.options.MaxBaselineFile), file && f.Size > workspace.MaxFile:
		c.outside = append(c.outside, f.Path)
	case f.Mode.IsDir():
		c.after[f.Path] = State{Kind: Dir}
	default:
		return c.read(f)
	}
	return nil
}

// lose notes something that is gone in the double, and cannot be deleted in the
// folder because nobody could bring it back.
func (c *comparison) lose(p Path) {
	c.outside, c.lost = append(c.outside, p), append(c.lost, p)
}

// kept tells whether the content of what was there is known.
func kept(s State) bool { return s.Kind == Dir || !s.Hash.IsZero() }

func (c *comparison) read(f workspace.Found) error {
	data, err := c.double.Read(f.Path)
	if errors.Is(err, workspace.Permission) {
		c.outside = append(c.outside, f.Path)
		return nil
	}
	if err != nil {
		return err
	}
	s := State{Kind: Link, Hash: text.Sum(data)}
	if f.Mode.IsRegular() {
		s.Kind, s.Mode = File, f.Mode.Perm()
	}
	c.after[f.Path] = s
	if s == c.before[f.Path] {
		return nil
	}
	if c.size += int64(len(data)); c.size > c.turn.ledger.options.MaxCopy.Bytes {
		return &workspace.Error{Code: workspace.TooLarge, Path: ".", Reason: fmt.Sprintf("the command wrote more than %d MB", c.turn.ledger.options.MaxCopy.Bytes>>20)}
	}
	c.contents = append(c.contents, data)
	return nil
}

// clear takes away what was in folders that are none any more, or were emptied.
func (c *comparison) clear(found []workspace.Found) {
	gone := map[Path]bool{}
	for _, f := range found {
		if !f.Exists || f.Bare || !f.Mode.IsDir() {
			gone[f.Path] = true
		}
	}
	for p, was := range c.before {
		if _, ok := c.after[p]; ok || gone[p] || !slices.ContainsFunc(foldersAbove(p), func(above Path) bool { return gone[above] }) {
			continue
		}
		if kept(was) {
			c.after[p] = State{}
		} else {
			c.lose(p)
		}
	}
	for _, p := range c.lost { // what stays needs the folders that it is in
		for _, above := range foldersAbove(p) {
			if s, ok := c.after[above]; ok && !s.Exists() {
				delete(c.after, above)
			}
		}
	}
}

// foldersAbove are the folders that p is in, but for the whole one.
func foldersAbove(p Path) []Path {
	var list []Path
	for above := p.Parent(); !above.IsRoot(); above = above.Parent() {
		list = append(list, above)
	}
	return list
}
