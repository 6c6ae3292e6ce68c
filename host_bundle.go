package redline

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/wire"
	"redline/llm"
)

// bundles keeps what jobs have changed ready: a page asks for it again and again while
// a review is open. What was made of a turn holds until its record is saved anew, by
// whichever program.
type bundles struct {
	host  *Host
	mu    sync.Mutex
	jobs  map[string]jobTurns
	turns map[string]turnFiles
	told  map[string]toldEdits
}

// jobTurns are the turns of a job, oldest first. A job that went on after a question
// has several.
type jobTurns struct {
	last string // the newest, as the job knows it
	ids  []string
}

type turnFiles struct {
	version int
	files   []wire.DiffFile
	waits   bool // for a decision
}

type toldEdits struct {
	calls int // that the job had made then
	edits []wire.Edit
}

// How much is kept ready: so many jobs and turns, and patches of a turn up to so many
// bytes. What is larger is made anew each time.
const (
	mostReady    = 128
	largestReady = 512 << 10
)

// put adds something to a part of the cache, which forgets all when it is full.
func put[V any](b *bundles, part *map[string]V, id string, v V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *part == nil || len(*part) >= mostReady {
		*part = map[string]V{}
	}
	(*part)[id] = v
}

func get[V any](b *bundles, part *map[string]V, id string) (V, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := (*part)[id]
	return v, ok
}

// of is what a job has changed or proposes, or nil.
func (b *bundles) of(ctx context.Context, j *wire.Job) (*wire.DiffBundle, error) {
	ids, err := b.turnsOf(ctx, j)
	if err != nil {
		return nil, err
	}
	bundle := &wire.DiffBundle{Job: j.ID, Files: []wire.DiffFile{}}
	for _, id := range ids {
		turn, err := b.filesOf(ctx, id)
		if err != nil {
			return nil, err
		}
		if bundle.Files = append(bundle.Files, turn.files...); len(ids) == 1 {
			bundle.Files = turn.files // shared: nobody changes it
		}
	}
	if len(bundle.Files) == 0 {
		return nil, nil
	}
	return bundle, nil
}

// wait tells whether something of a job waits for a decision.
func (b *bundles) wait(ctx context.Context, j *wire.Job) (bool, error) {
	ids, err := b.turnsOf(ctx, j)
	for _, id := range ids {
		turn, err := b.filesOf(ctx, id)
		if err != nil || turn.waits {
			return true, err
		}
	}
	return false, err
}

// turnsOf are the turns of a job that changed something, oldest first.
func (b *bundles) turnsOf(ctx context.Context, j *wire.Job) ([]string, error) {
	if j.Turn == "" {
		return nil, nil
	}
	if have, ok := get(b, &b.jobs, j.ID); ok && have.last == j.Turn {
		return have.ids, nil
	}
	records, err := b.host.folder.ledger.Turns(ctx, j.Session, 0)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, t := range slices.Backward(records) {
		if t.Job == j.ID || t.ID == j.Turn {
			ids = append(ids, t.ID)
		}
	}
	if slices.Contains(ids, j.Turn) || j.Status.Over() { // otherwise there may be more to say soon
		put(b, &b.jobs, j.ID, jobTurns{last: j.Turn, ids: ids})
	}
	return ids, nil
}

// filesOf is what a turn has changed. Of one that was collected there is nothing.
func (b *bundles) filesOf(ctx context.Context, turn string) (turnFiles, error) {
	version, err := b.host.folder.ledger.TurnVersion(ctx, turn)
	if errors.Is(err, ledger.NotFound) {
		return turnFiles{}, nil
	}
	if err != nil {
		return turnFiles{}, err
	}
	if have, ok := get(b, &b.turns, turn); ok && have.version == version {
		return have, nil
	}
	record, err := b.host.folder.ledger.Turn(ctx, turn)
	if err != nil {
		return turnFiles{}, err
	}
	bundle, err := ops.Bundle(ctx, b.host.folder.ledger, record)
	if err != nil {
		return turnFiles{}, err
	}
	made := turnFiles{version, bundle.Files, record.Status == ledger.Pending}
	size := 0
	for _, f := range bundle.Files {
		for _, h := range f.Hunks {
			size += len(h.Patch)
		}
	}
	if size <= largestReady {
		put(b, &b.turns, turn, made)
	}
	return made, nil
}

// proposing is the tool whose calls are edits of their own.
const proposing = "propose_edits"

// edits are those that the model proposed in a job, in their order. The session file
// has them, in the results of the calls.
func (b *bundles) edits(ctx context.Context, j *wire.Job) ([]wire.Edit, error) {
	calls := map[string]bool{}
	for _, c := range j.Calls {
		if c.Tool == proposing && c.OK != nil && *c.OK {
			calls[c.ID] = true
		}
	}
	if len(calls) == 0 {
		return []wire.Edit{}, nil
	}
	if have, ok := get(b, &b.told, j.ID); ok && have.calls == len(calls) {
		return have.edits, nil
	}
	_, _, said, err := b.host.find(ctx, j.Session)
	if err != nil {
		return nil, err
	}
	edits := []wire.Edit{}
	left := maps.Clone(calls)
	for _, m := range said.messages {
		r, ok := firstResult(m)
		if !ok || m.Role != llm.RoleTool || !left[r.CallID] || !during(j, m.Time) {
			continue
		}
		delete(left, r.CallID)
		edits = append(edits, proposed(r.Details)...)
	}
	if len(left) == 0 {
		put(b, &b.told, j.ID, toldEdits{len(calls), edits})
	}
	return edits, nil
}

// during tells whether a time is in a job: two jobs of a session may have calls of the
// same id. Clocks are read at slightly different moments.
func during(j *wire.Job, at time.Time) bool {
	const about = time.Second
	return (j.Started == nil || !at.Before(j.Started.Add(-about))) && (j.Finished == nil || !at.After(j.Finished.Add(about)))
}

// proposed are the edits of a call, as its details tell them.
func proposed(details json.RawMessage) []wire.Edit {
	var told struct {
		Edits []wire.Edit `json:"proposed_edits"`
	}
	if json.Unmarshal(details, &told) != nil {
		return nil // of another program
	}
	return told.Edits
}
