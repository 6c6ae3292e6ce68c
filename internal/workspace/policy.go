package workspace

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// Access is what somebody wants to do with a path. To list or to search a
// file is to read it.
type Access int

const (
	Reading Access = iota
	Writing
)

// Verdict is a policy's answer.
type Verdict int

// The verdicts, mildest first.
const (
	Allow Verdict = iota
	Ask           // allowed once the user has said so
	Deny
)

// Rule closes names to tools. A name is matched without regard to case,
// Unicode form, invisible characters, and the dots and blanks at its end that
// some systems drop.
type Rule struct {
	Key      string   // the setting that holds the patterns, named in refusals
	Code     Code     // of the refusal
	Patterns []string // globs for one component of a path, in lower case
	Read     Verdict
	Write    Verdict
}

// Policy says which paths tools may see. It binds tools, not the ledger. The
// zero value allows everything; a Policy is made by NewPolicy and never
// changes.
type Policy struct {
	rules  []compiledRule
	allow  []string
	closed func(path string) bool // what is closed besides; nil: nothing
}

// Names that no policy of ours leaves open.
var (
	internalNames  = []string{".redline", ".midlight", ".git", "git~1"}
	sensitiveNames = []string{".env*", "*credentials*", "*secret*", ".ssh"}
	systemNames    = []string{".ds_store", "thumbs.db"}
	hiddenNames    = []string{".[^.]*"} // two leading dots are odd, not hidden
)

// The rules of the two policies.
var (
	internalRule  = Rule{"paths.internal", Internal, internalNames, Deny, Deny}
	sensitiveRule = Rule{"paths.sensitive", Sensitive, sensitiveNames, Deny, Deny}
	systemRule    = Rule{"paths.system", SystemFile, systemNames, Deny, Deny}
	hiddenRule    = Rule{"paths.hidden", Hidden, hiddenNames, Deny, Deny}
	hiddenAsk     = Rule{"paths.hidden", Hidden, hiddenNames, Allow, Ask}
)

// ForDocuments is for notes and stories: hidden, secret and system files do
// not exist.
func ForDocuments() *Policy {
	return mustPolicy(internalRule, sensitiveRule, systemRule, hiddenRule)
}

// ForCode is for projects: hidden files are read freely and written after
// asking; secrets stay closed.
func ForCode() *Policy {
	return mustPolicy(internalRule, sensitiveRule, hiddenAsk)
}

func mustPolicy(rules ...Rule) *Policy {
	p, err := NewPolicy(rules, nil)
	if err != nil {
		panic(err)
	}
	return p
}

// NewPolicy makes a policy of rules. A path that matches one of allow, globs
// for whole paths ("**" spans folders), is let through unless a rule with the
// code Internal closes it.
func NewPolicy(rules []Rule, allow []string) (*Policy, error) {
	p := &Policy{allow: allow}
	for _, g := range allow {
		if !doublestar.ValidatePattern(g) {
			return nil, fmt.Errorf("paths.allow: %q is not a glob", g)
		}
	}
	for _, r := range rules {
		c := compiledRule{Rule: r}
		for _, g := range r.Patterns {
			if _, err := path.Match(g, ""); err != nil || strings.Contains(g, "/") {
				return nil, fmt.Errorf("%s: %q is not a glob for one name", r.Key, g)
			}
			c.match = append(c.match, compileName(strings.ToLower(g)))
		}
		p.rules = append(p.rules, c)
	}
	return p, nil
}

// Closing returns the policy with more paths closed: those of which closed says so,
// and all that is in them.
func (p *Policy) Closing(closed func(path string) bool) *Policy {
	q := Policy{closed: closed}
	if p != nil {
		q.rules, q.allow = p.rules, p.allow
	}
	return &q
}

// Check says whether a tool may have access to path: the strictest verdict
// over all its components, with the error to return when it is not Allow.
func (p *Policy) Check(q Path, a Access) (Verdict, error) {
	if p == nil {
		return Allow, nil
	}
	worst, at := Allow, (*compiledRule)(nil)
	pattern := ""
	for _, name := range q.components() {
		name := foldName(name)
		for i := range p.rules {
			r := &p.rules[i]
			v := r.verdict(a)
			// Of two that close a path the one without exceptions counts.
			if v < worst || v == worst && (worst == Allow || r.Code != Internal || at.Code == Internal) {
				continue
			}
			if g, ok := r.matches(name); ok {
				worst, at, pattern = v, r, g
			}
		}
	}
	if worst == Allow || at.Code != Internal && p.excepted(q) {
		return p.checkClosed(q)
	}
	if worst == Ask {
		if v, err := p.checkClosed(q); v == Deny {
			return v, err
		}
	}
	reason := "closed to tools"
	if worst == Ask {
		reason = "needs the user's permission"
	}
	return worst, &Error{Code: at.Code, Path: q.String(), Reason: reason, Rule: pattern, Key: at.Key}
}

// checkClosed asks for q and for the folders on the way to it.
func (p *Policy) checkClosed(q Path) (Verdict, error) {
	for at := q; p.closed != nil && !at.IsRoot(); at = at.Parent() {
		if p.closed(at.String()) {
			return Deny, &Error{Code: Ruled, Path: q.String(), Reason: "closed to tools by a rule"}
		}
	}
	return Allow, nil
}

// shows tells whether the entry name of dir may be listed, given that dir may.
func (p *Policy) shows(dir Path, name string) bool {
	if p == nil {
		return true
	}
	folded := foldName(name)
	for i := range p.rules {
		r := &p.rules[i]
		if r.Read != Deny {
			continue
		}
		if _, ok := r.matches(folded); ok {
			if r.Code == Internal || !p.excepted(dir.child(name)) {
				return false
			}
			break
		}
	}
	return p.closed == nil || !p.closed(dir.child(name).String())
}

// excepted tells whether q, or a folder on the way to it, is in the allow
// list.
func (p *Policy) excepted(q Path) bool {
	for ; len(p.allow) > 0 && !q.IsRoot(); q = q.Parent() {
		for _, g := range p.allow {
			if ok, _ := doublestar.Match(g, q.rel); ok {
				return true
			}
		}
	}
	return false
}

type compiledRule struct {
	Rule
	match []func(string) bool // one for each pattern
}

func (r *compiledRule) verdict(a Access) Verdict {
	if a == Writing {
		return r.Write
	}
	return r.Read
}

// matches takes a folded name.
func (r *compiledRule) matches(name string) (pattern string, ok bool) {
	stream, _, hasStream := strings.Cut(name, ":") // "name:stream" of NTFS is the same file
	if hasStream {
		stream = trimEnd(stream)
	}
	for i, m := range r.match {
		if m(name) || hasStream && m(stream) {
			return r.Patterns[i], true
		}
	}
	return "", false
}

// compileName makes a matcher; the plain shapes need no glob.
func compileName(g string) func(string) bool {
	inner := strings.Trim(g, "*")
	switch {
	case strings.ContainsAny(inner, `*?[\`):
		start := g[:strings.IndexAny(g, `*?[\`)]
		return func(s string) bool {
			if !strings.HasPrefix(s, start) {
				return false // most names, without the cost of a glob
			}
			ok, _ := path.Match(g, s)
			return ok
		}
	case g == inner:
		return func(s string) bool { return s == g }
	case g == inner+"*":
		return func(s string) bool { return strings.HasPrefix(s, inner) }
	case g == "*"+inner:
		return func(s string) bool { return strings.HasSuffix(s, inner) }
	}
	return func(s string) bool { return strings.Contains(s, inner) }
}

// foldName brings the spellings that some file system takes for one name into
// one form.
func foldName(name string) string {
	for i := 0; i < len(name); i++ {
		if name[i] >= utf8.RuneSelf {
			name = norm.NFKC.String(strings.Map(visible, name))
			break
		}
	}
	return trimEnd(strings.ToLower(name))
}

// trimEnd cuts off the dots and blanks that Windows drops at the end.
func trimEnd(name string) string {
	for name != "" && (name[len(name)-1] == '.' || name[len(name)-1] == ' ') {
		name = name[:len(name)-1]
	}
	return name
}

// visible drops the characters that do not show.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return -1
	}
	return r
}

// Without is the policy that closes some names, in lower case, and nothing
// else. It is for looking at everything that is the user's.
func Without(names ...string) *Policy {
	return mustPolicy(Rule{Key: "paths.internal", Code: Internal, Patterns: names, Read: Deny, Write: Deny})
}
