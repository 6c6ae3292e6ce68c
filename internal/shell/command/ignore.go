package command

import (
	"strings"
)

// ignoreRule is a line of an ignore file, as git reads it.
type ignoreRule struct {
	*glob
	keep     bool // it begins with an exclamation mark
	dirs     bool // only folders
	anchored bool // the path from the ignore file is matched, not the name
	// above is the path from the folder of the ignore file to where the search began,
	// with a slash, if that is below.
	above string
}

// ignoreFiles are the names of ignore files; those behind count more.
var ignoreFiles = []string{".gitignore", ".ignore", ".rgignore"}

// parseIgnore reads an ignore file.
func parseIgnore(data []byte, above string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(string(data)) {
		if r, ok := newIgnoreRule(strings.TrimRight(line, "\r\n"), globStyle{path: true}); ok {
			r.above = above
			rules = append(rules, r)
		}
	}
	return rules
}

func newIgnoreRule(line string, style globStyle) (ignoreRule, bool) {
	if strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	if trimmed := strings.TrimRight(line, " \t"); !strings.HasSuffix(trimmed, `\`) {
		line = trimmed
	}
	var r ignoreRule
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.keep, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.dirs, line = true, rest
	}
	if rest, ok := strings.CutPrefix(line, "/"); ok {
		r.anchored, line = true, rest
	}
	if line == "" {
		return ignoreRule{}, false
	}
	r.anchored = r.anchored || strings.Contains(line, "/")
	r.glob = newGlob(line, style)
	return r, true
}

// matches tells whether the rule is about a name. rel is its path from the folder of
// the rule, or from where the search began if that is below.
func (r ignoreRule) matches(rel, name string, dir bool) bool {
	if r.dirs && !dir {
		return false
	}
	if r.anchored {
		return r.match(r.above + rel)
	}
	return r.match(name)
}

// verdict is what rules say about a name.
type verdict int

const (
	unsaid verdict = iota
	skipped
	kept
)

// judge lets the last rule that matches decide.
func judge(rules []ignoreRule, rel, name string, dir bool) verdict {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].matches(rel, name, dir) {
			if rules[i].keep {
				return kept
			}
			return skipped
		}
	}
	return unsaid
}

// judged is what the ignore files of a place and of those around it say.
func (p *place) judged(name string, dir bool) verdict {
	full := p.shown + name
	for around := p; around != nil; around = around.around {
		if v := judge(around.rules, strings.TrimPrefix(full, around.shown), name, dir); v != unsaid {
			return v
		}
	}
	return unsaid
}
