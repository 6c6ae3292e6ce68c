package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// findWorker tests what is in folders, beside others. Its finder writes to a buffer.
type findWorker struct {
	finder
	order *orderly
	place *place
	text  bytes.Buffer
}

// Write takes a message for standard error.
func (w *findWorker) Write(message []byte) (int, error) {
	w.flush()
	w.order.add(w.place, nil, string(message))
	return len(message), nil
}

// flush moves what was printed to the place.
func (w *findWorker) flush() {
	w.c.Out.Flush()
	w.order.add(w.place, w.text.Bytes(), "")
	w.text.Reset()
}

// walk visits what is in a folder, several folders at once, and writes the results in
// the order in which enter would. Nothing in the expression may do more than print.
func (f *finder) walk(start *found) {
	o := &orderly{c: f.c, places: map[string]*place{}}
	shown := start.path
	if !strings.HasSuffix(shown, "/") {
		shown += "/"
	}
	root := &place{shown: shown, depth: start.depth}
	o.cursor = []*place{root}
	workers := make([]*findWorker, f.c.Tree.Workers())
	first := true
	err := f.c.Tree.Walk(f.c.Context, start.abs(), func(worker int, dir string, entries []fs.DirEntry, _ func(string, []byte) ([]byte, error)) ([]fs.DirEntry, error) {
		if workers[worker] == nil {
			workers[worker] = f.worker(o)
		}
		w := workers[worker]
		if first {
			first, w.place = false, root
		} else {
			w.place = o.begin(dir)
		}
		enter := w.visit(start.start, dir, entries)
		return enter, o.finish(w.place)
	})
	if o.over(err) {
		return
	}
	if first && err != nil {
		o.places[start.abs()] = root
	}
	o.abandon(func(p *place) string {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		f.status = 1
		return fmt.Sprintf("find: ‘%s’: %s\n", strings.TrimSuffix(p.shown, "/"), Reason(err))
	})
	for _, w := range workers {
		if w != nil {
			f.status = max(f.status, w.status)
		}
	}
}

func (f *finder) worker(o *orderly) *findWorker {
	w := &findWorker{finder: *f, order: o}
	c := *f.c
	c.Out = NewOutput(&w.text)
	c.Err = w
	w.c = &c
	return w
}

// visit tests what is in one folder, and returns the folders in it to enter.
func (w *findWorker) visit(start, dir string, entries []fs.DirEntry) []fs.DirEntry {
	p := w.place
	depth := p.depth + 1
	around := strings.TrimSuffix(dir, "/") + "/"
	var enter []fs.DirEntry
	var e found
	for _, entry := range entries {
		if w.order.stopped.Load() {
			break
		}
		name := entry.Name()
		e = found{path: p.shown + name, name: name, start: start, depth: depth, kind: entry.Type(), entry: entry, around: around}
		if !w.inner && depth >= w.least {
			w.test(&w.finder, &e)
		}
		if e.kind.IsDir() && (w.most < 0 || depth < w.most) && (!e.prune || w.inner) {
			w.flush()
			w.order.open(p, around+name, name)
			enter = append(enter, entry)
		}
		if w.inner && depth >= w.least {
			w.test(&w.finder, &e)
		}
	}
	w.flush()
	return enter
}
