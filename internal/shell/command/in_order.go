package command

import (
	"io"
	"sync"
	"sync/atomic"
)

// orderly writes what is found in folders that are visited several at once, in the
// order of a walk from folder to folder, sorted by name in each.
type orderly struct {
	c *Call
	// between is written between the results of two files; begun tells that there were
	// some before.
	between []byte
	begun   bool

	mu      sync.Mutex
	places  map[string]*place // folders that are going to be visited, by absolute name
	cursor  []*place          // the folder from which results are written, below those around it
	stopped atomic.Bool
}

// place is what was found in a folder.
type place struct {
	shown  string       // its name with a slash, as messages have it
	around *place       // nil: it was named
	rules  []ignoreRule // of the ignore files in it
	depth  int
	done   bool
	parts  []part
	at     int // the part that is written next
}

type part struct {
	text    []byte
	message string
	folder  *place
}

// add puts what was found behind the rest.
func (o *orderly) add(p *place, text []byte, message string) {
	if len(text) == 0 && message == "" {
		return
	}
	if n := len(p.parts); n > 0 && p.parts[n-1].folder == nil && p.parts[n-1].message == "" {
		last := &p.parts[n-1]
		if len(text) > 0 && len(last.text) > 0 {
			last.text = append(last.text, o.between...)
		}
		last.text = append(last.text, text...)
		last.message = message
		return
	}
	p.parts = append(p.parts, part{text: append([]byte(nil), text...), message: message})
}

// child makes a place for a folder in this one.
func (p *place) child(name string) *place {
	child := &place{shown: p.shown + name + "/", around: p, depth: p.depth + 1}
	p.parts = append(p.parts, part{folder: child})
	return child
}

// open makes a place for a folder that will be visited.
func (o *orderly) open(around *place, abs, name string) *place {
	child := around.child(name)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.places[abs] = child
	return child
}

// begin is the place of a folder that is visited now.
func (o *orderly) begin(abs string) *place {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.places[abs]
	delete(o.places, abs)
	return p
}

// finish marks a place as done, and writes what can be written now.
func (o *orderly) finish(p *place) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.done = true
	for len(o.cursor) > 0 && !o.stopped.Load() {
		top := o.cursor[len(o.cursor)-1]
		if !top.done {
			break
		}
		if top.at == len(top.parts) {
			o.cursor = o.cursor[:len(o.cursor)-1]
			continue
		}
		next := top.parts[top.at]
		top.parts[top.at] = part{}
		top.at++
		o.emit(next)
	}
	if o.stopped.Load() {
		return errStopped
	}
	return nil
}

// abandon finishes the places that were not visited; message tells why, "" if they
// are gone.
func (o *orderly) abandon(message func(p *place) string) {
	left := o.places
	o.places = map[string]*place{}
	for _, p := range left {
		o.add(p, nil, message(p))
		o.finish(p)
	}
}

func (o *orderly) emit(p part) {
	if p.folder != nil {
		o.cursor = append(o.cursor, p.folder)
	}
	if len(p.text) > 0 {
		if o.begun {
			o.c.Out.Write(o.between)
		}
		o.begun = true
		o.c.Out.Write(p.text)
	}
	if p.message != "" {
		io.WriteString(o.c.Err, p.message)
	}
	if o.c.Out.err != nil {
		o.stop()
	}
}

// stop ends the search early.
func (o *orderly) stop() { o.stopped.Store(true) }
