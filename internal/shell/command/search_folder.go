package command

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
)

// folderSearch searches all files of a folder, several at once, and writes what was
// found in the order of their names: that of a walk from folder to folder, sorted in
// each.
type folderSearch struct {
	c      *Call
	follow bool // symbolic links, too
	// begin is called for each folder that was listed, before enters and wants of its
	// entries; it may be nil. shown is the name of the folder, with a slash, as
	// messages have it.
	begin func(shown string, depth int, entries []fs.DirEntry, read func(name string) []byte)
	// enters and wants tell which folders and files are searched.
	enters func(shown, name string, depth int) bool
	wants  func(shown, name string) bool
	// search searches a file on a worker: it returns what goes to standard output, and
	// a message for standard error.
	search func(worker int, name string, data []byte) (text []byte, message string)
	// unread makes the message about a file that cannot be read.
	unread func(name string, err error) string

	// between is written between the results of two files; begun tells that there were
	// some before.
	between []byte
	begun   bool

	mu      sync.Mutex
	places  map[string]*place // folders that are going to be visited, by absolute name
	links   []linked
	cursor  []*place // the folder from which results are written, below those around it
	stopped atomic.Bool
	buffers [][]byte
}

// place is what was found in a folder.
type place struct {
	shown string
	depth int
	done  bool
	parts []part
	at    int // the part that is written next
}

type part struct {
	text    []byte
	message string
	folder  *place
}

// linked is a link to a folder, which is searched after all else.
type linked struct {
	target, around string // absolute: the link itself, and the folder it is in
	place          *place
}

var errStopped = errors.New("stopped")

// readAhead is the room for a file in memory that is kept from one to the next.
const readAhead = 256 << 10

// run searches a folder. shown is what its names begin with.
func (s *folderSearch) run(dir, shown string) error {
	s.buffers = make([][]byte, s.c.Tree.Workers())
	root := &place{shown: shown}
	s.cursor = []*place{root}
	err := s.walk(dir, "", root)
	for len(s.links) > 0 && err == nil {
		l := s.links[0]
		s.links = s.links[1:]
		err = s.walk(l.target, l.around, l.place)
	}
	if errors.Is(err, errStopped) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// stop ends the search early.
func (s *folderSearch) stop() { s.stopped.Store(true) }

// walk searches a folder into a place. It does nothing if the folder is one of those
// around the link that leads to it.
func (s *folderSearch) walk(dir, around string, root *place) error {
	s.places = map[string]*place{}
	first := true
	return s.c.Tree.Walk(s.c.Context, dir, func(worker int, dir string, entries []fs.DirEntry, read func(string, []byte) ([]byte, error)) ([]fs.DirEntry, error) {
		s.mu.Lock()
		p := s.places[dir]
		loop := false
		if first {
			first, p = false, root
			loop = around != "" && strings.HasPrefix(around+"/", dir+"/")
		}
		s.mu.Unlock()
		if loop {
			entries = nil
		}
		enter, err := s.visit(worker, p, dir, entries, read)
		if err == nil {
			err = s.finish(p, loop)
		}
		return enter, err
	})
}

func (s *folderSearch) visit(worker int, p *place, dir string, entries []fs.DirEntry, read func(string, []byte) ([]byte, error)) ([]fs.DirEntry, error) {
	if s.buffers[worker] == nil {
		s.buffers[worker] = make([]byte, 0, readAhead)
	}
	load := func(name string) ([]byte, error) { return read(name, s.buffers[worker]) }
	if s.begin != nil {
		s.begin(p.shown, p.depth, entries, func(name string) []byte {
			data, err := load(name)
			if err != nil {
				return nil
			}
			return data
		})
	}
	var enter []fs.DirEntry
	for _, e := range entries {
		if s.stopped.Load() {
			return nil, errStopped
		}
		name := e.Name()
		kind, from := e.Type(), load
		if kind&fs.ModeSymlink != 0 {
			if !s.follow {
				continue
			}
			link := path.Join(dir, name)
			kind, from = s.behind(link), func(string) ([]byte, error) { return s.c.Tree.ReadFile(link) }
		}
		switch {
		case kind.IsDir() && s.enters(p.shown, name, p.depth+1):
			child := &place{shown: p.shown + name + "/", depth: p.depth + 1}
			p.parts = append(p.parts, part{folder: child})
			s.mu.Lock()
			if e.IsDir() {
				s.places[path.Join(dir, name)] = child
				enter = append(enter, e)
			} else {
				s.links = append(s.links, linked{path.Join(dir, name), dir, child})
			}
			s.mu.Unlock()
		case kind.IsRegular() && s.wants(p.shown, name):
			s.file(worker, p, name, from)
		}
	}
	return enter, nil
}

// behind is the type of what a link leads to.
func (s *folderSearch) behind(link string) fs.FileMode {
	i, err := s.c.Tree.Stat(link)
	if err != nil {
		return fs.ModeIrregular
	}
	return i.Mode()
}

func (s *folderSearch) file(worker int, p *place, name string, load func(string) ([]byte, error)) {
	var text []byte
	var message string
	shown := p.shown + name
	if data, err := load(name); err != nil {
		message = s.unread(shown, err)
	} else {
		text, message = s.search(worker, shown, data)
	}
	if len(text) == 0 && message == "" {
		return
	}
	if n := len(p.parts); n > 0 && p.parts[n-1].folder == nil && p.parts[n-1].message == "" {
		if len(text) > 0 && len(p.parts[n-1].text) > 0 {
			p.parts[n-1].text = append(p.parts[n-1].text, s.between...)
		}
		p.parts[n-1].text = append(p.parts[n-1].text, text...)
		p.parts[n-1].message = message
		return
	}
	p.parts = append(p.parts, part{text: append([]byte(nil), text...), message: message})
}

// finish marks a place as done, and writes what can be written now.
func (s *folderSearch) finish(p *place, loop bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.done = true
	if loop {
		p.parts = []part{{message: s.c.Command.Name + ": " + strings.TrimSuffix(p.shown, "/") + ": warning: recursive directory loop\n"}}
	}
	for len(s.cursor) > 0 && !s.stopped.Load() {
		top := s.cursor[len(s.cursor)-1]
		if !top.done {
			break
		}
		if top.at == len(top.parts) {
			s.cursor = s.cursor[:len(s.cursor)-1]
			continue
		}
		next := top.parts[top.at]
		top.parts[top.at] = part{}
		top.at++
		s.emit(next)
	}
	if s.stopped.Load() {
		return errStopped
	}
	return nil
}

func (s *folderSearch) emit(p part) {
	if p.folder != nil {
		s.cursor = append(s.cursor, p.folder)
	}
	if len(p.text) > 0 {
		if s.begun {
			s.c.Out.Write(s.between)
		}
		s.begun = true
		s.c.Out.Write(p.text)
	}
	if p.message != "" {
		io.WriteString(s.c.Err, p.message)
	}
	if s.c.Out.err != nil {
		s.stop()
	}
}
