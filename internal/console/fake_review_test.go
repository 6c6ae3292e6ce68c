package console_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/internal/wire"
)

// reviews are turns in memory; what was asked of them is written down.
type reviews struct {
	turns []wire.Turn
	log   []string
	fail  string // Decide fails so
	also  []string
	files []wire.FileReport
}

func (r *reviews) Open(context.Context) ([]wire.Turn, error) {
	var open []wire.Turn
	for _, t := range r.turns {
		if t.Pending() {
			t.Files = slices.Clone(t.Files)
			for i := range t.Files {
				t.Files[i].Hunks = slices.Clone(t.Files[i].Hunks)
			}
			open = append(open, t)
		}
	}
	return open, nil
}

func (r *reviews) Decide(_ context.Context, d wire.Decision) (wire.Decided, error) {
	var words []string
	for _, w := range []struct {
		name string
		ids  []string
	}{{"accept", d.Accept}, {"reject", d.Reject}} {
		if len(w.ids) > 0 {
			words = append(words, w.name+" "+strings.Join(w.ids, " "))
		}
	}
	if d.All != "" {
		words = append(words, strings.TrimSpace(d.All+" all "+d.Turn))
	}
	r.log = append(r.log, "decide: "+strings.Join(words, "; "))
	if r.fail != "" {
		return wire.Decided{}, errors.New(r.fail)
	}
	decided := wire.Decided{Also: r.also, Files: r.files}
	for t := range r.turns {
		open := 0
		for f := range r.turns[t].Files {
			file := &r.turns[t].Files[f]
			applied := wire.Applied{Path: file.Path}
			for h := range file.Hunks {
				hunk := &file.Hunks[h]
				switch {
				case hunk.State != "pending":
				case d.All == "accept", slices.Contains(d.Accept, hunk.ID):
					hunk.State = "accepted"
					applied.Applied++
				case d.All == "reject", slices.Contains(d.Reject, hunk.ID):
					hunk.State = "rejected"
					applied.Rejected++
				default:
					open++
				}
			}
			if applied.Applied+applied.Rejected > 0 {
				decided.Applied = append(decided.Applied, applied)
			}
		}
		decided.Open += open
		if open == 0 {
			r.turns[t].Status = "accepted"
		}
	}
	return decided, nil
}

func (r *reviews) find(id string) (*wire.File, int) {
	for t := range r.turns {
		for f := range r.turns[t].Files {
			for h, hunk := range r.turns[t].Files[f].Hunks {
				if hunk.ID == id {
					return &r.turns[t].Files[f], h
				}
			}
		}
	}
	return nil, 0
}

func (r *reviews) Split(_ context.Context, id string, old, added int) (first, second string, err error) {
	r.log = append(r.log, fmt.Sprintf("split: %s %d %d", id, old, added))
	f, i := r.find(id)
	a, b := f.Hunks[i], f.Hunks[i]
	a.ID, b.ID = id+"a", id+"b"
	a.Lines, b.Lines = nil, nil
	before, after := 0, 0
	began := false
	for _, l := range f.Hunks[i].Lines {
		began = began || l.Type != "unchanged"
		takes := l.Type == "removed" && before < old || l.Type == "added" && after < added || l.Type == "unchanged" && before < old && after < added
		if !began || takes {
			a.Lines = append(a.Lines, l)
		} else {
			b.Lines = append(b.Lines, l)
		}
		if began && l.Type != "added" {
			before++
		}
		if began && l.Type != "removed" {
			after++
		}
	}
	f.Hunks = slices.Replace(f.Hunks, i, i+1, a, b)
	return a.ID, b.ID, nil
}

// editing is reviews in which a hunk can be edited, and the past changed.
type editing struct{ *reviews }

func (e editing) Edit(_ context.Context, id, text string) error {
	e.log = append(e.log, fmt.Sprintf("edit: %s %q", id, text))
	if strings.Contains(text, "bad") {
		return errors.New("the text is not what it should be")
	}
	f, i := e.find(id)
	f.Hunks[i].State = "accepted"
	return nil
}

func (e editing) Undo(_ context.Context, turn string) (wire.Report, error) {
	return wire.Report{Files: []wire.FileReport{{Path: "a.md", Outcome: "restored"}, {Path: "b.md", Outcome: "conflicted", Reason: "it was changed since"}}, Outside: []string{".git/index"}}, nil
}

func (e editing) Redo(context.Context, string) (wire.Report, error) { return wire.Report{}, nil }

// parseTurn reads a turn:
//
//	review hunks
//	modified notes/a.md
//	@@ h1 text            and more words: oversized, applied, needs=h2
//	 an unchanged line
//	-a line with [words] that differ
//	+a line with [others] that differ
//	moved a.md → b.md
//	@@ h2 move
//	note moved from a.md
func parseTurn(src string) *wire.Turn {
	t := &wire.Turn{ID: "t1", Session: "s1", Status: "pending"}
	var h *wire.Hunk
	before, after := 0, 0
	for line := range strings.Lines(src) {
		line = strings.TrimSuffix(line, "\n")
		line = strings.NewReplacer(`\e`, "\x1b", `\t`, "\t").Replace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case word == "review":
			t.Review = rest
		case word == "status":
			t.Status = rest
		case word == "@@":
			f := &t.Files[len(t.Files)-1]
			words := strings.Fields(rest)
			f.Hunks = append(f.Hunks, wire.Hunk{ID: words[0], Kind: words[1], State: "pending"})
			h = &f.Hunks[len(f.Hunks)-1]
			for _, w := range words[2:] {
				name, value, _ := strings.Cut(w, "=")
				switch name {
				case "oversized":
					h.Oversized = true
				case "applied":
					h.Applied = true
				case "needs":
					h.DependsOn = append(h.DependsOn, value)
				case "wide":
					n, _ := strconv.Atoi(value)
					h.Lines = append(h.Lines, wire.Line{Type: "added", Spans: []wire.Span{{Text: "世界"}, {Text: strings.Repeat("x", n), Changed: true}, {Text: "end"}}})
					f.Added++
				case "many":
					n, _ := strconv.Atoi(value)
					for i := range n {
						h.Lines = append(h.Lines, wire.Line{Type: "added", Spans: []wire.Span{{Text: fmt.Sprint("line ", i+1)}}, After: i + 1})
					}
					f.Added += n
				}
			}
			before, after = 0, 0
		case word == "note":
			h.Note = rest
		case word == `\`:
			h.Lines[len(h.Lines)-1].NoEnd = true
		case strings.ContainsAny(line[:1], " +-"):
			f := &t.Files[len(t.Files)-1]
			l := wire.Line{Type: map[byte]string{' ': "unchanged", '+': "added", '-': "removed"}[line[0]], Spans: spans(line[1:])}
			if line[0] != '+' {
				before++
				l.Before = before
			}
			if line[0] != '-' {
				after++
				l.After = after
			}
			if line[0] == '+' {
				f.Added++
			}
			if line[0] == '-' {
				f.Gone++
			}
			h.Lines = append(h.Lines, l)
		default:
			i := strings.LastIndex(line[:strings.IndexAny(line+".", "./")], " ")
			f := wire.File{Verb: line[:i], Path: line[i+1:]}
			if from, to, ok := strings.Cut(f.Path, " → "); ok {
				f.From, f.Path = from, to
			}
			t.Files = append(t.Files, f)
		}
	}
	return t
}

func spans(s string) []wire.Span {
	var list []wire.Span
	for i, part := range strings.FieldsFunc("\x00"+s, func(r rune) bool { return r == '[' || r == ']' }) {
		part = strings.TrimPrefix(part, "\x00")
		if part != "" {
			list = append(list, wire.Span{Text: part, Changed: i%2 == 1})
		}
	}
	return list
}

func parseReport(s string) wire.FileReport {
	parts := strings.SplitN(s, ": ", 3)
	return wire.FileReport{Path: parts[0], Outcome: parts[1], Reason: strings.Join(parts[2:], "")}
}
