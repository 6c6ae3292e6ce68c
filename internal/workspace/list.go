package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// Listed is a file or folder in a list.
type Listed struct {
	Path Path
	Entry
}

// List returns what a walk meets, folders included, each folder just before
// what is in it and the names in a folder in order.
func (f *Folder) List(ctx context.Context, o WalkOptions) ([]Listed, error) {
	var mu sync.Mutex
	dirs := map[Path][]Entry{}
	n := 0
	err := f.Walk(ctx, o, func(_ int, v *Visited) error {
		mu.Lock()
		defer mu.Unlock()
		dirs[v.Path] = v.Entries
		n += len(v.Entries)
		return nil
	})
	list := make([]Listed, 0, n)
	var down func(p Path)
	down = func(p Path) {
		for _, e := range dirs[p] {
			child := p.child(e.Name)
			list = append(list, Listed{child, e})
			if e.IsDir() {
				down(child)
			}
		}
	}
	down(o.Under)
	return list, err
}

// Glob returns the files and folders whose path matches pattern: "*" stays in
// one folder, "**" spans folders, "{a,b}" are alternatives. It costs as much
// as the part of the tree that the pattern names.
func (f *Folder) Glob(ctx context.Context, pattern string, o WalkOptions) ([]Listed, error) {
	glob, err := ParseGlob(pattern)
	if err != nil {
		return nil, err
	}
	if base := glob.base(); base.Within(o.Under) {
		o.Under = base
	}
	if info, err := f.Stat(o.Under); err != nil || !info.IsDir() {
		if c := CodeOf(err); err != nil && c != NotFound && c != NotDirectory && c != IsLink {
			return nil, err
		}
		return nil, nil
	}
	list, err := f.List(ctx, o)
	return slices.DeleteFunc(list, func(l Listed) bool { return !glob.Match(l.Path) }), err
}

// Glob is a pattern for paths of the folder.
type Glob struct{ pattern string }

// Limits of a pattern: more is no pattern that somebody means.
const (
	maxGlob      = 1000
	maxGlobAlts  = 64 // alternatives in braces, over the whole pattern
	maxGlobStars = 32
)

// ParseGlob reads a pattern. One that names something outside the folder, or
// that would take long to match, is refused.
func ParseGlob(pattern string) (Glob, error) {
	bad := func(code Code, reason string) (Glob, error) {
		return Glob{}, &Error{Code: code, Path: pattern, Reason: reason}
	}
	clean := strings.TrimPrefix(pattern, "./")
	switch {
	case len(pattern) > maxGlob || strings.Count(pattern, ",") > maxGlobAlts || strings.Count(pattern, "{") > maxGlobAlts || strings.Count(pattern, "*") > maxGlobStars:
		return bad(InvalidPath, "the pattern is too large")
	case strings.HasPrefix(clean, "/"):
		return bad(OutsideFolder, "an absolute pattern; patterns are relative to the folder")
	case slices.ContainsFunc(strings.FieldsFunc(clean, func(r rune) bool { return r == '/' || r == '{' || r == ',' || r == '}' }), func(s string) bool { return s == ".." }):
		return bad(OutsideFolder, "leads out of the folder")
	case clean == "" || !doublestar.ValidatePattern(clean):
		return bad(InvalidPath, "not a valid pattern")
	}
	if err := checkNesting(clean); err != nil {
		return bad(InvalidPath, err.Error())
	}
	return Glob{strings.TrimSuffix(clean, "/")}, nil
}

// checkNesting bounds braces inside braces, whose cost multiplies.
func checkNesting(pattern string) error {
	depth := 0
	for _, r := range pattern {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth > 3 {
			return fmt.Errorf("braces are nested too deeply")
		}
	}
	return nil
}

// Match tells whether p matches.
func (g Glob) Match(p Path) bool {
	ok, _ := doublestar.Match(g.pattern, p.rel)
	return ok
}

// base is the folder that everything which matches lies in.
func (g Glob) base() Path {
	dir, _ := doublestar.SplitPattern(g.pattern)
	p, err := ParsePath(dir)
	if err != nil {
		return Path{}
	}
	return p
}
