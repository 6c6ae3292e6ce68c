package command

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// diffText is one of the two texts that are compared, with its name.
type diffText struct {
	name  string
	label string // shown instead of the name and the time
	time  time.Time
	lines [][]byte
}

// heading is what stands in the header of a patch.
func (t *diffText) heading() string {
	if t.label != "" {
		return t.label
	}
	return quotedName(t.name) + "\t" + strftime(t.time.UTC(), "%Y-%m-%d %H:%M:%S.%N %z")
}

// quotedName is a name as it stands in a patch: in quotes if patch(1) could mistake it.
func quotedName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		switch i := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case i >= 0:
			b.WriteString(`\` + `abtnvfr"\`[i:i+1])
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// print shows the changes in the form that was asked for.
func (d *differ) print(a, b *diffText, script []lineChange) {
	switch d.form {
	case "u", "c":
		marks := [2]string{"---", "+++"}
		if d.form == "c" {
			marks = [2]string{"***", "---"}
		}
		fmt.Fprintf(d.Out, "%s %s\n%s %s\n", marks[0], a.heading(), marks[1], b.heading())
		for _, hunk := range d.hunks(script) {
			if d.Stopped() {
				return
			}
			if d.form == "u" {
				d.unified(a, b, hunk)
			} else {
				d.contextual(a, b, hunk)
			}
		}
	default:
		for _, change := range script {
			if !change.ignored && !d.Stopped() {
				d.normal(a, b, change)
			}
		}
	}
}

// hunks puts changes together that are so near that their context would overlap.
// Hunks in which nothing counts are left out.
func (d *differ) hunks(script []lineChange) [][]lineChange {
	var hunks [][]lineChange
	for start := 0; start < len(script); {
		end, counts := start+1, !script[start].ignored
		for ; end < len(script); end++ {
			last, next := script[end-1], script[end]
			near := 2*d.context + 1
			if next.ignored {
				near = d.context
			}
			if next.a-(last.a+last.deleted) >= near {
				break
			}
			counts = counts || !next.ignored
		}
		if counts {
			hunks = append(hunks, script[start:end])
		}
		start = end
	}
	return hunks
}

// line writes one line of a text behind a mark.
func (d *differ) line(mark string, line []byte) {
	d.Out.WriteString(mark)
	d.Out.Write(line)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		d.Out.WriteString("\n\\ No newline at end of file\n")
	}
}

func (d *differ) block(mark string, lines [][]byte) {
	for _, line := range lines {
		d.line(mark, line)
	}
}

// lineSpan is the first and last line of a range, as in 5,6. An empty one is the line
// before it.
func lineSpan(start, count int) string {
	if count <= 1 {
		return strconv.Itoa(start + count)
	}
	return strconv.Itoa(start+1) + "," + strconv.Itoa(start+count)
}

func (d *differ) normal(a, b *diffText, c lineChange) {
	kind := "c"
	switch {
	case c.deleted == 0:
		kind = "a"
	case c.added == 0:
		kind = "d"
	}
	d.Out.WriteString(lineSpan(c.a, c.deleted) + kind + lineSpan(c.b, c.added) + "\n")
	d.block("< ", a.lines[c.a:c.a+c.deleted])
	if kind == "c" {
		d.Out.WriteString("---\n")
	}
	d.block("> ", b.lines[c.b:c.b+c.added])
}

// around is the lines of both texts that a hunk shows.
func (d *differ) around(a, b *diffText, hunk []lineChange) (a0, a1, b0, b1 int) {
	first, last := hunk[0], hunk[len(hunk)-1]
	before := min(first.a, first.b, d.context)
	a1, b1 = last.a+last.deleted, last.b+last.added
	after := min(len(a.lines)-a1, len(b.lines)-b1, d.context)
	return first.a - before, a1 + after, first.b - before, b1 + after
}

func (d *differ) unified(a, b *diffText, hunk []lineChange) {
	a0, a1, b0, b1 := d.around(a, b, hunk)
	count := func(start, end int) string {
		switch n := end - start; n {
		case 0:
			return strconv.Itoa(start) + ",0"
		case 1:
			return strconv.Itoa(start + 1)
		default:
			return strconv.Itoa(start+1) + "," + strconv.Itoa(n)
		}
	}
	fmt.Fprintf(d.Out, "@@ -%s +%s @@%s\n", count(a0, a1), count(b0, b1), d.function(a, a0))
	at := a0
	for _, c := range hunk {
		d.block(" ", a.lines[at:c.a])
		d.block("-", a.lines[c.a:c.a+c.deleted])
		d.block("+", b.lines[c.b:c.b+c.added])
		at = c.a + c.deleted
	}
	d.block(" ", a.lines[at:a1])
}

func (d *differ) contextual(a, b *diffText, hunk []lineChange) {
	a0, a1, b0, b1 := d.around(a, b, hunk)
	var deletes, adds bool
	for _, c := range hunk {
		deletes = deletes || c.deleted > 0
		adds = adds || c.added > 0
	}
	fmt.Fprintf(d.Out, "***************%s\n*** %s ****\n", d.function(a, a0), lineSpan(a0, a1-a0))
	if deletes {
		at := a0
		for _, c := range hunk {
			d.block("  ", a.lines[at:c.a])
			mark := "- "
			if c.added > 0 {
				mark = "! "
			}
			at = c.a + c.deleted
			d.block(mark, a.lines[c.a:at])
		}
		d.block("  ", a.lines[at:a1])
	}
	fmt.Fprintf(d.Out, "--- %s ----\n", lineSpan(b0, b1-b0))
	if adds {
		at := b0
		for _, c := range hunk {
			d.block("  ", b.lines[at:c.b])
			mark := "+ "
			if c.deleted > 0 {
				mark = "! "
			}
			at = c.b + c.added
			d.block(mark, b.lines[c.b:at])
		}
		d.block("  ", b.lines[at:b1])
	}
}

// function is the last line before a hunk that looks like the start of a function, or
// that a pattern matches.
func (d *differ) function(a *diffText, before int) string {
	if d.isFunction == nil {
		return ""
	}
	for i := before - 1; i >= 0; i-- {
		line := bytes.TrimRight(a.lines[i], "\n")
		if d.isFunction(line) {
			text := bytes.TrimLeft(line, " \t")
			return " " + string(bytes.TrimRight(text[:min(len(text), 40)], " \t\r"))
		}
	}
	return ""
}
