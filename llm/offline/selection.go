package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// selected are the documents that a selection chooses.
func (w *work) selected(s Selection) []string {
	list := slices.DeleteFunc(slices.Clone(w.list().files), func(f string) bool { return !isNote(f) && s.Pattern == "" })
	keep := func(fits func(f string) bool) {
		list = slices.DeleteFunc(list, func(f string) bool { return !fits(f) })
	}
	if s.Folder != "" {
		folder, ok := w.findFolder(s.Folder)
		if !ok {
			end("There is no folder “" + s.Folder + "”.")
		}
		keep(func(f string) bool { return below(f, folder) })
	}
	if s.Loose {
		keep(func(f string) bool { return folderOf(f) == "" })
	}
	if _, ok := w.hands.(documentHands); ok && s.Pattern != "" && !markdown(strings.ReplaceAll(s.Pattern, "*", "x")) {
		end("The tools that are offered list only Markdown documents (.md). Other files have to be named one by one.")
	}
	if s.Pattern != "" {
		keep(func(f string) bool { return globbed(s.Pattern, f) })
	}
	if s.Words != "" {
		want := stems(plainTerms(s.Words))
		if slices.ContainsFunc(w.list().folders, func(f string) bool { return folded(path.Base(f)) == folded(s.Words) }) {
			// What is in a folder of that name is meant, and not what has the word in its own.
			keep(func(f string) bool {
				return slices.ContainsFunc(strings.Split(folded(folderOf(f)), "/"), func(part string) bool { return part == folded(s.Words) })
			})
		}
		keep(func(f string) bool { return hasAll(stems(termsOf(strings.TrimSuffix(f, extensionOf(f)))), want) })
	}
	if s.Mentions != "" {
		hits := pathsFound(w.search(s.Mentions).hits)
		terms := stems(plainTerms(s.Mentions))
		keep(func(f string) bool { return slices.Contains(hits, f) || hasAll(stems(termsOf(nameOf(f))), terms) })
	}
	if s.About != "" {
		about := w.about(s.About)
		keep(func(f string) bool { return slices.Contains(about, f) })
	}
	if s.Tag != "" {
		with := w.tagged(s.Tag)
		keep(func(f string) bool { return slices.Contains(with, f) })
	}
	if s.Year != 0 || s.Month != 0 || !s.Before.IsZero() {
		dates := w.datesOf(list)
		keep(func(f string) bool { return dates[f].within(s) })
	}
	if s.Empty {
		docs := w.read(list...)
		keep(func(f string) bool {
			return slices.ContainsFunc(docs, func(d *document) bool { return d.path == f && d.blank() })
		})
	}
	if s.Number > 0 && len(list) != s.Number {
		end(fmt.Sprintf("You speak of %d documents, and these fit: %s. I changed nothing: name them.", s.Number, listed(list, maxListed)))
	}
	return list
}

// tagged are the documents that have a tag in their front matter.
func (w *work) tagged(tag string) []string {
	var list []string
	for _, d := range w.read(pathsFound(w.search(tag).hits)...) {
		if slices.ContainsFunc(d.tags(), func(t string) bool { return strings.EqualFold(t, tag) }) {
			list = append(list, d.path)
		}
	}
	return list
}

// about are the documents that have words in their name, title, tags or headings. To
// mention them is not enough.
func (w *work) about(text string) []string {
	terms := stems(plainTerms(text))
	var list, others []string
	for _, f := range w.list().files {
		if hasAll(stems(termsOf(nameOf(f))), terms) {
			list = append(list, f)
		}
	}
	for _, h := range w.search(text).hits {
		if slices.Contains(list, h.path) {
			continue
		}
		if slices.ContainsFunc(h.lines, func(line string) bool {
			return hashHeading.MatchString(line) || strings.HasPrefix(line, "title:") || strings.HasPrefix(line, "tags:")
		}) {
			list = append(list, h.path)
		} else if len(h.lines) > 0 {
			others = append(others, h.path)
		}
	}
	if len(list) == 0 && len(others) > 0 {
		end(fmt.Sprintf("No document has “%s” in its name, title, tags or headings, so I changed nothing. To take those that mention it (%s), say: all notes that mention “%s”.", text, listed(others, maxListed), text))
	}
	return list
}

// globbed tells whether a pattern fits the name or the path of a document; its
// extension may be left out.
func globbed(pattern, f string) bool {
	pattern = strings.ToLower(strings.TrimPrefix(pattern, "./"))
	f = strings.ToLower(f)
	for _, name := range []string{f, path.Base(f), strings.TrimSuffix(f, extensionOf(f)), nameOf(f)} {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// date is what a document says of its day; parts that it does not say are 0.
type date struct {
	year  int
	month time.Month
	day   int
}

func (d date) within(s Selection) bool {
	switch {
	case d.year == 0:
		return false
	case s.Year != 0 && d.year != s.Year, s.Month != 0 && d.month != s.Month:
		return false
	case !s.Before.IsZero():
		// Only what is over for certain is older.
		last := time.Date(d.year, 12, 31, 0, 0, 0, 0, s.Before.Location())
		if d.month != 0 {
			last = time.Date(d.year, d.month+1, 0, 0, 0, 0, 0, s.Before.Location())
		}
		if d.day != 0 {
			last = time.Date(d.year, d.month, d.day, 0, 0, 0, 0, s.Before.Location())
		}
		return last.Before(s.Before)
	}
	return true
}

var (
	fullDate  = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)\d{2})([-_./]?)(0[1-9]|1[0-2])([-_./]?)(0[1-9]|[12]\d|3[01])(?:[^0-9]|$)`)
	monthDate = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)\d{2})[-_./](0[1-9]|1[0-2])(?:[^0-9]|$)`)
	yearDate  = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)\d{2})(?:[^0-9]|$)`)
	wordDate  = regexp.MustCompile(`(?i)(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?(?:of\s+)?\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?((?:19|20)\d{2})\b`)
)

// dateIn is the first date in a text.
func dateIn(s string) date {
	number := func(t string) int { n, _ := strconv.Atoi(t); return n }
	if m := fullDate.FindStringSubmatch(s); m != nil && m[2] == m[4] {
		return date{number(m[1]), time.Month(number(m[3])), number(m[5])}
	}
	if m := wordDate.FindStringSubmatch(s); m != nil {
		day := m[1]
		if day == "" {
			day = m[3]
		}
		month := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(m[2]))/3 + 1
		return date{number(m[4]), time.Month(month), number(day)}
	}
	if m := monthDate.FindStringSubmatch(s); m != nil {
		return date{number(m[1]), time.Month(number(m[2])), 0}
	}
	if m := yearDate.FindStringSubmatch(s); m != nil {
		return date{year: number(m[1])}
	}
	return date{}
}

// dateOfPath is the date in the name of a document, or else in its folders: the
// nearest one first.
func dateOfPath(p string) date {
	p = strings.TrimSuffix(p, extensionOf(p))
	if d := dateIn(path.Base(p)); d.year != 0 {
		return d
	}
	if d := dateIn(path.Dir(p)); d.year != 0 { // such as 2026/05
		return d
	}
	return date{}
}

// dateOfText is the date in the front matter, or in the first lines.
func dateOfText(d *document) date {
	for _, key := range []string{"date", "created", "day"} {
		if found := dateIn(d.property(key)); found.year != 0 {
			return found
		}
	}
	from := d.frontMatter()
	for _, line := range d.lines[from:min(len(d.lines), from+5)] {
		if found := dateIn(line); found.month != 0 {
			return found
		}
	}
	return date{}
}

// datesOf are the dates of documents; those are read whose path has none.
func (w *work) datesOf(list []string) map[string]date {
	dates := map[string]date{}
	var unknown []string
	for _, f := range list {
		if dates[f] = dateOfPath(f); dates[f].year == 0 {
			unknown = append(unknown, f)
		}
	}
	if room := w.room(3); len(unknown) > room {
		unknown = unknown[:room]
	}
	for _, d := range w.read(unknown...) {
		if d.failure == "" {
			dates[d.path] = dateOfText(d)
		}
	}
	return dates
}
