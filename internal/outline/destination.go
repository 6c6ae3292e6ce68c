package outline

import (
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// destination reads the target of a Markdown link. It is false for what names
// no file: a URL, or nothing.
func destination(s string) (Link, bool) {
	if hasScheme(s) || strings.HasPrefix(s, "//") {
		return Link{}, false
	}
	end := anchorAt(s)
	l := Link{End: end, Target: decode(s[:end]), raw: s[:end]}
	if _, anchor, ok := strings.Cut(s[end:], "#"); ok {
		l.Anchor = decode(anchor)
	}
	return l, l.Target != "" || l.Anchor != ""
}

// anchorAt is where the path ends: at its "#", or at a "?" behind an extension.
// Without one before it, the "?" is a part of the name, as in "why?.md".
func anchorAt(s string) int {
	for i := 0; i < len(s); i++ {
		if n := entity(s[i:]); n > 0 {
			i += n - 1 // "&#40;" is no anchor
			continue
		}
		if s[i] == '#' || s[i] == '?' && (i == 0 || path.Ext(s[:i]) != "") {
			return i
		}
	}
	return len(s)
}

// hasScheme tells whether s begins as an absolute URL does.
func hasScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// entity is the length of the character reference at the start of s, or 0.
func entity(s string) int {
	const longest = 33 // &CounterClockwiseContourIntegral;
	if s[0] != '&' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 0 {
		return 0
	}
	// Without its semicolon "&copy" is none here, although it is one in HTML.
	if c := html.UnescapeString(s[:end+1]); c == s[:end+1] || len(c) > 1 && strings.HasSuffix(c, ";") {
		return 0
	}
	return end + 1
}

// decode is what a destination stands for: without the escapes of Markdown,
// then without those of URLs.
func decode(s string) string { return percentDecode(unescape(s)) }

// unescape takes the backslashes and the character references of Markdown away.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if n := entity(s[i:]); n > 0 {
			b.WriteString(html.UnescapeString(s[i : i+n]))
			i += n - 1
			continue
		}
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// percentDecode decodes "%20" and the like. What is not written so stays, and
// all of it stays if the result would be no text.
func percentDecode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return string(appendDecoded(nil, []byte(s)))
}

// appendDecoded appends what percentDecode makes of s.
func appendDecoded(out, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			out = append(out, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	if !utf8.Valid(out) {
		return append(out[:0], s...)
	}
	return out
}

// Spell writes target as it must stand between Start and End of the link, in
// the link's own style: parts of the path that it has already keep their
// spelling. It is false if this kind of link cannot name the target.
func (l Link) Spell(target string) (string, bool) {
	if target == l.Target {
		return l.raw, true
	}
	if l.Kind.IsWiki() {
		return l.spellWiki(target)
	}
	have := map[string]string{}
	for part := range strings.SplitSeq(l.raw, "/") {
		have[decode(part)] = part
	}
	parts := strings.Split(target, "/")
	for i, part := range parts {
		if raw, ok := have[part]; ok {
			parts[i] = raw
		} else {
			parts[i] = l.escape(part)
		}
	}
	s := strings.Join(parts, "/")
	if !l.names(s, target) {
		for i, part := range strings.Split(target, "/") {
			parts[i] = l.escape(part)
		}
		s = strings.Join(parts, "/")
	}
	return s, l.names(s, target)
}

func (l Link) spellWiki(target string) (string, bool) {
	if strings.ContainsAny(target, "[]|#^\n\r") || strings.TrimSpace(target) != target || target == "" {
		return "", false
	}
	switch l.quote {
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(target), true
	case '\'':
		return strings.ReplaceAll(target, "'", "''"), true
	}
	return target, !strings.HasSuffix(target, `\`)
}

// names tells whether a destination that is written s has just this target.
func (l Link) names(s, target string) bool {
	got, ok := destination(s)
	if !ok || got.Target != target || got.raw != s {
		return false
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ' || c == 0x7f || l.angle && (c == '<' || c == '>'):
			return false
		case l.angle:
		case c == ' ' || i == 0 && c == '<':
			return false
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// escape writes a part of a path for a destination. Characters that are not
// ASCII are escaped only where the link has escaped ones already.
func (l Link) escape(part string) string {
	special := "%#?\\`<>\"[]|"
	if !l.angle {
		special += " "
		if !balanced(part) {
			special += "()"
		}
	}
	if hasScheme(part) {
		special += ":"
	}
	foreign := foreignEscape.MatchString(l.raw)
	var b strings.Builder
	for i := range len(part) {
		c := part[i]
		escaped := c < ' ' || c == 0x7f || strings.IndexByte(special, c) >= 0
		if escaped || c >= utf8.RuneSelf && foreign || entity(part[i:]) > 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// foreignEscape is a character that is not ASCII, escaped.
var foreignEscape = regexp.MustCompile(`%[89a-fA-F][0-9a-fA-F]`)

func balanced(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
