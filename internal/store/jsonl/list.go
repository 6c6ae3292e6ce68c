package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Info is what a list shows of a session. It is found without reading the
// messages: Messages counts lines, Title is the beginning of what the user said
// first, Model is the one that spoke last.
type Info struct {
	Metadata
	Path     string
	Written  time.Time // the last time
	Messages int
	Title    string
	Model    string
	Size     int64 // bytes
	Err      error // what is wrong with the file; the rest is what could be found out
}

// Project is a folder with the sessions on it, newest first.
type Project struct {
	CWD      string // "": the sessions do not say
	Sessions []Info
}

// List returns the sessions on the folder cwd, the one written to last first.
func (s *Store) List(cwd string) ([]Info, error) {
	cwd, err := absolute(cwd)
	if err != nil {
		return nil, err
	}
	infos, err := s.list(projectName(cwd))
	return slices.DeleteFunc(infos, func(i Info) bool { return i.CWD != "" && !sameFolder(i.CWD, cwd) }), err
}

// Latest returns the session on the folder cwd that was written to last, among
// those that can be gone on with. That it is in use by another process shows
// when it is opened: going on with an older one instead would be a surprise.
func (s *Store) Latest(cwd string) (Info, error) {
	infos, err := s.List(cwd)
	if err != nil {
		return Info{}, err
	}
	for _, info := range infos {
		if info.Messages > 0 {
			return info, nil
		}
	}
	return Info{}, fmt.Errorf("%s: %w; begin one", cwd, ErrNone)
}

// Projects returns the sessions of all projects, the project written to last
// first.
func (s *Store) Projects() ([]Project, error) {
	infos, err := s.list("*")
	var projects []Project
	for _, info := range infos {
		i := slices.IndexFunc(projects, func(p Project) bool { return sameFolder(p.CWD, info.CWD) })
		if i < 0 {
			i = len(projects)
			projects = append(projects, Project{CWD: info.CWD})
		}
		projects[i].Sessions = append(projects[i].Sessions, info)
	}
	return projects, err
}

// Find returns the session whose id is, or begins with, the one given.
func (s *Store) Find(id string) (Info, error) {
	paths, err := s.paths("*")
	if err != nil {
		return Info{}, err
	}
	var found []string
	for _, path := range paths {
		if _, name := parseFileName(path); id != "" && strings.HasPrefix(name, id) {
			found = append(found, path)
		}
	}
	switch len(found) {
	case 0:
		return Info{}, fmt.Errorf("%s: %w", id, ErrNone)
	case 1:
		return inspect(found[0]), nil
	}
	return Info{}, fmt.Errorf("%s: %w: give more of it", id, ErrSeveral)
}

// paths are the session files in the folders of a name.
func (s *Store) paths(project string) ([]string, error) {
	folders := []string{project}
	if project == "*" {
		entries, err := os.ReadDir(s.root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list the sessions: %w", err)
		}
		folders = folders[:0]
		for _, e := range entries {
			if e.IsDir() {
				folders = append(folders, e.Name())
			}
		}
	}
	var paths []string
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(s.root, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list the sessions: %w", err)
		}
		for _, e := range entries {
			if !e.IsDir() && strings.HasSuffix(e.Name(), extension) {
				paths = append(paths, filepath.Join(s.root, folder, e.Name()))
			}
		}
	}
	return paths, nil
}

func (s *Store) list(project string) ([]Info, error) {
	paths, err := s.paths(project)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, len(paths))
	inParallel(len(paths), func(i int) { infos[i] = inspect(paths[i]) })
	slices.SortFunc(infos, func(a, b Info) int {
		if c := b.Written.Compare(a.Written); c != 0 {
			return c
		}
		return strings.Compare(filepath.Base(b.Path), filepath.Base(a.Path))
	})
	return infos, nil
}
