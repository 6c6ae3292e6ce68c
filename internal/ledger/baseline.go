package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"redline/internal/text"
	"redline/internal/workspace"
)

// baseline is the whole folder as it was last looked at, with the content of
// every file that an undo promises to bring back in the store. A command of the
// system shell can change any file; only what was there before it ran can be
// brought back.
//
// Git's own folder, what ignore files hide, and files over MaxBaselineFile are
// outside the promise. They are looked at but not kept.
type baseline struct {
	mu     sync.Mutex
	loaded bool
	cache  workspace.StatCache
}

const (
	baselineRecords = "baseline"
	baselineID      = "folder"
	baselineBatch   = 2 << 20 // bytes of content in one save

	// A process that saves contents which no record names yet says so in a
	// record of its own.
	baselineUpdating = "updating"
	baselineIdle     = "idle"
)

// lease says whether this process is saving contents for the baseline.
func (l *Ledger) lease(ctx context.Context, state string) error {
	id := fmt.Sprintf("process %d", os.Getpid())
	return l.retryVersion(func() error {
		r := Record{Key: Key{baselineRecords, id}, State: state, Time: l.now(), Body: []byte(strconv.Itoa(os.Getpid()))}
		for old, err := range l.store.Load(ctx, Query{Kind: baselineRecords, ID: id}) {
			if err != nil {
				return err
			}
			r.Version = old.Version
		}
		return l.store.Save(ctx, Batch{Records: []Record{r}, Lazy: true})
	})
}

// leaseOf is the process behind such a record.
func leaseOf(r Record) int {
	pid, _ := strconv.Atoi(string(r.Body))
	return pid
}

// scan are the options of a look at the whole folder.
var scan = workspace.WalkOptions{Unlisted: true, Closed: true, Policy: workspace.Without(".git", ".redline")}

// promised tells whether the content of a file is kept.
func (l *Ledger) promised(f workspace.CachedFile) bool {
	return !f.Ignored && f.Info.Size <= l.options.MaxBaselineFile
}

// Baseline brings the baseline up to date: it reads what has changed since the
// last time. Call it early, in the background; a command waits for it.
func (l *Ledger) Baseline(ctx context.Context) error {
	l.baseline.mu.Lock()
	defer l.baseline.mu.Unlock()
	_, err := l.updateBaseline(ctx)
	return err
}

// updateBaseline returns what has changed since the last look.
func (l *Ledger) updateBaseline(ctx context.Context) (baselineDelta, error) {
	b := &l.baseline
	if !b.loaded {
		var err error
		if b.cache, _, err = l.storedBaseline(ctx); err != nil {
			return baselineDelta{}, err
		}
		b.loaded = true
	}
	old, next := b.cache, b.cache // Restat leaves the other copy alone
	// A file that is promised and not kept has to be read, however unchanged it
	// looks: it was ignored or too large before, or changed while it was read.
	next.Kept = l.promised
	delta, err := l.folder.Restat(ctx, &next, scan)
	if err != nil {
		return baselineDelta{}, err
	}
	if len(delta.Changed)+len(delta.Removed) > 0 {
		if err := l.lease(ctx, baselineUpdating); err != nil {
			return baselineDelta{}, err
		}
		err := l.keepContents(ctx, &next, delta.Changed)
		if err == nil {
			err = l.saveBaseline(ctx, &next)
		}
		if err = errors.Join(err, l.lease(context.WithoutCancel(ctx), baselineIdle)); err != nil {
			return baselineDelta{}, err // the old baseline stands: the next look finds it all again
		}
	}
	b.cache = next
	return baselineDelta{delta, old}, nil
}

// baselineDelta is what differs between two looks.
type baselineDelta struct {
	workspace.Delta
	old workspace.StatCache
}

// keepContents reads changed files and saves their contents, in parallel and
// batch by batch.
func (l *Ledger) keepContents(ctx context.Context, cache *workspace.StatCache, paths []Path) error {
	type read struct {
		path Path
		info workspace.Info
		data []byte
		err  error
	}
	workers := workspace.Workers()
	jobs, results := make(chan Path), make(chan read, workers)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			pass := l.folder.Pass()
			defer pass.Close()
			for p := range jobs {
				info, data, err := pass.Look(p)
				results <- read{p, info, data, err}
			}
		})
	}
	go func() {
		defer close(results)
		defer wg.Wait()
		defer close(jobs)
		for _, p := range paths {
			// What was kept before is kept again, even if it has grown too large.
			before, _ := l.baseline.cache.Get(p)
			if f, ok := cache.Get(p); ok && (l.promised(f) || !before.Hash.IsZero()) {
				select {
				case jobs <- p:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	var batch Batch
	size := 0
	var failed error
	for r := range results {
		switch {
		case failed != nil || errors.Is(r.err, workspace.NotFound) || errors.Is(r.err, workspace.Permission):
			continue // gone again meanwhile, or closed to us: it is outside the promise
		case errors.Is(r.err, workspace.UnsupportedFile) || r.info.IsDir():
			continue // too large for anybody, or no file any more
		case r.err != nil:
			failed = r.err
			cancel()
			continue
		}
		cache.Refresh(r.path, r.info, text.Sum(r.data))
		batch.Blobs = append(batch.Blobs, r.data)
		if size += len(r.data); size >= baselineBatch {
			if failed = l.store.Save(ctx, Batch{Blobs: batch.Blobs, Lazy: true}); failed != nil {
				cancel()
			}
			batch, size = Batch{}, 0
		}
	}
	if failed == nil && len(batch.Blobs) > 0 {
		failed = l.store.Save(ctx, Batch{Blobs: batch.Blobs, Lazy: true})
	}
	return failed
}

// saveBaseline keeps the index of the baseline for the next process.
func (l *Ledger) saveBaseline(ctx context.Context, cache *workspace.StatCache) error {
	index, err := cache.MarshalBinary()
	if err != nil {
		return fmt.Errorf("keep the baseline: %w", err)
	}
	body, err := json.Marshal(text.Sum(index))
	if err != nil {
		return err
	}
	return l.retryVersion(func() error {
		r := Record{Key: Key{baselineRecords, baselineID}, Time: l.now(), Body: body}
		for old, err := range l.store.Load(ctx, Query{Kind: baselineRecords, ID: baselineID}) {
			if err != nil {
				return err
			}
			r.Version = old.Version
		}
		return l.store.Save(ctx, Batch{Blobs: [][]byte{index}, Records: []Record{r}, Lazy: true})
	})
}

// storedBaseline reads the baseline that is in the store, and the hash of its
// index. One that cannot be understood is none: it is made anew.
func (l *Ledger) storedBaseline(ctx context.Context) (cache workspace.StatCache, hash text.Hash, err error) {
	for r, err := range l.store.Load(ctx, Query{Kind: baselineRecords, ID: baselineID}) {
		if err != nil {
			return cache, hash, err
		}
		if json.Unmarshal(r.Body, &hash) != nil {
			return cache, hash, nil
		}
		index, err := l.store.Blob(ctx, hash)
		if err == nil {
			_ = cache.UnmarshalBinary(index)
		}
		return cache, hash, nil
	}
	return cache, hash, nil
}

// Shell runs a command that may change the folder behind the ledger's back, and
// makes what it changed part of the turn. The baseline is brought up to date
// before the command runs; what changed until then is not the command's. It
// returns nil for a commit if nothing changed. The error of run comes back with
// the commit.
func (t *Turn) Shell(ctx context.Context, tool string, run func(context.Context) error) (*Commit, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return nil, errorf(TurnOver, "the turn has ended")
	case t.own != nil:
		return nil, errorf(Invalid, "a command of the system shell needs a review that writes at once")
	}
	l := t.ledger
	l.baseline.mu.Lock()
	defer l.baseline.mu.Unlock()
	if _, err := l.updateBaseline(ctx); err != nil {
		return nil, fmt.Errorf("keep the files before the command: %w", err)
	}
	t.record.Command = true
	if err := l.saveTurns(ctx, Batch{Lazy: true}, t.record); err != nil {
		return nil, err
	}
	start, git := l.now(), l.folder.GitStamps()
	runErr := run(ctx)
	// What the command did must be on record even if it was cancelled.
	ctx = context.WithoutCancel(ctx)
	delta, err := l.updateBaseline(ctx)
	if err != nil {
		return nil, errors.Join(runErr, err)
	}
	c := &Commit{ID: newID("c"), Kind: Shell, Turn: t.record.ID, Session: t.record.Session, Tool: tool, Time: l.now(), State: Done, Boot: bootID()}
	c.Effects, c.Outside = l.shellEffects(delta)
	if l.folder.GitStamps() != git {
		c.Outside = append(c.Outside, gitFolder)
	}
	t.record.Command = false // saved with whatever comes next
	if len(c.Effects)+len(c.Outside) == 0 {
		return nil, runErr
	}
	if err := l.attribute(ctx, c, start); err != nil {
		l.baseline.cache = delta.old // the next look finds it all again
		return nil, errors.Join(runErr, err)
	}
	if err := l.saveCommit(ctx, c, false); err != nil {
		l.baseline.cache = delta.old // the next look finds it all again
		return nil, errors.Join(runErr, err)
	}
	t.did(tool, c.ID, c.Effects)
	l.retire(c)
	return c, runErr
}

// lostCommand puts what has changed since a command began on record, for a turn
// whose process ended while it ran. Nobody can tell any more who did it, so it
// is undone only by name.
func (l *Ledger) lostCommand(ctx context.Context, t *TurnRecord) error {
	l.baseline.mu.Lock()
	defer l.baseline.mu.Unlock()
	delta, err := l.updateBaseline(ctx)
	if err != nil {
		return err
	}
	c := &Commit{ID: newID("c"), Kind: Shell, Turn: t.ID, Session: t.Session, Time: l.now(), State: Done, Boot: bootID()}
	c.Effects, c.Outside = l.shellEffects(delta)
	for i := range c.Effects {
		c.Effects[i].Unattributed = true
	}
	t.Command = false
	if len(c.Effects)+len(c.Outside) == 0 {
		return nil
	}
	return l.saveCommit(ctx, c, false)
}

// gitFolder is outside the promise; what a command does to it is only named.
var gitFolder = workspace.MustPath(".git")

// shellEffects makes effects of what changed; files outside the promise are
// named only.
func (l *Ledger) shellEffects(d baselineDelta) (effects []Effect, outside []Path) {
	state := func(f workspace.CachedFile, ok bool) State {
		if !ok {
			return State{}
		}
		return stateOf(f)
	}
	at := map[Path]int{} // where the effect on a path is
	for _, p := range slices.Concat(d.Changed, d.Removed) {
		now, exists := l.baseline.cache.Get(p)
		was, existed := d.old.Get(p)
		// Without its content nothing can be brought back, and nothing said.
		if exists && now.Hash.IsZero() || existed && was.Hash.IsZero() {
			if was.Info.Stamp != now.Info.Stamp { // and not only too fresh to tell
				outside = append(outside, p)
			}
			continue
		}
		if e := (Effect{Path: p, Before: state(was, existed), After: state(now, exists)}); !e.empty() {
			at[p] = len(effects)
			effects = append(effects, e)
		}
	}
	for p := range l.baseline.cache.Dirs() {
		i, was := at[p] // a file that became a folder is one effect
		switch {
		case d.old.HasDir(p):
		case was:
			effects[i].After = State{Kind: Dir}
		default:
			effects = append(effects, Effect{Path: p, After: State{Kind: Dir}})
		}
	}
	for p := range d.old.Dirs() {
		i, is := at[p] // and so is the opposite
		switch {
		case l.baseline.cache.HasDir(p):
		case is:
			effects[i].Before = State{Kind: Dir}
		default:
			effects = append(effects, Effect{Path: p, Before: State{Kind: Dir}})
		}
	}
	slices.SortFunc(effects, compareEffects)
	return effects, outside
}

// stateOf is what the baseline knows of a file or link.
func stateOf(f workspace.CachedFile) State {
	if f.Info.Mode&workspace.LinkType != 0 {
		return State{Kind: Link, Hash: f.Hash}
	}
	return State{Kind: File, Hash: f.Hash, Mode: f.Info.Mode.Perm()}
}

// attribute marks the files that somebody else wrote, through the ledger, while
// the command ran.
func (l *Ledger) attribute(ctx context.Context, c *Commit, since time.Time) error {
	theirs := map[Path]bool{}
	for o, err := range l.eachCommit(ctx, Query{Newest: true}) {
		if err != nil {
			return err
		}
		if o.Time.Before(since) {
			break
		}
		if o.Turn == c.Turn || !o.onDisk() {
			continue
		}
		for _, e := range o.Effects {
			theirs[e.Path], theirs[e.origin()] = true, true
		}
	}
	for i := range c.Effects {
		c.Effects[i].Unattributed = theirs[c.Effects[i].Path]
	}
	return nil
}
