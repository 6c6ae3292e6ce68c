package search

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"redline/internal/workspace"
)

// Content finds the lines that match a query. The result does not depend on the
// number of processors. Errors in the query are told before anything is read; a
// file that cannot be read is skipped.
func Content(ctx context.Context, view View, q Query) (*Result, error) {
	q, err := q.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := q.Pattern.compile()
	if err != nil {
		return nil, err
	}
	t, err := newTree(view, q.Scope)
	if err != nil {
		return nil, err
	}
	h := &hunt{tree: t, finds: finds{most: q.MaxHits, tell: q.Found}}
	h.free = make(chan *reader, workspace.Workers())
	var large sync.Mutex
	for range cap(h.free) {
		h.free <- newReader(ctx, m, &q, &large)
	}
	if err := h.changed(ctx); err != nil {
		return nil, err
	}
	if err := t.walk(ctx, &h.finds, h.visit); err != nil {
		return nil, err
	}
	return h.finds.result(), nil
}

// Text finds the lines of one text that match a query, whose Scope does not
// count. The hits are those of the one file of the result, which has no path.
func Text(ctx context.Context, data []byte, q Query) (*Result, error) {
	q, err := q.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := q.Pattern.compile()
	if err != nil {
		return nil, err
	}
	f := finds{most: q.MaxHits, tell: q.Found}
	hits, more := newReader(ctx, m, &q, nil).whole(data)
	f.add(File{Hits: hits, More: more})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f.result(), nil
}

// hunt is one search of contents.
type hunt struct {
	*tree
	finds finds
	free  chan *reader // those that nobody uses
}

// changed searches the files that are not on the disk.
func (h *hunt) changed(ctx context.Context) error {
	r := <-h.free
	defer func() { h.free <- r }()
	for _, c := range h.shown() {
		data, err := c.Read(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			h.finds.skip(c.Path, Unreadable)
			continue
		}
		if reason := unfit(data); reason != "" {
			h.finds.skip(c.Path, reason)
			continue
		}
		hits, more := r.whole(data)
		h.finds.add(File{c.Path, hits, more})
	}
	return ctx.Err()
}

// batch is how many files a reader takes at a time.
const batch = 32

// visit searches the files of a directory. The readers that are free help with
// a large one.
func (h *hunt) visit(ctx context.Context, v *workspace.Visited, files []workspace.Entry) error {
	var next atomic.Int64
	take := func(r *reader) bool {
		end := int(next.Add(batch))
		for _, e := range files[min(end-batch, len(files)):min(end, len(files))] {
			if ctx.Err() != nil {
				return false
			}
			h.file(r, v, e)
		}
		return end < len(files)
	}
	var helpers sync.WaitGroup
	r := <-h.free
	for more := true; more; {
		if int(next.Load())+batch < len(files) {
			h.help(&helpers, take)
		}
		more = take(r)
	}
	h.free <- r
	helpers.Wait()
	return ctx.Err()
}

// help lets a reader that is free, if there is one, take files until there are
// none.
func (h *hunt) help(helpers *sync.WaitGroup, take func(*reader) bool) {
	select {
	case r := <-h.free:
		helpers.Go(func() {
			for take(r) {
			}
			h.free <- r
		})
	default:
	}
}

// file searches a file of the disk.
func (h *hunt) file(r *reader, v *workspace.Visited, e workspace.Entry) {
	data, info, err := v.ReadHead(e, r.head)
	if err != nil {
		h.failed(v.Child(e), err)
		return
	}
	if reason := unfit(data); reason != "" {
		h.finds.skip(v.Child(e), reason)
		return
	}
	if info.Size > int64(len(data)) {
		h.largeFile(r, v, e)
		return
	}
	if hits, more := r.whole(data); len(hits) > 0 {
		h.finds.add(File{v.Child(e), hits, more})
	} else {
		h.finds.add(File{})
	}
}

// largeFile searches a file that is read in parts.
func (h *hunt) largeFile(r *reader, v *workspace.Visited, e workspace.Entry) {
	file, _, err := v.Open(e)
	if err != nil {
		h.failed(v.Child(e), err)
		return
	}
	defer file.Close()
	hits, more, err := r.stream(file)
	if err == errLongLine {
		h.finds.skip(v.Child(e), LongLine)
	} else if err != nil {
		h.failed(v.Child(e), err)
	}
	h.finds.add(File{v.Child(e), hits, more})
}

// failed notes a file that cannot be read, unless it has gone meanwhile.
func (h *hunt) failed(p workspace.Path, err error) {
	switch workspace.CodeOf(err) {
	case workspace.NotFound, workspace.IsLink, workspace.NotRegular, workspace.IsDirectory:
	default:
		if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			h.finds.skip(p, Unreadable)
		}
	}
}

// tree is the files of a view that are in a scope.
type tree struct {
	*scope
	view    View
	changes map[workspace.Path]Change
}

func newTree(view View, s Scope) (*tree, error) {
	c, err := s.compile()
	if err != nil {
		return nil, err
	}
	t := &tree{scope: c, view: view, changes: map[workspace.Path]Change{}}
	for _, c := range view.Changes {
		t.changes[c.Path] = c
	}
	return t, nil
}

// shown are the changed files that are to be looked at, by path.
func (t *tree) shown() []Change {
	var out []Change
	for p, c := range t.changes {
		if c.Read == nil || !t.holds(p) {
			continue
		}
		if v, _ := t.view.Policy.Check(p, workspace.Reading); v != workspace.Deny && !t.view.Folder.Ignored(p, false) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return a.Path.Compare(b.Path) })
	return out
}

// walk visits the directories of the disk with the files that are to be looked
// at, from several goroutines. Folders that cannot be read are skipped.
func (t *tree) walk(ctx context.Context, f *finds, visit func(context.Context, *workspace.Visited, []workspace.Entry) error) error {
	if !t.entersAll(t.under) {
		return nil
	}
	err := t.view.Folder.Walk(ctx, workspace.WalkOptions{Under: t.under, Policy: t.view.Policy}, func(_ int, v *workspace.Visited) error {
		var files, folders []workspace.Entry
		for _, e := range v.Entries {
			switch p := v.Child(e); {
			case f.passed(p):
			case e.IsDir() && t.enters(p):
				folders = append(folders, e)
			case e.IsFile() && t.wants(p) && !t.isChanged(p):
				files = append(files, e)
			}
		}
		v.Entries = folders
		return visit(ctx, v, files)
	})
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &joined):
		for _, e := range joined.Unwrap() {
			f.skipError(e)
		}
		return nil
	case workspace.CodeOf(err) == workspace.NotFound && t.isMade():
		return nil
	}
	return err
}

func (t *tree) isChanged(p workspace.Path) bool {
	_, ok := t.changes[p]
	return ok
}

// isMade tells whether the folder to search is there by changes alone.
func (t *tree) isMade() bool {
	for p := range t.changes {
		if p.Within(t.under) {
			return true
		}
	}
	return false
}
