package search

import (
	"context"
	"slices"
	"strings"
	"sync"

	"redline/internal/workspace"
)

// Names finds files by name: the first most of them by path, or all if most is
// 0, and how many there are in all. A pattern with a slash in it is looked for in
// the whole path, another one in the name alone. Without a pattern the globs of
// the scope decide.
func Names(ctx context.Context, view View, p Pattern, s Scope, most int) (paths []workspace.Path, total int, err error) {
	matches := func(workspace.Path) bool { return true }
	if p.Text != "" || len(s.Include) == 0 {
		m, err := p.compile()
		if err != nil {
			return nil, 0, err
		}
		whole := strings.Contains(p.Text, "/")
		free := sync.Pool{New: func() any { return m.scanner(ctx) }}
		matches = func(p workspace.Path) bool {
			name := p.Base()
			if whole {
				name = p.String()
			}
			scan := free.Get().(*scanner)
			defer free.Put(scan)
			scan.reset()
			_, _, ok := scan.next([]byte(name), 0)
			return ok
		}
	}
	t, err := newTree(view, s)
	if err != nil {
		return nil, 0, err
	}
	for _, c := range t.shown() {
		if matches(c.Path) {
			paths = append(paths, c.Path)
		}
	}
	var mu sync.Mutex
	err = t.walk(ctx, &finds{}, func(_ context.Context, v *workspace.Visited, files []workspace.Entry) error {
		for _, e := range files {
			if p := v.Child(e); matches(p) {
				mu.Lock()
				paths = append(paths, p)
				mu.Unlock()
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(paths, workspace.Path.Compare)
	total = len(paths)
	if most > 0 && total > most {
		paths = paths[:most]
	}
	return paths, total, nil
}
