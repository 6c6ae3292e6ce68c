package command

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

func init() {
	register(&Command{
		Name: "cut", About: "Write parts of each line.",
		Synopsis: "OPTION... [FILE]...",
		Options: []Option{
			{Short: "b", Long: "bytes", Value: "LIST", Help: "these bytes: 1,3-5,7-"},
			{Short: "c", Long: "characters", Value: "LIST", Help: "as -b"},
			{Short: "d", Long: "delimiter", Value: "DELIM", Help: "what is between fields, in the place of a tab"},
			{Short: "f", Long: "fields", Value: "LIST", Help: "these fields; lines without a delimiter are written whole"},
			{Short: "n", Help: "nothing"},
			{Long: "complement", Help: "all but these"},
			{Short: "s", Long: "only-delimited", Help: "no lines without a delimiter"},
			{Long: "output-delimiter", Value: "STRING", Help: "what to write between the parts"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
		},
		Run: cut,
	})
}

// span is a range of positions that begin with 1; both ends are in it.
type span struct{ low, high int }

// cutRun is a run of cut.
type cutRun struct {
	spans     []span
	delimiter byte
	between   []byte // written between parts; nil for bytes: nothing
	delimited bool   // only lines with a delimiter
	end       byte
}

func cut(c *Call) int {
	lists := 0
	for _, g := range c.Given {
		if strings.Contains("bcf", g.Name) {
			lists++
		}
	}
	kind := c.Last("b", "c", "f")
	delimiter, hasDelimiter := c.Value("d")
	fields := kind == "f"
	switch {
	case lists == 0:
		return c.Try(1, "you must specify a list of bytes, characters, or fields")
	case lists > 1:
		return c.Try(1, "only one list may be specified")
	case len(delimiter) > 1:
		return c.Try(1, "the delimiter must be a single character")
	case hasDelimiter && !fields:
		return c.Try(1, "an input delimiter may be specified only when operating on fields")
	case c.Flag("s") && !fields:
		return c.Try(1, "suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	list, _ := c.Value(kind)
	spans, complaint := parseSpans(list, fields)
	if complaint != "" {
		return c.Try(1, "%s", complaint)
	}
	r := cutRun{spans: spans, delimiter: '\t', delimited: c.Flag("s"), end: lineEnd(c)}
	if c.Flag("complement") {
		r.spans = complement(spans)
	}
	if hasDelimiter {
		r.delimiter = 0
		if delimiter != "" {
			r.delimiter = delimiter[0]
		}
	}
	if s, ok := c.Value("output-delimiter"); ok {
		r.between = []byte(s)
		if s == "" {
			r.between = []byte{0}
		}
	} else if fields {
		r.between = []byte{r.delimiter}
	}
	return r.run(c, fields)
}

func (r *cutRun) run(c *Call, fields bool) int {
	var buf []byte
	if fields && r.delimiter == r.end {
		return r.lines(c)
	}
	return eachLine(c, r.end, func(line []byte, _ bool) {
		write := true
		if fields {
			buf, write = r.fields(buf[:0], line)
		} else {
			buf = r.bytes(buf[:0], line)
		}
		if write {
			c.Out.Write(append(buf, r.end))
		}
	})
}

// lines is for fields that are lines.
func (r *cutRun) lines(c *Call) int {
	status := 0
	for _, name := range c.Inputs() {
		data, err := c.Read(name)
		if err != nil {
			status = c.Fail(1, "%s: %s", plain(name), Reason(err))
			continue
		}
		data, _ = chomp(data, r.end)
		if out, write := r.fields(nil, data); write && len(data) > 0 {
			c.Out.Write(append(out, r.end))
		}
	}
	return status
}

func (r *cutRun) bytes(buf, line []byte) []byte {
	some := false
	for _, s := range r.spans {
		if s.low > len(line) {
			break
		}
		if some {
			buf = append(buf, r.between...)
		}
		some = true
		buf = append(buf, line[s.low-1:min(s.high, len(line))]...)
	}
	return buf
}

// fields appends the fields of a line to buf; it returns false for a line that is
// not written.
func (r *cutRun) fields(buf, line []byte) ([]byte, bool) {
	if bytes.IndexByte(line, r.delimiter) < 0 {
		return append(buf, line...), !r.delimited
	}
	some, at := false, 0
	for number := 1; at < len(r.spans); number++ {
		field, rest, more := bytes.Cut(line, []byte{r.delimiter})
		for at < len(r.spans) && r.spans[at].high < number {
			at++
		}
		if at < len(r.spans) && r.spans[at].low <= number {
			if some {
				buf = append(buf, r.between...)
			}
			some = true
			buf = append(buf, field...)
		}
		if line = rest; !more {
			break
		}
	}
	return buf, true
}

// parseSpans reads a list of positions: sorted, and without overlaps. It returns
// what is wrong with it, or "".
func parseSpans(list string, fields bool) ([]span, string) {
	zero, invalid := "byte/character positions are numbered from 1", "invalid byte/character position "
	large, badRange := "byte/character offset ", "invalid byte or character range"
	if fields {
		zero, invalid = "fields are numbered from 1", "invalid field value "
		large, badRange = "field number ", "invalid field range"
	}
	number := func(s string) (int, string) {
		if digits(s) != len(s) {
			return 0, invalid + curly(s)
		}
		n, err := parseCount(s, false)
		if err != nil || n == math.MaxInt64 {
			return 0, large + curly(s) + " is too large"
		}
		return int(n), ""
	}
	var spans []span
	for _, item := range strings.FieldsFunc(strings.ReplaceAll(","+list, ",", " ,"), func(r rune) bool { return r == ' ' || r == '\t' }) {
		item = strings.TrimPrefix(item, ",")
		low, high, ranged := strings.Cut(item, "-")
		s := span{1, math.MaxInt}
		var complaint string
		switch {
		case item == "":
			return nil, zero
		case strings.Contains(high, "-"):
			return nil, badRange
		case item == "-":
			return nil, "invalid range with no endpoint: -"
		}
		if low != "" {
			if s.low, complaint = number(low); complaint != "" {
				return nil, complaint
			}
			if s.low == 0 {
				return nil, zero
			}
			if !ranged {
				s.high = s.low
			}
		}
		if high != "" {
			if s.high, complaint = number(high); complaint != "" {
				return nil, complaint
			}
		}
		if s.high < s.low {
			return nil, "invalid decreasing range"
		}
		spans = append(spans, s)
	}
	return merge(spans), ""
}

// merge sorts spans and joins those that overlap; those that only touch stay apart.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.low - b.low })
	var merged []span
	for _, s := range spans {
		if n := len(merged); n > 0 && s.low <= merged[n-1].high {
			merged[n-1].high = max(merged[n-1].high, s.high)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// complement is all that is not in the spans.
func complement(spans []span) []span {
	var others []span
	next := 1
	for _, s := range spans {
		if s.low > next {
			others = append(others, span{next, s.low - 1})
		}
		if s.high == math.MaxInt {
			return others
		}
		next = s.high + 1
	}
	return append(others, span{next, math.MaxInt})
}
