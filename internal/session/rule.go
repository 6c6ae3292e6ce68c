package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// Verdict is what a rule says of a call.
type Verdict string

// The verdicts, from the mildest to the strictest.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

func (v Verdict) strictness() int {
	return slices.Index([]Verdict{"", Allow, Ask, Deny}, v)
}

// Rule says what becomes of calls of some tools on some paths.
//
// Globs are those of doublestar: * stays in one folder, ** does not, {a,b} is one
// of several. A path without any of * ? [ { \ is a file, or a folder with all
// that is in it. Paths are relative to the folder, and a slash at the start
// changes nothing. Upper and lower case are the same, as they are on some systems.
type Rule struct {
	Tool    string  `json:"tool,omitempty"` // a name or a glob of names; "": any
	Path    string  `json:"path,omitempty"` // "": any
	Verdict Verdict `json:"verdict"`
}

func (r Rule) String() string {
	var parts []string
	if r.Tool != "" {
		parts = append(parts, "tool "+display(r.Tool))
	}
	if r.Path != "" {
		parts = append(parts, "path "+display(r.Path))
	}
	if parts == nil {
		parts = []string{"any call"}
	}
	return string(r.Verdict) + " " + strings.Join(parts, ", ")
}

// Rules are the rules of custom mode. The doc of this package tells which wins.
type Rules []Rule

// Check reports the first rule that cannot be used. One that could never match is
// an error too: it would be missed only when it is too late.
func (r Rules) Check() error {
	for i, rule := range r {
		if err := rule.check(); err != nil {
			return fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return nil
}

func (r Rule) check() error {
	switch {
	case r.Verdict != Allow && r.Verdict != Ask && r.Verdict != Deny:
		return fmt.Errorf("there is no verdict %q; choose allow, ask or deny", r.Verdict)
	case !doublestar.ValidatePattern(r.Tool):
		return fmt.Errorf("the tool %q is no name and no glob", r.Tool)
	case strings.Contains(r.Tool, "/"):
		return fmt.Errorf("no tool is called %q; a path goes into path", r.Tool)
	case !doublestar.ValidatePattern(pattern(r.Path)):
		return fmt.Errorf("the path %q is no glob; use a pattern such as drafts/**", r.Path)
	case slices.Contains(strings.Split(r.Path, "/"), ".."):
		return fmt.Errorf("the path %q leads out of the folder; name it as seen from the folder", r.Path)
	}
	return nil
}

// pattern is the path of a rule in the form that is compared.
func pattern(p string) string {
	if p == "" {
		return ""
	}
	for trimmed := ""; trimmed != p; {
		trimmed = p
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
	}
	if p == "" || p == "." {
		return "**" // the folder itself
	}
	if folder, ok := strings.CutSuffix(p, "/"); ok {
		p = strings.TrimRight(folder, "/") + "/**"
	}
	return fold(p)
}

func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// candidate is a rule whose tool fits, ready to be compared with paths.
type candidate struct {
	Rule
	glob string
}

// fits reports whether the rule speaks of a path that was folded.
func (c candidate) fits(path string) bool {
	switch {
	case c.glob == "":
		return true
	case !strings.ContainsAny(c.glob, `*?[{\`):
		return path == c.glob || strings.HasPrefix(path, c.glob+"/")
	}
	return doublestar.MatchUnvalidated(c.glob, path)
}

// everywhere reports whether the rule speaks of every path.
func (c candidate) everywhere() bool {
	return c.glob == "" || c.glob == "**" || c.glob == "**/*"
}

// kind is the smaller the more specific the rule is.
func (r Rule) kind() int {
	switch {
	case r.Tool != "" && r.Path != "":
		return 0
	case r.Path != "":
		return 1
	case r.Tool != "":
		return 2
	}
	return 3
}

// Ruling is what rules say of a call.
type Ruling struct {
	Verdict Verdict // the strictest for all its paths; "": no rule speaks
	Rule    Rule    // the rule that says so
	Silent  bool    // of some path, or of the call, no rule speaks
}

// Of says what becomes of a call of the tool that touches just these paths.
func (r Rules) Of(tool string, paths ...string) Ruling {
	list := r.candidates(tool)
	var out Ruling
	if len(paths) == 0 {
		out.add(list, func(c candidate) bool { return c.glob == "" })
	}
	for _, p := range paths {
		p = fold(p)
		out.add(list, func(c candidate) bool { return c.fits(p) })
	}
	return out
}

// Closes reports whether the rules deny a path to all tools. Such a path is
// closed: it is not read, listed or found either. A rule that lets one tool have
// it keeps it open for reading.
func (r Rules) Closes(path string) bool {
	path = fold(path)
	denied, decided := false, false
	for _, rule := range r {
		switch c := (candidate{rule, pattern(rule.Path)}); {
		case rule.Path == "" || !c.fits(path):
		case rule.Tool != "" && rule.Verdict != Deny:
			return false
		case rule.Tool == "" && !decided:
			denied, decided = rule.Verdict == Deny, true
		}
	}
	return denied
}

// OfAny says what becomes of a call of the tool that may touch any path.
func (r Rules) OfAny(tool string) Ruling {
	var out Ruling
	for _, c := range r.candidates(tool) {
		verdict := c.Verdict
		if verdict == Deny && !c.everywhere() {
			verdict = Ask // nobody knows whether it is meant
		}
		out.say(verdict, c.Rule)
		if c.everywhere() {
			return out
		}
	}
	out.Silent = true
	return out
}

// candidates lists the rules for a tool, those of the most specific kind first.
func (r Rules) candidates(tool string) []candidate {
	var list []candidate
	for _, rule := range r {
		if rule.Tool == "" || doublestar.MatchUnvalidated(rule.Tool, tool) {
			list = append(list, candidate{rule, pattern(rule.Path)})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.kind() - b.kind() })
	return list
}

// add takes the first rule that fits into account.
func (out *Ruling) add(list []candidate, fits func(candidate) bool) {
	i := slices.IndexFunc(list, fits)
	if i < 0 {
		out.Silent = true
		return
	}
	out.say(list[i].Verdict, list[i].Rule)
}

func (out *Ruling) say(v Verdict, rule Rule) {
	if v.strictness() > out.Verdict.strictness() {
		out.Verdict, out.Rule = v, rule
	}
}
