package command

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sort puts things into the order of the listing.
func (l *listing) sort(list []listed) {
	byName := func(a, b listed) int { return cmp.Compare(a.name, b.name) }
	compare := byName
	switch l.order {
	case "t":
		compare = func(a, b listed) int {
			return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), byName(a, b))
		}
	case "S":
		compare = func(a, b listed) int { return cmp.Or(cmp.Compare(sizeOf(b.info), sizeOf(a.info)), byName(a, b)) }
	case "X":
		compare = func(a, b listed) int { return cmp.Or(cmp.Compare(path.Ext(a.name), path.Ext(b.name)), byName(a, b)) }
	case "v":
		compare = func(a, b listed) int { return cmp.Or(compareVersions(a.name, b.name), byName(a, b)) }
	case "width":
		compare = func(a, b listed) int {
			return cmp.Or(cmp.Compare(utf8.RuneCountInString(a.name), utf8.RuneCountInString(b.name)), byName(a, b))
		}
	}
	if l.c.Flag("r") && l.order != "U" {
		straight := compare
		compare = func(a, b listed) int { return straight(b, a) }
	}
	if l.c.Flag("group-directories-first") {
		straight := compare
		compare = func(a, b listed) int {
			if a.info.IsDir() != b.info.IsDir() {
				if a.info.IsDir() {
					return -1
				}
				return 1
			}
			return straight(a, b)
		}
	}
	slices.SortStableFunc(list, compare)
}

// show writes things in the form of the listing. total: they are all of a folder.
func (l *listing) show(list []listed, total bool) {
	if total && (l.form == "l" || l.c.Flag("s")) {
		var sum int64
		for _, e := range list {
			sum += blocks(e.info)
		}
		fmt.Fprintf(l.c.Out, "total %s\n", l.room(sum))
	}
	names := make([]string, len(list))
	wide := 0
	for _, e := range list {
		wide = max(wide, len(l.room(blocks(e.info))))
	}
	for i, e := range list {
		names[i] = l.quoted(e.name) + l.marker(e.info.Mode())
		if l.c.Flag("s") && l.form != "l" {
			width := wide
			if l.form == "m" {
				width = 0
			}
			names[i] = fmt.Sprintf("%*s %s", width, l.room(blocks(e.info)), names[i])
		}
	}
	switch l.form {
	case "l":
		l.long(list, wide)
	case "m":
		l.commas(names)
	case "C", "x":
		l.columns(names)
	default:
		for _, name := range names {
			l.c.Out.WriteString(name)
			l.c.Out.WriteByte('\n')
		}
	}
}

// room is a number of blocks of 512 bytes, in KiB or for people.
func (l *listing) room(n int64) string {
	if l.c.Flag("h") || l.c.Flag("si") {
		return l.humanSize(n * 512)
	}
	return strconv.FormatInt((n+1)/2, 10)
}

func (l *listing) humanSize(n int64) string {
	switch l.c.Last("h", "si") {
	case "h":
		return humanSize(n, 1024)
	case "si":
		return humanSize(n, 1000)
	}
	return strconv.FormatInt(n, 10)
}

// humanSize is a size with a unit, rounded up: 1.5K, 234M.
func humanSize(n int64, step float64) string {
	if float64(n) < step {
		return strconv.FormatInt(n, 10)
	}
	units := "KMGTPE"
	if step == 1000 {
		units = "kMGTPE"
	}
	f := float64(n)
	at := -1
	for f >= step && at < len(units)-1 {
		f /= step
		at++
	}
	if tenths := ceil(f * 10); tenths < 100 {
		return fmt.Sprintf("%d.%d%c", tenths/10, tenths%10, units[at])
	}
	whole := ceil(f)
	if float64(whole) >= step && at < len(units)-1 {
		return fmt.Sprintf("1.0%c", units[at+1])
	}
	return fmt.Sprintf("%d%c", whole, units[at])
}

func ceil(f float64) int64 {
	n := int64(f)
	if float64(n) < f {
		n++
	}
	return n
}

// quoted is a name as it is shown.
func (l *listing) quoted(name string) string {
	if l.c.Flag("Q") {
		return strconv.Quote(name)
	}
	if l.c.Flag("q") {
		return strings.Map(func(r rune) rune {
			if r == utf8.RuneError || !unicode.IsPrint(r) {
				return '?'
			}
			return r
		}, name)
	}
	return name
}

// marker is what stands behind a name with -F and -p.
func (l *listing) marker(m fs.FileMode) string {
	switch {
	case l.mark == "":
	case m.IsDir():
		return "/"
	case l.mark == "p":
	case m&fs.ModeSymlink != 0:
		return "@"
	case l.mark == "F" && m&0o111 != 0:
		return "*"
	}
	return ""
}

// long writes things with all that is known of them.
func (l *listing) long(list []listed, wide int) {
	owner, group := neutralOwner, neutralGroup
	if l.c.Flag("n") {
		owner, group = "1000", "1000"
	}
	who := ""
	if !l.c.Flag("g") {
		who += owner + " "
	}
	if !l.c.Flag("o") && !l.c.Flag("G") {
		who += group + " "
	}
	sizes := make([]string, len(list))
	width, timeWidth := 0, 0
	times := make([]string, len(list))
	for i, e := range list {
		sizes[i] = l.humanSize(sizeOf(e.info))
		times[i] = l.time(e.info)
		width, timeWidth = max(width, len(sizes[i])), max(timeWidth, len(times[i]))
	}
	for i, e := range list {
		if l.c.Flag("s") {
			fmt.Fprintf(l.c.Out, "%*s ", wide, l.room(blocks(e.info)))
		}
		fmt.Fprintf(l.c.Out, "%s 1 %s%*s %*s %s", modeString(e.info.Mode()), who, width, sizes[i], timeWidth, times[i], l.quoted(e.name))
		if e.target != "" {
			l.c.Out.WriteString(" -> " + l.quoted(e.target))
			if target, err := l.c.Tree.Stat(e.abs); err == nil {
				l.c.Out.WriteString(l.marker(target.Mode()))
			}
		} else {
			l.c.Out.WriteString(l.marker(e.info.Mode()))
		}
		l.c.Out.WriteByte('\n')
	}
}

// time is the time of a file in the style of the listing.
func (l *listing) time(i fs.FileInfo) string {
	t := i.ModTime().UTC()
	switch l.times {
	case "full-iso":
		return t.Format("2006-01-02 15:04:05.000000000 +0000")
	case "long-iso":
		return t.Format("2006-01-02 15:04")
	case "iso":
		if age := l.c.Now().Sub(t); age >= 0 && age < halfYear {
			return t.Format("01-02 15:04")
		}
		return t.Format("2006-01-02 ")
	case "locale":
		return listTime(t, l.c.Now())
	}
	return strftime(t, l.times[1:])
}

// commas writes names one behind the other.
func (l *listing) commas(names []string) {
	at := 0
	for i, name := range names {
		n := utf8.RuneCountInString(name)
		if i > 0 {
			if l.width == 0 || at+n+2 < l.width {
				l.c.Out.WriteString(", ")
				at += 2
			} else {
				l.c.Out.WriteString(",\n")
				at = 0
			}
		}
		l.c.Out.WriteString(name)
		at += n
	}
	if len(names) > 0 {
		l.c.Out.WriteByte('\n')
	}
}

// columns writes names in as many columns as there is room for.
func (l *listing) columns(names []string) {
	if len(names) == 0 {
		return
	}
	widths, rows := l.layout(names)
	for row := range rows {
		at, end := 0, 0
		for column := range widths {
			i := column*rows + row
			if l.form == "x" {
				i = row*len(widths) + column
			}
			if i >= len(names) {
				continue
			}
			l.indent(at, end)
			l.c.Out.WriteString(names[i])
			at = end + utf8.RuneCountInString(names[i])
			end += widths[column]
		}
		l.c.Out.WriteByte('\n')
	}
}

// layout finds the widths of the most columns that fit.
func (l *listing) layout(names []string) (widths []int, rows int) {
	most := len(names)
	if l.width > 0 {
		most = min(most, max(l.width/3, 1))
	}
	for count := most; count > 1; count-- {
		rows = (len(names) + count - 1) / count
		widths = make([]int, count)
		for i, name := range names {
			column := i / rows
			if l.form == "x" {
				column = i % count
			}
			gap := 2
			if column == count-1 {
				gap = 0
			}
			widths[column] = max(widths[column], utf8.RuneCountInString(name)+gap)
		}
		sum := 0
		for _, w := range widths {
			sum += w
		}
		if l.width == 0 || sum < l.width {
			return widths, rows
		}
	}
	return []int{0}, len(names)
}

// indent fills up with tabs and spaces from one column to another.
func (l *listing) indent(from, to int) {
	for from < to {
		if to/8 > (from+1)/8 {
			l.c.Out.WriteByte('\t')
			from += 8 - from%8
		} else {
			l.c.Out.WriteByte(' ')
			from++
		}
	}
}
