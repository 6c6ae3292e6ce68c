package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFiles are the files whose patterns hide files from listing and search,
// in the syntax of .gitignore; the later one wins.
var ignoreFiles = []string{".gitignore", ".redlineignore"}

// ignorer decides for one directory and what lies below it. Deeper directories
// have their own, linked to this one.
type ignorer struct {
	parent *ignorer
	base   Path // the directory of the ignore file
	rules  []ignoreRule
}

type ignoreRule struct {
	glob    string // for the path below base
	plain   string // glob without wildcards: the name to compare, or ""
	name    bool   // the pattern has no slash: it goes for names at any depth
	negated bool
	dirOnly bool
}

// below returns the ignorer for the directory p whose ignore files say rules.
func (ig *ignorer) below(p Path, rules []ignoreRule) *ignorer {
	if len(rules) == 0 {
		return ig
	}
	return &ignorer{parent: ig, base: p, rules: rules}
}

// ignores tells whether the entry name of dir is hidden. Entries of a hidden
// directory are never asked about: the walk does not go there.
func (ig *ignorer) ignores(dir Path, name string, isDir bool) bool {
	for ; ig != nil; ig = ig.parent {
		rel := dir.child(name).rel
		if !ig.base.IsRoot() {
			rel = rel[len(ig.base.rel)+1:]
		}
		for i := len(ig.rules) - 1; i >= 0; i-- { // the last match decides
			if r := &ig.rules[i]; r.matches(rel, name, isDir) {
				return !r.negated
			}
		}
	}
	return false
}

func (r *ignoreRule) matches(rel, name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	subject := rel
	if r.name {
		subject = name
	}
	if r.plain != "" {
		return subject == r.plain
	}
	ok, _ := doublestar.Match(r.glob, subject)
	return ok
}

// parseIgnore reads the lines of an ignore file. Lines that are no pattern are
// passed over, as git does.
func parseIgnore(data []byte) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		if r, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	var r ignoreRule
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.negated, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.dirOnly, line = true, rest
	}
	r.name = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	// A run of stars that is not a whole component is one star to git.
	parts := strings.Split(line, "/")
	for i, part := range parts {
		if part != "**" {
			for strings.Contains(part, "**") {
				part = strings.ReplaceAll(part, "**", "*")
			}
		}
		parts[i] = part
	}
	// "a/**" is everything in a, but not a itself.
	if n := len(parts); n > 1 && parts[n-1] == "**" {
		parts = append(parts[:n-1], "*", "**")
	}
	r.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.Join(parts, "/"))
	if !strings.ContainsAny(line, `*?[\`) {
		r.plain = line
	}
	return r, doublestar.ValidatePattern(r.glob)
}

// trimBlanks cuts unescaped blanks off the end.
func trimBlanks(s string) string {
	for strings.HasSuffix(s, " ") {
		before := s[:len(s)-1]
		slashes := len(before) - len(strings.TrimRight(before, `\`))
		if slashes%2 == 1 {
			break
		}
		s = before
	}
	return s
}
