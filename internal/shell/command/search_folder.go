package command

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
)

// folderSearch searches all files of a folder, several at once, and writes what was
// found in the order of their names.
type folderSearch struct {
	orderly
	follow bool // symbolic links, too
	// listed is called for each folder that was listed, before enters and wants of its
	// entries; it may be nil.
	listed func(p *place, entries []fs.DirEntry, read func(name string) []byte)
	// enters and wants tell which folders and files are searched.
	enters func(p *place, name string) bool
	wants  func(p *place, name string) bool
	// search searches a file on a worker: it returns what goes to standard output, and
	// a message for standard error.
	search func(worker int, name string, data []byte) (text []byte, message string)
	// named, if it is not nil, takes the place of search: files are not read.
	named func(name string) []byte
	// unread makes the message about a file or folder that cannot be read.
	unread func(name string, err error) string
	// loop makes the message about a link to a folder around it.
	loop func(name string) string

	links   []linked
	buffers [][]byte
}

// linked is a link to a folder, which is searched after all else.
type linked struct {
	target, around string // absolute: the link itself, and the folder it is in
	place          *place
}

var errStopped = errors.New("stopped")

// readAhead is the room for a file in memory that is kept from one to the next; bytes.
const readAhead = 256 << 10

// run searches a folder. shown is what its names begin with; around, if it is not nil,
// has the rules that come from around it.
func (s *folderSearch) run(dir, shown string, around *place) {
	s.buffers = make([][]byte, s.c.Tree.Workers())
	root := &place{shown: shown, around: around}
	if around != nil {
		around.shown = shown
	}
	s.cursor = []*place{root}
	err := s.walk(linked{target: dir, place: root})
	for len(s.links) > 0 && !s.over(err) {
		next := s.links[0]
		s.links = s.links[1:]
		err = s.walk(next)
	}
}

// over tells whether a search was ended.
func (o *orderly) over(err error) bool {
	return o.stopped.Load() || errors.Is(err, errStopped) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// walk searches a folder into a place. It does nothing if the folder is one of those
// around the link that leads to it.
func (s *folderSearch) walk(l linked) error {
	s.places = map[string]*place{}
	first := true
	err := s.c.Tree.Walk(s.c.Context, l.target, func(worker int, dir string, entries []fs.DirEntry, read func(string, []byte) ([]byte, error)) ([]fs.DirEntry, error) {
		p := l.place
		if first { // there is only one at the beginning
			first = false
			if l.around != "" && strings.HasPrefix(l.around+"/", dir+"/") {
				s.add(p, nil, s.loop(strings.TrimSuffix(p.shown, "/")))
				return nil, s.finish(p)
			}
		} else {
			p = s.begin(dir)
		}
		enter, err := s.visit(worker, p, dir, entries, read)
		if err == nil {
			err = s.finish(p)
		}
		return enter, err
	})
	if s.over(err) {
		return err
	}
	if first && err != nil {
		s.places[l.target] = l.place
	}
	s.abandon(func(p *place) string {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return s.unread(strings.TrimSuffix(p.shown, "/"), err)
	})
	return nil
}

func (s *folderSearch) visit(worker int, p *place, dir string, entries []fs.DirEntry, read func(string, []byte) ([]byte, error)) ([]fs.DirEntry, error) {
	if s.buffers[worker] == nil {
		s.buffers[worker] = make([]byte, 0, readAhead)
	}
	load := func(name string) ([]byte, error) { return read(name, s.buffers[worker]) }
	if s.listed != nil {
		s.listed(p, entries, func(name string) []byte {
			data, err := load(name)
			if err != nil {
				return nil
			}
			return data
		})
	}
	var enter []fs.DirEntry
	for _, e := range entries {
		if s.stopped.Load() || s.c.Context.Err() != nil {
			return nil, errStopped
		}
		name := e.Name()
		kind, from := e.Type(), load
		if kind&fs.ModeSymlink != 0 {
			if !s.follow {
				continue
			}
			link := path.Join(dir, name)
			target, err := s.c.Tree.Stat(link)
			if err != nil {
				s.add(p, nil, s.unread(p.shown+name, err))
				continue
			}
			kind, from = target.Mode(), func(string) ([]byte, error) { return s.c.Tree.ReadFile(link) }
		}
		switch {
		case kind.IsDir() && s.enters(p, name) && e.IsDir():
			s.open(p, path.Join(dir, name), name)
			enter = append(enter, e)
		case kind.IsDir() && s.enters(p, name):
			s.later(p, dir, name)
		case kind.IsRegular() && s.wants(p, name):
			s.file(worker, p, name, from)
		}
	}
	return enter, nil
}

// later keeps a link to a folder for the end.
func (s *folderSearch) later(p *place, dir, name string) {
	child := p.child(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links = append(s.links, linked{path.Join(dir, name), dir, child})
}

func (s *folderSearch) file(worker int, p *place, name string, load func(string) ([]byte, error)) {
	shown := p.shown + name
	if s.named != nil {
		s.add(p, s.named(shown), "")
		return
	}
	data, err := load(name)
	if err != nil {
		s.add(p, nil, s.unread(shown, err))
		return
	}
	text, message := s.search(worker, shown, data)
	s.add(p, text, message)
}
