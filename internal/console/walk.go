package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/internal/wire"
)

const (
	accept = "accept"
	reject = "reject"
)

// shownLines is how much of a hunk is shown before somebody asks for all of it.
const shownLines = 100

// item is a hunk that waits for a decision.
type item struct {
	file *wire.File
	hunk *wire.Hunk
	name string // "notes/a.md, change 2 of 3"
}

// walk is a review hunk by hunk. Decisions are collected and sent in the end.
type walk struct {
	*Console
	reviews  Reviews
	question string
	turns    []wire.Turn
	items    []item
	verdicts map[string]string // accept or reject, by hunk
	steps    []stride          // what u takes back
	at       int               // the item that is asked about
	accepted bool              // something was accepted before, or edited, and waits to be written
	shown    *wire.File        // the file whose name was shown last
}

// stride is one decision, with the hunks that went with it.
type stride struct {
	hunk   string // that was asked about
	before map[string]string
}

// errLeave: the rest stays open.
var errLeave = errors.New("left open")

func (c *Console) walk(ctx context.Context, reviews Reviews, turns []wire.Turn, question string) (wire.Decided, error) {
	w := &walk{Console: c, reviews: reviews, question: question, turns: turns, verdicts: map[string]string{}}
	w.lay()
	for w.seek() {
		err := w.ask(ctx)
		if errors.Is(err, errLeave) {
			break
		}
		if err != nil {
			return wire.Decided{Open: len(w.items)}, err
		}
	}
	return w.send(ctx)
}

// lay lists the hunks that wait.
func (w *walk) lay() {
	w.items = nil
	for t := range w.turns {
		for f := range w.turns[t].Files {
			file := &w.turns[t].Files[f]
			for h := range file.Hunks {
				hunk := &file.Hunks[h]
				w.accepted = w.accepted || hunk.State == "accepted" && !hunk.Applied
				if hunk.State != "pending" {
					continue
				}
				name := oneLine(file.Path)
				if len(file.Hunks) > 1 {
					name = fmt.Sprintf("%s, change %d of %d", name, h+1, len(file.Hunks))
				}
				w.items = append(w.items, item{file, hunk, name})
			}
		}
	}
}

// seek goes to the next hunk without a decision, from where it is or else from
// the first; false if there is none.
func (w *walk) seek() bool {
	open := func(i item) bool { return w.verdicts[i.hunk.ID] == "" }
	w.at = min(w.at, len(w.items))
	if i := slices.IndexFunc(w.items[w.at:], open); i >= 0 {
		w.at += i
		return true
	}
	w.at = max(0, slices.IndexFunc(w.items, open))
	return slices.ContainsFunc(w.items, open)
}

// ask shows a hunk and does what the user says.
func (w *walk) ask(ctx context.Context) error {
	it := w.items[w.at]
	w.present(it, shownLines)
	for {
		key, err := w.reviewKey(ctx, fmt.Sprintf("%s (%d of %d) %s ", w.question, w.at+1, len(w.items), w.choices(it)))
		if err != nil {
			return err
		}
		switch key {
		case 'y':
			w.judge(accept, it)
			return nil
		case 'n':
			w.judge(reject, it)
			return nil
		case 'a':
			w.judge(accept, w.rest(it.file)...)
			return nil
		case 'd':
			w.judge(reject, w.rest(it.file)...)
			return nil
		case 'A':
			w.judge(accept, w.rest(nil)...)
			return nil
		case 'u':
			if w.back() {
				return nil
			}
			w.screen.line("There is no decision to take back.")
		case 'q':
			return errLeave
		case 'v':
			w.present(it, 0)
		case 's':
			if done, err := w.split(ctx, it); done || err != nil {
				return err
			}
		case 'e':
			if done, err := w.change(ctx, it); done || err != nil {
				return err
			}
		default:
			w.screen.line(w.help(it))
		}
	}
}

// choices are the keys that do something for a hunk.
func (w *walk) choices(it item) string {
	keys := "y,n,a,d,A"
	if w.divisible(it) {
		keys += ",s"
	}
	if w.editable(it) {
		keys += ",e"
	}
	if len(w.steps) > 0 {
		keys += ",u"
	}
	return "[" + keys + ",q,?]"
}

func (w *walk) help(it item) string {
	lines := []string{
		"y  yes, this change",
		"n  no, not this change",
		"a  yes, this and the rest of the file",
		"d  no, neither this nor the rest of the file",
		"A  yes, this and all the rest",
	}
	if w.divisible(it) {
		lines = append(lines, "s  split it and decide about the parts")
	}
	if w.editable(it) {
		lines = append(lines, "e  edit the new text; what you write is accepted")
	}
	return strings.Join(append(lines,
		"u  take back the last decision",
		"v  show all of it",
		"q  leave the rest open, and carry out what was decided",
		"?  this help",
		"Ctrl-C leaves without deciding anything"), "\n")
}

// present shows a hunk, under the name of its file if that was not the last one
// shown.
func (w *walk) present(it item, lines int) {
	w.screen.erase()
	w.screen.fresh()
	var b strings.Builder
	d := drawing{w: &b, colors: w.screen.colors, left: lines, limited: lines > 0}
	if w.shown != it.file {
		b.WriteString("\n" + w.screen.colors.bold(summary(it.file)) + "\n")
		w.shown = it.file
	}
	d.hunk(it.hunk)
	if d.hidden > 0 {
		b.WriteString(w.screen.colors.dim("… "+count(d.hidden, "more line")+": v shows all") + "\n")
	}
	if it.hunk.Oversized && w.divisible(it) {
		b.WriteString(w.screen.colors.dim("This is a long one: s splits it.") + "\n")
	}
	if with := w.names(it.hunk.DependsOn); with != "" {
		b.WriteString(w.screen.colors.dim("It depends on: "+with) + "\n")
	}
	w.screen.write(b.String())
}

// names are those of the hunks with the ids that are part of this review.
func (w *walk) names(ids []string) string {
	var names []string
	for _, it := range w.items {
		if slices.Contains(ids, it.hunk.ID) {
			names = append(names, it.name)
		}
	}
	return strings.Join(names, "; ")
}

// rest are the hunks without a decision from where the walk is, of the file or of
// all.
func (w *walk) rest(f *wire.File) []item {
	var rest []item
	for _, it := range w.items[w.at:] {
		if w.verdicts[it.hunk.ID] == "" && (f == nil || it.file == f) {
			rest = append(rest, it)
		}
	}
	return rest
}

// judge decides about hunks, and about those that cannot be decided otherwise
// then: what an accepted one depends on, and what depends on a rejected one.
func (w *walk) judge(verdict string, items ...item) {
	s := stride{hunk: w.items[w.at].hunk.ID, before: map[string]string{}}
	var named []string
	for _, it := range items {
		named = append(named, it.hunk.ID)
	}
	var also []string
	for todo := named; len(todo) > 0; {
		id := todo[0]
		todo = todo[1:]
		if _, done := s.before[id]; done {
			continue
		}
		s.before[id] = w.verdicts[id]
		if w.verdicts[id] != verdict && !slices.Contains(named, id) {
			also = append(also, id)
		}
		w.verdicts[id] = verdict
		todo = append(todo[:len(todo):len(todo)], w.bound(id, verdict)...)
	}
	w.steps = append(w.steps, s)
	if len(also) > 0 {
		word := map[string]string{accept: "Accepted", reject: "Rejected"}[verdict]
		w.screen.line(w.screen.colors.dim(word + " with it, because they depend on each other: " + w.names(also)))
	}
}

// bound are the hunks of this review that share the verdict of a hunk.
func (w *walk) bound(id, verdict string) []string {
	var bound []string
	for _, it := range w.items {
		needs := it.hunk.DependsOn
		if verdict == reject && slices.Contains(needs, id) {
			bound = append(bound, it.hunk.ID)
		}
		if verdict == accept && it.hunk.ID == id {
			for _, other := range w.items {
				if slices.Contains(needs, other.hunk.ID) {
					bound = append(bound, other.hunk.ID)
				}
			}
		}
	}
	return bound
}

// back takes back the last decision and goes there; false if there is none.
func (w *walk) back() bool {
	if len(w.steps) == 0 {
		return false
	}
	last := w.steps[len(w.steps)-1]
	w.steps = w.steps[:len(w.steps)-1]
	for id, verdict := range last.before {
		w.verdicts[id] = verdict
	}
	w.at = max(0, slices.IndexFunc(w.items, func(it item) bool { return it.hunk.ID == last.hunk }))
	w.shown = nil
	return true
}

// send carries the decisions out.
func (w *walk) send(ctx context.Context) (wire.Decided, error) {
	var d wire.Decision
	names := map[string]string{}
	for _, it := range w.items {
		names[it.hunk.ID] = it.name
		switch w.verdicts[it.hunk.ID] {
		case accept:
			d.Accept = append(d.Accept, it.hunk.ID)
			if it.hunk.Oversized {
				d.AsOne = append(d.AsOne, it.hunk.ID) // it was shown, and not split
			}
		case reject:
			d.Reject = append(d.Reject, it.hunk.ID)
		}
	}
	if len(d.Accept)+len(d.Reject) == 0 && !w.accepted {
		w.screen.line("Nothing was decided; it all stays open.")
		return wire.Decided{Open: len(w.items)}, nil
	}
	return w.decide(ctx, w.reviews, d, names)
}

// reload reads the hunks again, because they are others now.
func (w *walk) reload(ctx context.Context) error {
	open, err := w.reviews.Open(ctx)
	if err != nil {
		return err
	}
	mine := map[string]bool{}
	for _, t := range w.turns {
		mine[t.ID] = true
	}
	w.turns = slices.DeleteFunc(open, func(t wire.Turn) bool { return !mine[t.ID] })
	w.lay()
	w.shown = nil
	return nil
}
