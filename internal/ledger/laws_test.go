package ledger_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// The laws as properties: random trees, random turns, random edits by the user
// in between, random decisions.

type chance struct{ *rand.Rand }

func (r chance) pick(s []string) string { return s[r.IntN(len(s))] }

func (r chance) doc() string {
	eol := r.pick([]string{"\n", "\n", "\r\n"})
	var b strings.Builder
	if r.IntN(10) == 0 {
		b.WriteString(text.BOM)
	}
	for range r.IntN(12) {
		if r.IntN(12) == 0 {
			eol = r.pick([]string{"\n", "\r\n"})
		}
		fmt.Fprintf(&b, "line %d%s", r.IntN(40), eol)
	}
	s := b.String()
	if r.IntN(4) == 0 {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

// change edits a text at a few places, each edit marked.
func (r chance) change(s, mark string) string {
	d := text.FromString(s)
	for range 1 + r.IntN(3) {
		at := r.IntN(d.Lines() + 1)
		end := min(d.Lines(), at+r.IntN(3))
		content := fmt.Sprintf("%s %d\n", mark, r.IntN(1_000_000))
		if r.IntN(6) == 0 {
			content = ""
		}
		if e, err := d.Apply(text.Edit{Range: text.Range{Start: at, End: end}, Content: []byte(content)}); err == nil {
			d = e
		}
	}
	return d.String()
}

var lawNames = []string{"a.md", "b.md", "c.md", "dir/d.md", "dir/e.md", "dir/sub/f.md", "new/g.md", "new/h.md"}

func (r chance) desk(t *testing.T) *desk {
	var files []string
	for _, name := range lawNames[:6] {
		if r.IntN(4) > 0 {
			files = append(files, name, r.doc())
		}
	}
	return newDesk(t, files...)
}

// act does something random in a turn; errors of the folder are part of it.
func (r chance) act(d *desk, turn *ledger.Turn) {
	name := r.pick(lawNames)
	s, err := turn.Read(ctx, path(name))
	switch x := r.IntN(12); {
	case err != nil:
		_, err = turn.Create(ctx, "create", path(name), []byte(r.doc()), 0)
	case x < 6:
		_, err = turn.Write(ctx, "write", path(name), []byte(r.change(string(s.Data), "agent")), text.Hash{})
	case x < 8:
		err = turn.Move(ctx, "move", path(name), path(r.pick(lawNames)))
	case x < 9:
		err = turn.Delete(ctx, "delete", path(name))
	case x < 10:
		err = turn.Delete(ctx, "delete", path("dir"))
	case x < 11:
		err = turn.Move(ctx, "move", path("dir"), path("other/dir"))
	default:
		err = turn.Chmod(ctx, "chmod", path(name), 0o600)
	}
	if err != nil && workspace.CodeOf(err) == "" {
		d.t.Fatalf("%s: %v", name, err)
	}
}

// lawRounds is how many random stories each law is tried on; REDLINE_LAWS says
// so.
func lawRounds() int {
	if n, err := strconv.Atoi(os.Getenv("REDLINE_LAWS")); err == nil {
		return n
	}
	if testing.Short() {
		return 15
	}
	return 120
}

// TestLawUndo: undo of a turn gives the bytes before it, undo of the undo the
// bytes behind it; also with turns on top of it that are undone first.
func TestLawUndo(t *testing.T) {
	for seed := range uint64(lawRounds()) {
		r := chance{rand.New(rand.NewPCG(seed, 11))}
		d := r.desk(t)
		states := []map[string]string{d.tree()}
		var turns []string
		for range 1 + r.IntN(3) {
			turn := d.begin([]ledger.Review{ledger.Optimistic, ledger.Auto, ledger.WholeTurn}[r.IntN(3)])
			for range 1 + r.IntN(6) {
				r.act(d, turn)
			}
			rec := d.end(turn)
			if rec.Status == ledger.Empty {
				continue
			}
			if rec.Review == ledger.WholeTurn {
				must(t, d.Accept(ctx, rec.ID))
			}
			turns = append(turns, rec.ID)
			states = append(states, d.tree())
		}
		for i := len(turns) - 1; i >= 0; i-- {
			report, err := d.Undo(ctx, ledger.UndoRequest{Turn: turns[i]})
			must(t, err)
			if !report.Clean() {
				t.Fatalf("seed %d: undo %+v", seed, report)
			}
			d.same(states[i], fmt.Sprintf("seed %d: undo of turn %d", seed, i))
		}
		for i := range turns {
			_, err := d.Redo(ctx, ledger.UndoRequest{Turn: turns[i]})
			must(t, err)
			d.same(states[i+1], fmt.Sprintf("seed %d: redo of turn %d", seed, i))
		}
		if t.Failed() {
			return
		}
		d.close()
	}
}

// markers are the lines that the user wrote, wherever they are.
func markers(tree map[string]string) []string {
	var out []string
	for _, content := range tree {
		for line := range strings.Lines(content) {
			if i := strings.Index(line, "USER"); i >= 0 {
				out = append(out, strings.TrimRight(line[i:], "\r\n"))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestLawNothingUnseen: whatever is undone, redone, applied or rebased, no line
// that the user wrote disappears.
func TestLawNothingUnseen(t *testing.T) {
	for seed := range uint64(lawRounds()) {
		r := chance{rand.New(rand.NewPCG(seed, 22))}
		d := r.desk(t)
		var turns []string
		for range 8 {
			before := markers(d.tree())
			switch r.IntN(6) {
			case 0, 1:
				turn := d.begin(ledger.Optimistic)
				for range 1 + r.IntN(3) {
					r.actKeeping(d, turn)
				}
				if rec := d.end(turn); rec.Status != ledger.Empty {
					turns = append(turns, rec.ID)
				}
			case 2, 3:
				before = append(before, r.user(d, seed)...)
			case 4:
				if len(turns) > 0 {
					_, err := d.Undo(ctx, ledger.UndoRequest{Turn: r.pick(turns)})
					tolerate(t, err)
				}
			case 5:
				_, err := d.Redo(ctx, ledger.UndoRequest{Session: "s1"})
				tolerate(t, err)
			}
			now := markers(d.tree())
			for _, m := range before {
				if !slices.Contains(now, m) {
					t.Fatalf("seed %d: the user's %q is gone", seed, m)
				}
			}
		}
		d.close()
	}
}

func tolerate(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, ledger.NothingToUndo) && !errors.Is(err, ledger.Conflict) {
		t.Fatal(err)
	}
}

// actKeeping changes files as an agent does that leaves the user's lines alone.
func (r chance) actKeeping(d *desk, turn *ledger.Turn) {
	name := r.pick(lawNames)
	s, err := turn.Read(ctx, path(name))
	if err != nil {
		_, _ = turn.Create(ctx, "create", path(name), []byte(r.doc()), 0)
		return
	}
	if r.IntN(4) == 0 {
		_ = turn.Move(ctx, "move", path(name), path(r.pick(lawNames)))
		return
	}
	if strings.Contains(string(s.Data), "USER") {
		doc := text.New(s.Data)
		at := r.IntN(doc.Lines() + 1)
		edited, err := doc.Apply(text.Edit{Range: text.Range{Start: at, End: at}, Content: []byte("agent adds\n")})
		must(d.t, err)
		_, err = turn.Write(ctx, "write", path(name), edited.Bytes(), text.Hash{})
		must(d.t, err)
		return
	}
	_, err = turn.Write(ctx, "write", path(name), []byte(r.change(string(s.Data), "agent")), text.Hash{})
	must(d.t, err)
}

// user edits, adds, or renames a file on the disk.
func (r chance) user(d *desk, seed uint64) []string {
	name := r.pick(lawNames)
	full := filepath.Join(d.dir, name)
	mark := fmt.Sprintf("USER %d %d", seed, r.IntN(1_000_000))
	data, err := os.ReadFile(full)
	if err == nil && r.IntN(5) == 0 {
		to := filepath.Join(d.dir, "renamed by user.md")
		if _, err := os.Stat(to); err != nil {
			must(d.t, os.Rename(full, to))
		}
		return nil
	}
	doc := text.New(data)
	at := r.IntN(doc.Lines() + 1)
	edited, err := doc.Apply(text.Edit{Range: text.Range{Start: at, End: at}, Content: []byte(mark + "\n")})
	must(d.t, err)
	d.put(name, edited.String())
	return []string{mark}
}

// TestLawHunks: under review "hunks", reject all is the base, accept all is the
// proposal, and any subset applies: the buffer and the disk agree.
func TestLawHunks(t *testing.T) {
	for seed := range uint64(lawRounds()) {
		r := chance{rand.New(rand.NewPCG(seed, 33))}
		d := r.desk(t)
		base := d.tree()
		for range 1 + r.IntN(3) {
			turn := d.begin(ledger.Hunks)
			for range 1 + r.IntN(5) {
				r.act(d, turn)
			}
			d.end(turn)
		}
		d.same(base, fmt.Sprintf("seed %d: staged", seed))
		// Decide one by one at random; refusals are part of it.
		ids, err := d.PendingHunks(ctx, "s1")
		must(t, err)
		r.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
		for _, id := range ids {
			var err error
			if r.IntN(2) == 0 {
				_, err = d.Decide(ctx, "s1", []string{id}, nil)
			} else {
				_, err = d.Decide(ctx, "s1", nil, []string{id})
			}
			if err != nil && !errors.Is(err, ledger.Conflict) && !errors.Is(err, ledger.NotFound) {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		want := map[string]string{}
		for _, name := range lawNames {
			if s, err := d.Buffer(ctx, "s1", path(name)); err == nil && s.Kind == ledger.File {
				want[name] = string(s.Data)
			}
		}
		// What is still open is accepted; then the buffer is what gets applied.
		if err := d.DecideAll(ctx, "s1", workspace.Path{}, true); err != nil {
			if errors.Is(err, ledger.Conflict) {
				d.close()
				continue // open hunks need rejected ones: there is nothing to apply as a whole
			}
			t.Fatal(err)
		}
		if _, err := d.Apply(ctx, "s1"); err != nil {
			t.Fatalf("seed %d: apply: %v", seed, err)
		}
		for _, name := range lawNames {
			data, err := os.ReadFile(filepath.Join(d.dir, name))
			if content, ok := want[name]; ok != (err == nil) || content != string(data) {
				t.Fatalf("seed %d: %s holds %q, the buffer held %q", seed, name, data, content)
			}
		}
		d.close()
	}
}

// TestLawRejectAll: whatever was decided before, rejecting all leaves the disk
// as it was.
func TestLawRejectAll(t *testing.T) {
	for seed := range uint64(lawRounds() / 2) {
		r := chance{rand.New(rand.NewPCG(seed, 44))}
		d := r.desk(t)
		base := d.tree()
		for range 1 + r.IntN(3) {
			turn := d.begin(ledger.Hunks)
			for range 1 + r.IntN(5) {
				r.act(d, turn)
			}
			d.end(turn)
		}
		ids, err := d.PendingHunks(ctx, "s1")
		must(t, err)
		if _, err := d.Decide(ctx, "s1", nil, ids); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		_, err = d.Apply(ctx, "s1")
		must(t, err)
		d.same(base, fmt.Sprintf("seed %d: reject all", seed))
		for _, name := range lawNames {
			s, err := d.Buffer(ctx, "s1", path(name))
			must(t, err)
			if got := strings.TrimPrefix(base[name], "-rw-r--r-- "); s.Kind == ledger.File && string(s.Data) != got {
				t.Fatalf("seed %d: the buffer of %s is %q, want %q", seed, name, s.Data, got)
			}
		}
		d.close()
	}
}
