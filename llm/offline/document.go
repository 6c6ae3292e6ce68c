package offline

import (
	"regexp"
	"strings"
	"unicode"
)

// document is a text as it was read, cut into lines.
type document struct {
	path    string
	lines   []string     // without their ends
	ends    []string     // of the lines, where the tool shows them; else nil
	mark    bool         // a byte order mark is in front
	whole   bool         // all of it was read
	cut     map[int]bool // lines of which only the beginning was shown
	hash    string       // that the tool gave
	failure string       // why it was not read
}

const byteOrderMark = "\ufeff"

func (d *document) setText(text string) {
	text, d.mark = strings.CutPrefix(text, byteOrderMark)
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if !strings.HasSuffix(line, "\n") {
			body = line
		}
		d.lines, d.ends = append(d.lines, body), append(d.ends, line[len(body):])
	}
}

// text is the lines with plain ends.
func (d *document) text() string { return strings.Join(d.lines, "\n") }

// blank tells whether there is nothing to read in it.
func (d *document) blank() bool {
	return d.failure == "" && d.whole && strings.TrimSpace(d.text()) == ""
}

// splice replaces the lines from to to, counted from 0 and without the last, by
// others.
type splice struct {
	from, to int
	lines    []string
}

func (s splice) inserts() bool { return s.from == s.to }

// edited is the whole text after the splices, which are in order and apart. Lines
// that are not touched keep their ends.
func (d *document) edited(list []splice) string {
	eol := d.eol()
	var b strings.Builder
	if d.mark {
		b.WriteString(byteOrderMark)
	}
	old := func(from, to int) {
		for i := from; i < to; i++ {
			end := eol
			if d.ends != nil {
				end = d.ends[i]
			}
			b.WriteString(d.lines[i] + end)
		}
	}
	at := 0
	for _, s := range list {
		old(at, s.from)
		if b.Len() > len(byteOrderMark) && !strings.HasSuffix(b.String(), "\n") && len(s.lines) > 0 {
			b.WriteString(eol)
		}
		for i, line := range s.lines {
			end := eol
			// A line that takes the place of another one has its end.
			if k := s.from + i; len(s.lines) == s.to-s.from && d.ends != nil {
				end = d.ends[k]
			}
			b.WriteString(line + end)
		}
		at = s.to
	}
	old(at, len(d.lines))
	text := b.String()
	if n := len(d.ends); n > 0 && d.ends[n-1] == "" {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text
}

// eol is the end that most lines have.
func (d *document) eol() string {
	crlf, lf := 0, 0
	for _, e := range d.ends {
		switch e {
		case "\r\n":
			crlf++
		case "\n":
			lf++
		}
	}
	if crlf > lf {
		return "\r\n"
	}
	return "\n"
}

// frontMatter is how many lines the front matter has, with its marks.
func (d *document) frontMatter() int {
	if len(d.lines) == 0 || strings.TrimRight(d.lines[0], " \t") != "---" {
		return 0
	}
	for i, line := range d.lines[1:] {
		if line = strings.TrimRight(line, " \t"); line == "---" || line == "..." {
			return i + 2
		}
	}
	return 0
}

// property is the value of a key of the front matter.
func (d *document) property(key string) string {
	for _, line := range d.lines[:d.frontMatter()] {
		name, value, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(strings.TrimSpace(name), key) {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// tags are those of the front matter.
func (d *document) tags() []string {
	var list []string
	n := d.frontMatter()
	for i := 0; i < n; i++ {
		name, value, ok := strings.Cut(d.lines[i], ":")
		if !ok || !strings.EqualFold(strings.TrimSpace(name), "tags") || strings.TrimLeft(name, " ") != name {
			continue
		}
		for _, t := range strings.FieldsFunc(strings.Trim(strings.TrimSpace(value), "[]"), func(r rune) bool { return r == ',' || r == ' ' }) {
			list = append(list, strings.Trim(t, `"'#`))
		}
		for k := i + 1; k < n; k++ {
			item, ok := strings.CutPrefix(strings.TrimSpace(d.lines[k]), "- ")
			if !ok {
				break
			}
			list = append(list, strings.Trim(strings.TrimSpace(item), `"'#`))
		}
	}
	return list
}

// code tells of each line whether it belongs to a fenced block of code, with its
// fences, or to the front matter.
func (d *document) code() []bool {
	mask := make([]bool, len(d.lines))
	n := d.frontMatter()
	for i := 0; i < n; i++ {
		mask[i] = true
	}
	fence := ""
	for i := n; i < len(d.lines); i++ {
		line := strings.TrimLeft(d.lines[i], " ")
		if fence != "" {
			mask[i] = true
			if m := fenceLine.FindString(line); strings.HasPrefix(m, fence) && strings.TrimSpace(line[len(m):]) == "" {
				fence = ""
			}
			continue
		}
		if m := fenceLine.FindString(line); m != "" && len(d.lines[i])-len(line) < 4 {
			fence, mask[i] = m, true
		}
	}
	return mask
}

var fenceLine = regexp.MustCompile("^(?:`{3,}|~{3,})")

// heading is a heading of a document.
type heading struct {
	line  int // counted from 0
	last  int // its last line: another one if it is underlined
	level int
	text  string
}

var (
	hashHeading = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline   = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
)

// headings are the headings outside of code.
func (d *document) headings() []heading {
	var list []heading
	code := d.code()
	for i, line := range d.lines {
		if code[i] {
			continue
		}
		if m := hashHeading.FindStringSubmatch(line); m != nil {
			list = append(list, heading{i, i, len(m[1]), strings.TrimSpace(m[2])})
			continue
		}
		if i+1 >= len(d.lines) || code[i+1] || strings.TrimSpace(line) == "" || !plainLine(line) {
			continue
		}
		if i > 0 && !code[i-1] && strings.TrimSpace(d.lines[i-1]) != "" {
			continue // the end of a paragraph; who underlines that means a rule
		}
		if m := underline.FindStringSubmatch(d.lines[i+1]); m != nil && len(m[1]) > 1 {
			level := 2
			if m[1][0] == '=' {
				level = 1
			}
			list = append(list, heading{i, i + 1, level, strings.TrimSpace(line)})
		}
	}
	return list
}

// plainLine tells whether a line is text: no item, quote, table or rule.
func plainLine(line string) bool {
	line = strings.TrimLeft(line, " ")
	return line != "" && !strings.ContainsAny(line[:1], "-*+>|#=") && !listItem.MatchString(line)
}

// title is what the document calls itself: its property title, its first heading
// if that is a level 1, or its name.
func (d *document) title() string {
	if t := d.property("title"); t != "" {
		return t
	}
	if h := d.headings(); len(h) > 0 && h[0].level == 1 && h[0].text != "" {
		return h[0].text
	}
	return nameOf(d.path)
}

// sectionEnd is the line behind the section of a heading: where the next one of
// its level or above begins.
func (d *document) sectionEnd(list []heading, at int) int {
	for _, h := range list[at+1:] {
		if h.level <= list[at].level {
			return h.line
		}
	}
	return len(d.lines)
}

var (
	listItem = regexp.MustCompile(`^(\s*)([-*+]|\d{1,9}[.)])(\s+)(.*)$`)
	todoItem = regexp.MustCompile(`^(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])(\]\s+)(.*)$`)
)

// todo is an item of a list with a box.
type todo struct {
	line int
	done bool
	text string
}

func (d *document) todos() []todo {
	var list []todo
	code := d.code()
	for i, line := range d.lines {
		if m := todoItem.FindStringSubmatch(line); m != nil && !code[i] && strings.TrimSpace(m[4]) != "" {
			list = append(list, todo{i, m[2] != " ", strings.TrimSpace(m[4])})
		}
	}
	return list
}

// wordCount counts the words of a text, as people do.
func wordCount(s string) int {
	n := 0
	for _, w := range strings.Fields(s) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
