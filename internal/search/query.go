package search

import (
	"context"
	"fmt"
	"strings"

	"redline/internal/workspace"
)

// Query says what to find, where, and how much of it.
type Query struct {
	Pattern
	Scope

	Context    int // lines to show before and behind a match
	MaxLines   int // of a hit; 0 means 20. Matches whose context overlaps share one.
	MaxLine    int // bytes that are shown of a line; 0 means 500
	MaxHits    int // over all files, the first by path; 0 means all
	MaxPerFile int // hits of one file; 0 means all

	// Found, if set, is told of files with hits as they come: in no order, one
	// at a time, also of such as MaxHits leaves out in the end.
	Found func(File)
}

// Scope says which files to look at.
type Scope struct {
	Under workspace.Path // the folder to search; the zero value is all
	// Include and Exclude are globs for paths from the top, where "**" spans
	// folders. One without a slash is for names at any depth, one that ends in a
	// slash for all that is in a folder. What Exclude matches is left out
	// whatever Include says, a folder with all that is in it.
	Include, Exclude []string
}

// View is the folder as its reader sees it.
type View struct {
	Folder  *workspace.Folder
	Policy  *workspace.Policy // what is closed for reading does not exist; nil closes nothing
	Changes []Change          // what is not on the disk, or is there no longer
}

// Change is a path whose file is not what the disk has there.
type Change struct {
	Path workspace.Path
	// Read gives the file's content, at the moment when it is searched. It is
	// nil where there is no file any more.
	Read func(context.Context) ([]byte, error)
}

// The defaults of a query.
const (
	defaultLines = 20
	defaultLine  = 500
)

// withDefaults checks the numbers and fills in those that are 0.
func (q Query) withDefaults() (Query, error) {
	for name, n := range map[string]int{"context": q.Context, "lines": q.MaxLines, "line": q.MaxLine, "hits": q.MaxHits, "hits per file": q.MaxPerFile} {
		if n < 0 {
			return q, fmt.Errorf("the limit for %s is negative", name)
		}
	}
	if q.MaxLines == 0 {
		q.MaxLines = defaultLines
	}
	if q.MaxLine == 0 {
		q.MaxLine = defaultLine
	}
	q.Context = min(q.Context, (q.MaxLines-1)/2)
	return q, nil
}

// hitsOfFile is how many hits of one file can be of use, or 0. One more than
// MaxHits proves that there are more.
func (q Query) hitsOfFile() int {
	switch {
	case q.MaxHits == 0:
		return q.MaxPerFile
	case q.MaxPerFile == 0:
		return q.MaxHits + 1
	}
	return min(q.MaxPerFile, q.MaxHits+1)
}

// scope is a Scope that was checked.
type scope struct {
	under            workspace.Path
	include, exclude []workspace.Glob
	within           []workspace.Path // the folders that the include globs are about
}

func (s Scope) compile() (*scope, error) {
	c := &scope{under: s.Under}
	for _, g := range s.Include {
		glob, err := parseGlob(g)
		if err != nil {
			return nil, err
		}
		c.include = append(c.include, glob)
		c.within = append(c.within, fixedPart(anywhere(g)))
	}
	for _, g := range s.Exclude {
		glob, err := parseGlob(g)
		if err != nil {
			return nil, err
		}
		c.exclude = append(c.exclude, glob)
	}
	return c, nil
}

func parseGlob(pattern string) (workspace.Glob, error) {
	if _, err := workspace.ParseGlob(pattern); err != nil {
		return workspace.Glob{}, err // about the pattern as it was given
	}
	return workspace.ParseGlob(anywhere(pattern))
}

// anywhere spells out what a glob means.
func anywhere(glob string) string {
	if !strings.Contains(strings.TrimSuffix(glob, "/"), "/") {
		glob = "**/" + glob
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	return glob
}

// fixedPart is the folder that all which matches a glob lies in.
func fixedPart(glob string) workspace.Path {
	var fixed []string
	names := strings.Split(strings.TrimPrefix(glob, "./"), "/")
	for _, name := range names[:len(names)-1] {
		if strings.ContainsAny(name, `*?[{\`) {
			break
		}
		fixed = append(fixed, name)
	}
	p, err := workspace.ParsePath(strings.Join(fixed, "/"))
	if err != nil {
		return workspace.Path{}
	}
	return p
}

// wants tells whether the file p is to be looked at, given that the folder it is
// in is.
func (s *scope) wants(p workspace.Path) bool {
	return (len(s.include) == 0 || matchesAny(s.include, p)) && !matchesAny(s.exclude, p)
}

// enters tells whether there can be files to look at in the folder p, given that
// the one it is in can have some.
func (s *scope) enters(p workspace.Path) bool {
	if matchesAny(s.exclude, p) {
		return false
	}
	for _, dir := range s.within {
		if dir.Within(p) || p.Within(dir) {
			return true
		}
	}
	return len(s.within) == 0
}

// holds tells whether the file p is to be looked at.
func (s *scope) holds(p workspace.Path) bool {
	if !p.Within(s.under) || p == s.under || !s.wants(p) {
		return false
	}
	return s.entersAll(p.Parent())
}

// entersAll asks enters for p and the folders above it.
func (s *scope) entersAll(p workspace.Path) bool {
	for ; !p.IsRoot(); p = p.Parent() {
		if !s.enters(p) {
			return false
		}
	}
	return true
}

func matchesAny(globs []workspace.Glob, p workspace.Path) bool {
	for _, g := range globs {
		if g.Match(p) {
			return true
		}
	}
	return false
}
