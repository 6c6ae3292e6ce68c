package redline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"redline"
	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/llm"
)

var ctx = context.Background()

// desk is a folder on which turns are made and decided.
type desk struct {
	t          *testing.T
	dir, state string
	*redline.Folder
}

// newDesk makes a folder of files, which are named in pairs of path and content.
func newDesk(t *testing.T, files ...string) *desk {
	t.Helper()
	base := t.TempDir()
	d := &desk{t: t, dir: filepath.Join(base, "folder"), state: filepath.Join(base, "state")}
	must(t, os.Mkdir(d.dir, 0o755))
	for i := 0; i+1 < len(files); i += 2 {
		d.put(files[i], files[i+1])
	}
	d.Folder = open(t, d.dir, d.state)
	t.Cleanup(func() { d.Close() })
	return d
}

func (d *desk) reopen() {
	d.t.Helper()
	must(d.t, d.Close())
	d.Folder = open(d.t, d.dir, d.state)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes as another program would.
func (d *desk) put(name, content string) {
	d.t.Helper()
	full := filepath.Join(d.dir, name)
	must(d.t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(d.t, os.WriteFile(full, []byte(content), 0o644))
}

// turn makes a turn of session "s": "a.md=text" writes, "a.md>b.md" moves, "-a.md"
// deletes.
func (d *desk) turn(review string, steps ...string) wire.Turn {
	d.t.Helper()
	t, err := d.Begin(ctx, redline.TurnOptions{Session: "s", Review: review, Message: "please", Yes: true})
	must(d.t, err)
	call := func(name string, args map[string]any) bool {
		data, err := json.Marshal(args)
		must(d.t, err)
		return !t.Run(ctx, llm.ToolCall{ID: "c", Name: name, Arguments: data}).IsError
	}
	for _, step := range steps {
		ok := false
		if name, content, is := strings.Cut(step, "="); is && call("read_document", map[string]any{"path": name}) {
			ok = call("edit_document", map[string]any{"path": name, "operation": "replace", "content": content})
		} else if is {
			folder := strings.TrimPrefix(filepath.Dir(name), ".")
			ok = call("create_document", map[string]any{"name": strings.TrimSuffix(filepath.Base(name), ".md"), "folder": folder, "content": content})
		} else if from, to, is := strings.Cut(step, ">"); is {
			ok = call("move_document", map[string]any{"from_path": from, "to_path": to})
		} else {
			ok = call("delete_document", map[string]any{"path": strings.TrimPrefix(step, "-")})
		}
		if !ok {
			d.t.Fatalf("step %q failed", step)
		}
	}
	must(d.t, t.End(ctx, false))
	turns, err := d.Turns(ctx, "s", 1)
	must(d.t, err)
	return turns[0]
}

// hunks are the ids of a turn's hunks in order.
func hunks(t wire.Turn) []string {
	var ids []string
	for _, f := range t.Files {
		for _, h := range f.Hunks {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// files is the folder on one line.
func (d *desk) files() string {
	d.t.Helper()
	var list []string
	must(d.t, filepath.WalkDir(d.dir, func(p string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(d.dir, p)
		if rel == ".redline" {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() {
			var data []byte
			data, err = os.ReadFile(p)
			list = append(list, filepath.ToSlash(rel)+"="+strings.ReplaceAll(string(data), "\n", "|"))
		}
		return err
	}))
	sort.Strings(list)
	return strings.Join(list, " ")
}

func (d *desk) holds(want string) {
	d.t.Helper()
	if got := d.files(); got != want {
		d.t.Errorf("the folder is\n %s\nwant\n %s", got, want)
	}
}

// standing is the status of a turn and its hunks: "+" on the disk, "-" not.
func (d *desk) standing(id string) string {
	d.t.Helper()
	turn, err := d.Turn(ctx, id)
	must(d.t, err)
	words := []string{turn.Status}
	for _, f := range turn.Files {
		for _, h := range f.Hunks {
			sign := "-"
			if h.Applied {
				sign = "+"
			}
			words = append(words, sign+h.State)
		}
	}
	return strings.Join(words, " ")
}

const (
	before = "a\nb\nc\nd\ne\n"
	behind = "A\nb\nc\nd\nE\n"
)

// TestDecide: every decision under every review. The turn changes two places in
// a.md (hunks 0 and 1) and one in b.md (hunk 2).
func TestDecide(t *testing.T) {
	const (
		both  = "a.md=A|b|c|d|E| b.md=B|"
		none  = "a.md=a|b|c|d|e| b.md=b|"
		first = "a.md=A|b|c|d|e| b.md=b|"
		bFile = "a.md=a|b|c|d|e| b.md=B|"
		aFile = "a.md=A|b|c|d|E| b.md=b|"
		noE   = "a.md=A|b|c|d|e| b.md=B|"
	)
	type choice struct {
		accept, reject string // numbers of hunks
		all, path      string
		turn, hold     bool
	}
	for _, test := range []struct {
		review string
		choice choice
		files  string
		stands string
		open   int
		code   ledger.Code
	}{
		{"hunks", choice{accept: "0"}, first, "pending +accepted -pending -pending", 2, ""},
		{"hunks", choice{accept: "0", hold: true}, none, "pending -accepted -pending -pending", 2, ""},
		{"hunks", choice{accept: "02", reject: "1"}, noE, "partial +accepted -rejected +accepted", 0, ""},
		{"hunks", choice{reject: "012"}, none, "rejected -rejected -rejected -rejected", 0, ""},
		{"hunks", choice{all: "accept"}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"hunks", choice{all: "accept", turn: true}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"hunks", choice{all: "reject"}, none, "rejected -rejected -rejected -rejected", 0, ""},
		{"hunks", choice{all: "accept", path: "b.md"}, bFile, "pending -pending -pending +accepted", 2, ""},
		{"hunks", choice{all: "reject", path: "b.md", turn: true}, none, "pending -pending -pending -rejected", 2, ""},
		{"hunks", choice{}, none, "pending -pending -pending -pending", 3, ""},
		{"hunks", choice{accept: "0", reject: "0"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},
		{"hunks", choice{all: "accept", path: "c.md"}, none, "pending -pending -pending -pending", 0, ledger.NotFound},
		{"hunks", choice{all: "keep"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},
		{"hunks", choice{all: "accept", reject: "0"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},
		{"hunks", choice{path: "a.md"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},

		{"turn", choice{all: "accept"}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"turn", choice{all: "accept", turn: true}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"turn", choice{all: "reject"}, none, "rejected -rejected -rejected -rejected", 0, ""},
		{"turn", choice{accept: "0"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},
		{"turn", choice{reject: "0"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},
		{"turn", choice{all: "accept", path: "a.md"}, none, "pending -pending -pending -pending", 0, ledger.Invalid},
		{"turn", choice{}, none, "pending -pending -pending -pending", 3, ""},

		{"optimistic", choice{all: "accept"}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"optimistic", choice{all: "reject"}, none, "undone -pending -pending -pending", 0, ""},
		{"optimistic", choice{all: "reject", turn: true}, none, "undone -pending -pending -pending", 0, ""},
		{"optimistic", choice{all: "reject", path: "b.md"}, aFile, "pending +pending +pending -rejected", 2, ""},
		{"optimistic", choice{all: "accept", path: "a.md"}, both, "pending +accepted +accepted +pending", 1, ""},
		{"optimistic", choice{accept: "0", reject: "1"}, noE, "pending +accepted -rejected +pending", 1, ""},
		{"optimistic", choice{accept: "02", reject: "1"}, noE, "partial +accepted -rejected +accepted", 0, ""},
		{"optimistic", choice{reject: "012"}, none, "undone -pending -pending -pending", 0, ""},
		{"optimistic", choice{}, both, "pending +pending +pending +pending", 3, ""},

		{"auto", choice{all: "accept"}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"auto", choice{all: "reject"}, both, "accepted +accepted +accepted +accepted", 0, ""},
		{"auto", choice{all: "reject", turn: true}, none, "undone -accepted -accepted -accepted", 0, ""},
		{"auto", choice{all: "reject", turn: true, path: "b.md"}, aFile, "partial +accepted +accepted -rejected", 0, ""},
		{"auto", choice{reject: "1"}, noE, "partial +accepted -rejected +accepted", 0, ""},
		{"auto", choice{all: "accept", turn: true}, both, "accepted +accepted +accepted +accepted", 0, ledger.Invalid},
		{"auto", choice{accept: "0"}, both, "accepted +accepted +accepted +accepted", 0, ledger.Invalid},
	} {
		t.Run(fmt.Sprintf("%s %+v", test.review, test.choice), func(t *testing.T) {
			d := newDesk(t, "a.md", before, "b.md", "b\n")
			turn := d.turn(test.review, "a.md="+behind, "b.md=B\n")
			decision := wire.Decision{All: test.choice.all, Path: test.choice.path, Hold: test.choice.hold}
			if test.choice.turn {
				decision.Turn = turn.ID
			}
			for _, n := range test.choice.accept {
				decision.Accept = append(decision.Accept, hunks(turn)[n-'0'])
			}
			for _, n := range test.choice.reject {
				decision.Reject = append(decision.Reject, hunks(turn)[n-'0'])
			}
			for _, session := range []string{"s", ""} { // a session's review, and that of all
				if session == "" && test.code == "" {
					break
				}
				decided, err := d.Review(session).Decide(ctx, decision)
				if ledger.CodeOf(err) != test.code || test.code == "" && err != nil {
					t.Fatalf("decide: %v, want %q", err, test.code)
				}
				if decided.Open != test.open {
					t.Errorf("%d hunks are open, want %d", decided.Open, test.open)
				}
			}
			d.holds(test.files)
			if got := d.standing(turn.ID); got != test.stands {
				t.Errorf("the turn is %q, want %q", got, test.stands)
			}
		})
	}
}

// TestDecideOnceMore: what is decided stays so, and the error says what to do.
func TestDecideOnceMore(t *testing.T) {
	for _, test := range []struct{ review, first, again, want string }{
		{"hunks", "accept", "reject", "undo it to take it back"},
		{"hunks", "reject", "accept", "nothing of it to decide"},
		{"turn", "accept", "accept", "undo it to take it back"},
		{"optimistic", "accept", "reject", "undo it to take it back"},
		{"optimistic", "reject", "accept", "redo it to bring it back"},
		{"auto", "reject", "reject", "redo it to bring it back"},
	} {
		d := newDesk(t, "a.md", before)
		turn := d.turn(test.review, "a.md="+behind)
		_, err := d.Review("").Decide(ctx, wire.Decision{All: test.first, Turn: turn.ID})
		must(t, err)
		files := d.files()
		_, err = d.Review("").Decide(ctx, wire.Decision{All: test.again, Turn: turn.ID})
		if !errors.Is(err, ledger.Invalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %s, then %s: %v", test.review, test.first, test.again, err)
		}
		d.holds(files)
	}
}

// TestDecideSessions: one session's review does not touch what another one made.
func TestDecideSessions(t *testing.T) {
	d := newDesk(t, "a.md", before)
	turn := d.turn("hunks", "a.md="+behind)
	other := d.Review("another")
	for name, decision := range map[string]wire.Decision{
		"all":  {All: "accept"},
		"none": {},
	} {
		if _, err := other.Decide(ctx, decision); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, decision := range map[string]wire.Decision{
		"turn": {All: "accept", Turn: turn.ID},
		"hunk": {Accept: hunks(turn)[:1]},
	} {
		if _, err := other.Decide(ctx, decision); !errors.Is(err, ledger.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.holds("a.md=a|b|c|d|e|")
	if turns, err := other.Open(ctx); err != nil || len(turns) != 0 {
		t.Errorf("open in another session: %v, %v", turns, err)
	}
	if _, err := other.Undo(ctx, ""); !redline.Nothing(err) {
		t.Errorf("undo in another session: %v", err)
	}
}

// TestDecideMixed: a turn under review turn, made on top of hunks that wait, is
// accepted with them.
func TestDecideMixed(t *testing.T) {
	d := newDesk(t, "a.md", before)
	first := d.turn("hunks", "a.md="+behind)
	second := d.turn("turn", "a.md="+behind+"f\n")
	decided, err := d.Review("").Decide(ctx, wire.Decision{All: "accept"})
	must(t, err)
	if len(decided.Applied) != 2 || d.standing(first.ID) != "accepted +accepted +accepted" || d.standing(second.ID) != "accepted +accepted" {
		t.Errorf("%+v: %s; %s", decided, d.standing(first.ID), d.standing(second.ID))
	}
	d.holds("a.md=A|b|c|d|E|f|")
}

// TestReviewAfterRestart: work that is decided in part goes on after a restart.
func TestReviewAfterRestart(t *testing.T) {
	d := newDesk(t, "a.md", before, "b.md", "b\n")
	turn := d.turn("hunks", "a.md="+behind, "b.md=B\n")
	ids := hunks(turn)
	_, err := d.Review("s").Decide(ctx, wire.Decision{Accept: ids[:1], Reject: ids[1:2]})
	must(t, err)
	d.reopen()
	turns, err := d.Review("").Open(ctx)
	must(t, err)
	if len(turns) != 1 || turns[0].ID != turn.ID || d.standing(turn.ID) != "pending +accepted -rejected -pending" {
		t.Fatalf("after a restart: %+v", turns)
	}
	_, err = d.Review("").Decide(ctx, wire.Decision{All: "accept"})
	must(t, err)
	d.holds("a.md=A|b|c|d|e| b.md=B|")
	if turns, err = d.Review("").Open(ctx); err != nil || len(turns) != 0 {
		t.Errorf("still open: %+v, %v", turns, err)
	}
}

// TestRejectWhatIsWritten: under review hunks a hunk that was written can still be
// rejected while others are open.
func TestRejectWhatIsWritten(t *testing.T) {
	d := newDesk(t, "a.md", before, "b.md", "b\n")
	ids := hunks(d.turn("hunks", "a.md="+behind, "b.md=B\n"))
	_, err := d.Review("s").Decide(ctx, wire.Decision{Accept: ids[:2]})
	must(t, err)
	decided, err := d.Review("s").Decide(ctx, wire.Decision{Reject: ids[:1]})
	must(t, err)
	d.holds("a.md=a|b|c|d|E| b.md=b|")
	if len(decided.Files) != 1 || decided.Files[0].Outcome != "restored" || decided.Open != 1 {
		t.Errorf("%+v", decided)
	}
	_, err = d.Review("s").Decide(ctx, wire.Decision{Accept: ids[2:]})
	must(t, err)
	d.holds("a.md=a|b|c|d|E| b.md=B|")
}

// TestRejectTheRest: what was accepted before stays when the rest is rejected.
func TestRejectTheRest(t *testing.T) {
	d := newDesk(t, "a.md", before, "b.md", "b\n")
	turn := d.turn("optimistic", "a.md="+behind, "b.md=B\n")
	_, err := d.Review("s").Decide(ctx, wire.Decision{Accept: hunks(turn)[:1]})
	must(t, err)
	_, err = d.Review("s").Decide(ctx, wire.Decision{All: "reject"})
	must(t, err)
	d.holds("a.md=A|b|c|d|e| b.md=b|")
	if got := d.standing(turn.ID); got != "partial +accepted -rejected -rejected" {
		t.Errorf("the turn is %q", got)
	}
}

// TestDecideConflict: what somebody else wrote meanwhile is not overwritten; the
// decision stays, and with a rebase, or when the conflict is gone, it is applied.
func TestDecideConflict(t *testing.T) {
	d := newDesk(t, "a.md", before)
	turn := d.turn("hunks", "a.md="+behind)
	d.put("a.md", "a\nb\nthe user's\nd\ne\n")
	_, err := d.Review("s").Decide(ctx, wire.Decision{All: "accept"})
	var conflict *ledger.Error
	if !errors.As(err, &conflict) || conflict.Code != ledger.Conflict || !conflict.Conflicts[0].Rebase {
		t.Fatalf("conflict: %v", err)
	}
	d.holds("a.md=a|b|the user's|d|e|")
	if turns, err := d.Review("").Open(ctx); err != nil || len(turns) != 1 {
		t.Fatalf("open: %+v, %v", turns, err)
	}
	must(t, d.Review("").Rebase(ctx, "a.md"))
	_, err = d.Review("s").Decide(ctx, wire.Decision{})
	must(t, err)
	d.holds("a.md=A|b|the user's|d|E|")
	if got := d.standing(turn.ID); got != "accepted +accepted +accepted" {
		t.Errorf("the turn is %q", got)
	}
	if err := d.Review("").Rebase(ctx, "b.md"); !errors.Is(err, ledger.NotFound) {
		t.Errorf("rebase of another file: %v", err)
	}
}

// TestGiveUpAConflict: a hunk that was accepted and cannot be written can be
// rejected.
func TestGiveUpAConflict(t *testing.T) {
	d := newDesk(t, "a.md", before)
	d.turn("hunks", "a.md="+behind)
	d.put("a.md", "something else\n")
	if _, err := d.Review("s").Decide(ctx, wire.Decision{All: "accept"}); !errors.Is(err, ledger.Conflict) {
		t.Fatalf("conflict: %v", err)
	}
	_, err := d.Review("s").Decide(ctx, wire.Decision{All: "reject"})
	must(t, err)
	if turns, err := d.Review("").Open(ctx); err != nil || len(turns) != 0 {
		t.Errorf("still open: %+v, %v", turns, err)
	}
	d.holds("a.md=something else|")
}

// TestRejectReportsConflicts: a change on the disk that the user went on with is
// kept, and the report says so.
func TestRejectReportsConflicts(t *testing.T) {
	d := newDesk(t, "a.md", before, "b.md", "b\n")
	d.turn("optimistic", "a.md="+behind, "b.md=B\n")
	d.put("b.md", "Bee, says the user\n")
	decided, err := d.Review("s").Decide(ctx, wire.Decision{All: "reject"})
	must(t, err)
	if n := (wire.Report{Files: decided.Files}).Conflicted(); n != 1 {
		t.Errorf("%d conflicts in %+v", n, decided.Files)
	}
	d.holds("a.md=a|b|c|d|e| b.md=Bee, says the user|")
}

// TestRejectTakesAlong: what cannot be without a rejected hunk goes with it, and is
// named.
func TestRejectTakesAlong(t *testing.T) {
	for _, review := range []string{"optimistic", "auto", "hunks"} {
		d := newDesk(t, "a.md", before)
		turn := d.turn(review, "new/b.md=b\n", "a.md>new/a.md", "new/a.md="+behind)
		var folder string
		for _, f := range turn.Files {
			if f.Verb == "folder created" {
				folder = f.Hunks[0].ID
			}
		}
		decided, err := d.Review("s").Decide(ctx, wire.Decision{Reject: []string{folder}})
		must(t, err)
		d.holds("a.md=a|b|c|d|e|")
		if want := len(hunks(turn)) - 1; len(decided.Also) != want {
			t.Errorf("%s: also %v, want %d", review, decided.Also, want)
		}
	}
}

// TestRejectBringsFoldersBack: a deleted file comes back with the folders around it,
// and what else was in them stays away.
func TestRejectBringsFoldersBack(t *testing.T) {
	d := newDesk(t, "old/sub/a.md", before, "old/sub/b.md", "b\n")
	turn := d.make([]string{"$ rm -r old"})
	var file string
	for _, f := range turn.Files {
		if f.Path == "old/sub/a.md" {
			file = f.Hunks[0].ID
		}
	}
	decided, err := d.Review("s").Decide(ctx, wire.Decision{Reject: []string{file}})
	must(t, err)
	d.holds("old/sub/a.md=a|b|c|d|e|")
	if got := d.standing(turn.ID); got != "partial -rejected -rejected -rejected +accepted" || len(decided.Also) != 2 {
		t.Errorf("the turn is %q; also %v", got, decided.Also)
	}
}

// TestSplit: a part of a hunk is decided by itself.
func TestSplit(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\n")
	turn := d.turn("hunks", "a.md=A\nB\nc\n")
	first, second, err := d.Review("").Split(ctx, hunks(turn)[0], 1, 1)
	must(t, err)
	_, err = d.Review("").Decide(ctx, wire.Decision{Accept: []string{second}, Reject: []string{first}})
	must(t, err)
	d.holds("a.md=a|B|c|")
	for _, review := range []string{"turn", "optimistic", "auto"} {
		d := newDesk(t, "a.md", "a\nb\nc\n")
		if _, _, err := d.Review("").Split(ctx, hunks(d.turn(review, "a.md=A\nB\nc\n"))[0], 1, 1); !errors.Is(err, ledger.Invalid) {
			t.Errorf("split under %s: %v", review, err)
		}
	}
	if _, _, err := d.Review("").Split(ctx, "h_none_1", 1, 1); !errors.Is(err, ledger.NotFound) {
		t.Errorf("split of nothing: %v", err)
	}
}

// TestEdit: the user's text stands for the hunk's, and the model hears of it.
func TestEdit(t *testing.T) {
	d := newDesk(t, "a.md", before)
	ids := hunks(d.turn("hunks", "a.md="+behind))
	must(t, d.Review("").Edit(ctx, ids[1], "Echo"))
	_, err := d.Review("").Decide(ctx, wire.Decision{Reject: ids[:1]})
	must(t, err)
	_, err = d.Review("").Decide(ctx, wire.Decision{})
	must(t, err)
	d.holds("a.md=a|b|c|d|Echo|")
	for _, review := range []string{"turn", "optimistic", "auto"} {
		d := newDesk(t, "a.md", before)
		if err := d.Review("").Edit(ctx, hunks(d.turn(review, "a.md="+behind))[0], "x"); !errors.Is(err, ledger.Invalid) {
			t.Errorf("edit under %s: %v", review, err)
		}
	}
}

// TestUndoNewest: undo goes from the newest turn to the oldest, redo back again, and
// both end with nothing to do.
func TestUndoNewest(t *testing.T) {
	d := newDesk(t, "a.md", before)
	d.turn("auto", "b.md=b\n")
	d.turn("optimistic", "a.md>c.md")
	d.turn("hunks", "d.md=d\n") // not on the disk
	steps := []string{d.files()}
	for {
		_, err := d.Review("").Undo(ctx, "")
		if redline.Nothing(err) {
			break
		}
		must(t, err)
		steps = append(steps, d.files())
	}
	want := []string{"b.md=b| c.md=a|b|c|d|e|", "a.md=a|b|c|d|e| b.md=b|", "a.md=a|b|c|d|e|"}
	if !slices.Equal(steps, want) {
		t.Errorf("undo: %q", steps)
	}
	for range 2 {
		_, err := d.Review("").Redo(ctx, "")
		must(t, err)
	}
	d.holds(want[0])
	if _, err := d.Review("").Redo(ctx, ""); !redline.Nothing(err) {
		t.Errorf("redo of nothing: %v", err)
	}
}

// TestIDs: ids are given in whole or in part, and what is not clear is not guessed.
func TestIDs(t *testing.T) {
	d := newDesk(t)
	lines := func(sign string) string {
		text := ""
		for i := range 12 {
			text += fmt.Sprintf("%s%d\nsame\nsame\n", sign, i)
		}
		return text
	}
	d.put("a.md", lines("a"))
	first := d.turn("hunks", "a.md="+lines("b"))
	second := d.turn("hunks", "b.md=b\n")
	bare := strings.TrimPrefix(first.ID, "turn_")
	hunk := hunks(first)[0]
	twelfth := hunks(first)[11]
	turn := func(given string) (string, error) { return d.TurnID(ctx, "", given) }
	of := func(given string) (string, error) { return d.HunkID(ctx, "", given) }
	checkpoint := func(given string) (string, error) { return d.CheckpointID(ctx, "", given) }
	for _, test := range []struct {
		complete    func(string) (string, error)
		given, want string
		code        ledger.Code
	}{
		{turn, first.ID, first.ID, ""},
		{turn, first.ID[:12], first.ID, ""},
		{turn, bare, first.ID, ""},
		{turn, bare[:6], first.ID, ""},
		{turn, redline.Last, second.ID, ""},
		{turn, "turn_", "", ledger.Invalid},
		{turn, "none", "", ledger.NotFound},
		{turn, "", "", ledger.NotFound},
		{turn, hunk, "", ledger.NotFound},
		{checkpoint, first.Checkpoint, first.Checkpoint, ""},
		{checkpoint, bare, first.Checkpoint, ""},
		{checkpoint, redline.Last, second.Checkpoint, ""},
		{of, hunk, hunk, ""},
		{of, strings.TrimPrefix(hunk, "h_"), hunk, ""},
		{of, twelfth, twelfth, ""},
		{of, hunk[:6], "", ledger.Invalid},
		{of, strings.TrimSuffix(hunk, "1") + "13", "", ledger.NotFound},
		{of, strings.TrimSuffix(hunks(second)[0], "1") + "2", "", ledger.NotFound},
	} {
		got, err := test.complete(test.given)
		if got != test.want || ledger.CodeOf(err) != test.code {
			t.Errorf("%q: %q, %v; want %q, %q", test.given, got, err, test.want, test.code)
		}
	}
	if _, _, err := d.Review("").Split(ctx, hunk, 1, 0); err != nil { // there is no …_1 any more
		t.Fatal(err)
	}
	if got, err := of(hunk); !errors.Is(err, ledger.NotFound) {
		t.Errorf("a hunk that was cut is taken for %q, %v", got, err)
	}
}

// TestOpenInOrder: what waits is listed oldest first.
func TestOpenInOrder(t *testing.T) {
	d := newDesk(t)
	var made []string
	for i, review := range []string{"hunks", "optimistic", "auto", "hunks", "turn"} {
		turn := d.turn(review, fmt.Sprintf("n%d.md=new\n", i))
		if review != "auto" {
			made = append(made, turn.ID)
		}
	}
	turns, err := d.Review("").Open(ctx)
	must(t, err)
	var open []string
	for _, t := range turns {
		open = append(open, t.ID)
	}
	if !slices.Equal(open, made) {
		t.Errorf("open: %v, want %v", open, made)
	}
}

// TestUndoOfNothing: a turn that changed nothing is taken back by doing nothing, and
// one that still runs not at all.
func TestUndoOfNothing(t *testing.T) {
	d := newDesk(t, "a.md", before)
	d.turn("auto", "b.md=b\n")
	files := d.files()
	empty, err := d.Begin(ctx, redline.TurnOptions{Session: "s"})
	must(t, err)
	must(t, empty.End(ctx, false))
	id, err := d.TurnID(ctx, "", empty.ID())
	must(t, err)
	if _, err := d.Review("").Undo(ctx, id); !redline.Nothing(err) {
		t.Errorf("undo of nothing: %v", err)
	}
	d.holds(files)

	running, err := d.Begin(ctx, redline.TurnOptions{Session: "s", Review: "auto"})
	must(t, err)
	running.Run(ctx, llm.ToolCall{ID: "c", Name: "create_document", Arguments: []byte(`{"name": "c", "content": "c"}`)})
	if _, err := d.Review("").Undo(ctx, ""); !errors.Is(err, ledger.Invalid) {
		t.Errorf("undo of a turn that runs: %v", err)
	}
	d.holds(files + " c.md=c")
	must(t, running.End(ctx, false))
	_, err = d.Review("").Undo(ctx, "")
	must(t, err)
	d.holds(files)
}

// TestUndoPart: files and hunks are taken back by name, the turn found by its hunks.
func TestUndoPart(t *testing.T) {
	d := newDesk(t, "a.md", before, "b.md", "b\n")
	turn := d.turn("auto", "a.md="+behind, "b.md=B\n")
	d.turn("auto", "c.md=c\n")
	_, err := d.Review("").UndoPart(ctx, redline.Part{Hunks: hunks(turn)[:1]})
	must(t, err)
	d.holds("a.md=a|b|c|d|E| b.md=B| c.md=c|")
	_, err = d.Review("").UndoPart(ctx, redline.Part{Turn: turn.ID, Files: []string{"b.md"}})
	must(t, err)
	d.holds("a.md=a|b|c|d|E| b.md=b| c.md=c|")
	_, err = d.Review("").UndoPart(ctx, redline.Part{Files: []string{"a.md"}}) // not the last turn
	must(t, err)
	d.holds("a.md=a|b|c|d|e| b.md=b| c.md=c|")
	if _, err := d.Review("").UndoPart(ctx, redline.Part{Files: []string{"a.md"}}); !redline.Nothing(err) {
		t.Errorf("once more: %v", err)
	}
	for name, part := range map[string]redline.Part{
		"of another turn":        {Turn: "turn_none", Hunks: hunks(turn)[1:2]},
		"unattributed, unnamed":  {Unattributed: true},
		"not in the turn":        {Turn: turn.ID, Files: []string{"c.md"}},
		"outside of the folder":  {Files: []string{"../a.md"}},
		"a hunk that is not one": {Hunks: []string{"h_none_1"}},
	} {
		if _, err := d.Review("").UndoPart(ctx, part); err == nil || redline.Nothing(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.holds("a.md=a|b|c|d|e| b.md=b| c.md=c|")
}
