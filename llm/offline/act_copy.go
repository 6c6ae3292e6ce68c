package offline

import (
	"fmt"
	"path"
	"strings"
)

// copy makes a document with the text of another one.
func (w *work) copy(q Request) string {
	w.need(toCreate)
	from := w.target(q)
	d := w.read(from)[0]
	if d.failure != "" || !d.whole || len(d.cut) > 0 {
		return fmt.Sprintf("I could not read all of %s, so I copied nothing.", from)
	}
	to := w.freePath(from)
	if q.New != "" || q.Folder != "" {
		to = w.destination(q, from)
		if q.New != "" && !strings.Contains(q.New, "/") && q.Folder == "" {
			to = path.Join(folderOf(from), to)
		}
		if to == from {
			to = w.freePath(from)
		}
	}
	if there := w.taken(to); there != "" {
		return fmt.Sprintf("%s exists already, so I copied nothing.", there)
	}
	outs := w.change(creating(to, d.edited(nil), ""))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Copied %s to %s.", from, outs[0].path)
	}
	return report(done, outs)
}

// extract makes a document of one section; a link to it takes its place.
func (w *work) extract(q Request) string {
	w.need(toCreate, toEdit)
	p := w.withHeading(q)
	d := w.read(p)[0]
	if d.failure != "" || !d.whole || len(d.cut) > 0 {
		return fmt.Sprintf("I could not read all of %s, so I changed nothing.", p)
	}
	headings := d.headings()
	at, ok := w.headingOf(d, q.Heading)
	if !ok {
		return fmt.Sprintf("%s has no heading “%s”%s. I changed nothing.", p, q.Heading, headingsOf(d))
	}
	w.wholly(3)
	changes, cuts := w.cutUp(d, headings, []int{at})
	if q.Title != "" {
		q.Docs, q.This = nil, false
		to := w.newPath(q)
		if path.Dir(q.Title) == "." && q.Folder == "" {
			to = path.Join(folderOf(p), path.Base(to))
		}
		if there := w.taken(to); there != "" {
			return fmt.Sprintf("%s exists already, so I changed nothing.", there)
		}
		changes[0].path = to
		cuts[0].lines[0] = "- [[" + nameOf(to) + "]]"
	}
	outs := w.change(changes...)
	if !outs[0].done() {
		return report("", outs)
	}
	more := w.change(editing(p, func(now *document) []splice {
		if now.text() != d.text() {
			return nil // somebody has written to it since
		}
		return tidied(now, cuts)
	}))
	w.spoken = outs[0].path
	return report(fmt.Sprintf("Moved the section “%s” of %s to %s, and left a link.", headings[at].text, p, outs[0].path), append(outs, more...))
}
