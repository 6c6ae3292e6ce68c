package redline

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Patch is what a turn changed, or of one that waits what it would still change, as
// a patch that git apply and patch accept. Paths narrow it down. What a patch cannot
// say (folders, links, bytes that are no text) is a remark in it.
func (f *Folder) Patch(ctx context.Context, turn string, paths ...string) ([]byte, error) {
	t, err := f.ledger.Turn(ctx, turn)
	if err != nil {
		return nil, err
	}
	only, err := f.paths(paths)
	if err != nil {
		return nil, err
	}
	var out []byte
	for i := range t.Changes {
		c := &t.Changes[i]
		if len(only) > 0 && !slices.ContainsFunc(only, func(p ledger.Path) bool { return about(c, p) }) {
			continue
		}
		if out, err = f.appendPatch(ctx, out, t, c); err != nil {
			return nil, fmt.Errorf("the patch of %s: %w", turn, err)
		}
	}
	return out, nil
}

// ends are a file before and behind what a patch of it says.
type ends struct {
	oldName, newName string // "": there is no file
	oldMode, newMode fs.FileMode
	before, after    []byte
}

// appendPatch adds the part of one file.
func (f *Folder) appendPatch(ctx context.Context, out []byte, t *ledger.TurnRecord, c *ledger.Change) ([]byte, error) {
	waits := t.Status == ledger.Pending && t.Review.Staged()
	there := func(h ledger.Hunk) bool { return waits && h.Applied }
	wanted := func(h ledger.Hunk) bool { return h.State != ledger.HunkRejected }
	if !slices.ContainsFunc(c.Hunks, func(h ledger.Hunk) bool { return wanted(h) && !there(h) }) {
		return out, nil
	}
	before, after, err := f.ledger.Contents(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, end := range []struct {
		ledger.State
		data []byte
	}{{c.Before, before}, {c.After, after}} {
		if end.Kind == ledger.Dir || end.Kind == ledger.Link || text.Check(end.data) != nil {
			what, _ := thing(end.State, end.data)
			return fmt.Appendf(out, "# not in this patch: %s %s (%s)\n", verb(c.Effect), workspace.Display(c.Path.String()), what), nil
		}
	}
	from, err := endOf(c, before, after, there)
	if err != nil {
		return nil, err
	}
	to, err := endOf(c, before, after, func(h ledger.Hunk) bool { return there(h) || wanted(h) })
	if err != nil {
		return nil, err
	}
	return ends{from.name, to.name, from.mode, to.mode, from.data, to.data}.append(out), nil
}

// end is a file with some hunks of a change in it.
type end struct {
	name string
	mode fs.FileMode
	data []byte
}

func endOf(c *ledger.Change, before, after []byte, in func(ledger.Hunk) bool) (end, error) {
	e := end{mode: c.Before.Mode, data: before}
	if c.Before.Exists() {
		e.name = c.Path.String()
		if c.From != nil {
			e.name = c.From.String()
		}
	}
	var texts []diff.Change
	for _, h := range c.Hunks {
		if !in(h) {
			continue
		}
		switch h.Kind {
		case ledger.TextHunk:
			texts = append(texts, diff.Change{A: h.A, B: h.B})
		case ledger.ModeHunk:
			e.mode = c.After.Mode
		case ledger.MoveHunk:
			e.name = c.Path.String()
		case ledger.DeleteHunk:
			return end{}, nil
		default:
			e = end{c.Path.String(), c.After.Mode, after}
		}
	}
	if len(texts) == 0 {
		return e, nil
	}
	d, err := diff.Apply(text.New(before), text.New(after), texts)
	if err != nil {
		return e, err
	}
	e.data = d.Bytes()
	return e, nil
}

// append writes the part of one file as git does.
func (e ends) append(out []byte) []byte {
	p := diff.NewPatch("a/"+e.oldName, "b/"+e.newName, text.New(e.before), text.New(e.after))
	oldName, newName := e.oldName, e.newName
	if oldName == "" {
		oldName = newName
	}
	if newName == "" {
		newName = oldName
	}
	out = fmt.Appendf(out, "diff --git %s %s\n", quote("a/"+oldName), quote("b/"+newName))
	switch {
	case e.oldName == "":
		p.Old = "/dev/null"
		out = fmt.Appendf(out, "new file mode %s\n", gitMode(e.newMode))
	case e.newName == "":
		p.New = "/dev/null"
		out = fmt.Appendf(out, "deleted file mode %s\n", gitMode(e.oldMode))
	case gitMode(e.oldMode) != gitMode(e.newMode):
		out = fmt.Appendf(out, "old mode %s\nnew mode %s\n", gitMode(e.oldMode), gitMode(e.newMode))
	}
	if oldName != newName {
		out = fmt.Appendf(out, "rename from %s\nrename to %s\n", quote(oldName), quote(newName))
	}
	return p.Append(out)
}

// quote writes a name for a line that patch(1) cuts at spaces.
func quote(name string) string {
	if quoted := diff.Quote(name); quoted != name || !strings.Contains(name, " ") {
		return quoted
	}
	return `"` + name + `"`
}

// gitMode is all that git keeps of a mode.
func gitMode(m fs.FileMode) string {
	if m&0o100 != 0 {
		return "100755"
	}
	return "100644"
}
