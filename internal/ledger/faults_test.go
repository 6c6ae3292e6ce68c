package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
	"redline/internal/text"
	"redline/internal/workspace"
)

// stagedTurn changes ten files and waits for a decision.
func stagedTurn(t *testing.T, review ledger.Review) (*desk, *ledger.TurnRecord) {
	d := newDesk(t, mixedFiles(10)...)
	turn := d.begin(review)
	mixedTurn(d, turn, 10)
	return d, d.end(turn)
}

// TestOneOfManyRefused: when one file cannot be written, none is.
func TestOneOfManyRefused(t *testing.T) {
	spoil := map[string]func(d *desk){
		"read-only file": func(d *desk) { os.Chmod(filepath.Join(d.dir, "dir6/file6.md"), 0o444) },
		"removed":        func(d *desk) { os.Remove(filepath.Join(d.dir, "dir6/file6.md")) },
		"replaced":       func(d *desk) { d.put("dir6/file6.md", "somebody else's\n") },
		"replaced by a link": func(d *desk) {
			f := filepath.Join(d.dir, "dir6/file6.md")
			os.Remove(f)
			os.Symlink("../untouched.md", f)
		},
		"replaced by folder":  func(d *desk) { f := filepath.Join(d.dir, "dir6/file6.md"); os.Remove(f); os.Mkdir(f, 0o755) },
		"name taken":          func(d *desk) { d.put("new2/file2.md", "somebody else's\n") },
		"target of move":      func(d *desk) { d.put("moved/file3.md", "somebody else's\n") },
		"deleted one changed": func(d *desk) { d.put("dir4/file4.md", "somebody else's\n") },
		"folder is a file":    func(d *desk) { d.put("moved", "a file where a folder should be\n") },
		"same size and time": func(d *desk) {
			f := filepath.Join(d.dir, "dir6/file6.md")
			info, _ := os.Stat(f)
			os.WriteFile(f, bytes.Repeat([]byte("x"), int(info.Size())), 0o644)
			os.Chtimes(f, info.ModTime(), info.ModTime())
		},
	}
	for name, spoil := range spoil {
		for _, review := range []ledger.Review{ledger.WholeTurn, ledger.Hunks} {
			t.Run(name+" "+string(review), func(t *testing.T) {
				d, rec := stagedTurn(t, review)
				spoil(d)
				before := d.tree()
				var err error
				if review == ledger.WholeTurn {
					err = d.Accept(ctx, rec.ID)
				} else {
					must(t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
					_, err = d.Apply(ctx, "s1")
				}
				if err == nil {
					t.Fatal("it went through")
				}
				d.same(before, "refused")
				if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Pending {
					t.Errorf("the turn is %s", got.Status)
				}
				d.close()
				if r := d.open(); len(r.Finished)+len(r.TakenBack)+len(r.Left) > 0 {
					t.Errorf("recovery found something to do: %+v", r)
				}
				d.same(before, "after a restart")
			})
		}
	}
}

func TestDiskFull(t *testing.T) {
	d, rec := stagedTurn(t, ledger.WholeTurn)
	d.close()
	small := t.TempDir()
	if err := mountSmall(small); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unmountSmall(small) })
	// The folder moves to a disk with room for itself and little more.
	must(t, os.CopyFS(filepath.Join(small, "folder"), os.DirFS(d.dir)))
	filler := filepath.Join(small, "filler")
	d.dir = filepath.Join(small, "folder")
	fill(t, filler)
	d.open()
	before := d.tree()
	if err := d.Accept(ctx, rec.ID); !errors.Is(err, workspace.NoSpace) {
		t.Fatalf("accept on a full disk: %v", err)
	}
	d.same(before, "on a full disk")
	must(t, os.Remove(filler))
	must(t, d.Accept(ctx, rec.ID))
	if show(d.tree()) == show(before) {
		t.Error("nothing happened once there was room")
	}
}

// TestDiskFullEndsTheTurn: a turn that writes at once and meets a full disk is
// taken back as a whole.
func TestDiskFullEndsTheTurn(t *testing.T) {
	d := newDesk(t)
	d.close()
	d.dir = t.TempDir()
	if err := mountSmall(d.dir); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unmountSmall(d.dir) })
	d.put("a.md", "a\n")
	d.open()
	before := d.tree()
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "changed\n")
	d.write(turn, "new/b.md", "new\n")
	if _, err := turn.Create(ctx, "create", path("big.md"), make([]byte, 8<<20), 0); !errors.Is(err, workspace.NoSpace) {
		t.Fatalf("got %v", err)
	}
	d.same(before, "taken back")
	if _, err := turn.Create(ctx, "create", path("c.md"), nil, 0); !errors.Is(err, ledger.TurnOver) {
		t.Errorf("the turn goes on: %v", err)
	}
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	f, err := os.Create(name)
	must(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

// TestDamagedDatabase: the user is told, and the folder is left alone.
func TestDamagedDatabase(t *testing.T) {
	d, rec := stagedTurn(t, ledger.WholeTurn)
	d.close()
	before := d.tree()
	data, err := os.ReadFile(d.db)
	must(t, err)
	for i := 4096; i < len(data); i++ {
		data[i] ^= 0x5a
	}
	must(t, os.WriteFile(d.db, data, 0o600))
	d.folder, err = workspace.Open(d.dir)
	must(t, err)
	d.store, err = sqlite.Open(ctx, d.db)
	must(t, err)
	if d.store.ReadOnly() == nil {
		t.Error("the damage is not told")
	}
	l, _, err := ledger.Open(ctx, d.folder, d.store, ledger.Options{})
	if err == nil {
		if err := l.Accept(ctx, rec.ID); err == nil {
			t.Error("accepted from a damaged database")
		}
		if turn, err := l.Begin(ctx, ledger.TurnRequest{Session: "s1", Review: ledger.Auto}); err == nil {
			if _, err := turn.Create(ctx, "create", path("x.md"), []byte("x"), 0); !errors.Is(err, ledger.ErrReadOnly) {
				t.Errorf("a write with a damaged database: %v", err)
			}
		}
	}
	d.same(before, "with a damaged database")
	d.store.Close()
}

// TestSideBySide: turns run at the same time and only commits wait for each
// other; of two edits of one line exactly one wins.
func TestSideBySide(t *testing.T) {
	d := newDesk(t, "a.md", "0\n")
	var wg sync.WaitGroup
	wins := make(chan int, 100)
	for i := range 8 {
		wg.Go(func() {
			turn, err := d.Begin(ctx, ledger.TurnRequest{Session: fmt.Sprint("s", i), Review: ledger.Auto})
			if err != nil {
				t.Error(err)
				return
			}
			for range 5 {
				s, err := turn.Read(ctx, path("a.md"))
				if err != nil {
					t.Error(err)
					return
				}
				_, err = turn.Write(ctx, "write", path("a.md"), append(bytes.Clone(s.Data), "x\n"...), s.Hash)
				switch {
				case err == nil:
					wins <- i
				case !errors.Is(err, ledger.Conflict) && !errors.Is(err, ledger.Stale):
					t.Error(err)
				}
			}
			if _, err := turn.End(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, _ := os.ReadFile(filepath.Join(d.dir, "a.md"))
	if got := strings.Count(string(data), "x\n"); got != len(wins) || got == 0 {
		t.Errorf("%d writes won, the file has %d", len(wins), got)
	}
}

func TestAudit(t *testing.T) {
	d := newDesk(t)
	for i, params := range []string{
		`{"path":"a.md","content":"hello"}`,
		`{"api_key":"sk-12345678abcdef","nested":{"Authorization":"Bearer abcdefghijkl"},"token":"sha256:00"}`,
		`{"command":"curl -H 'Authorization: Bearer abcdefghijklmnop' x"}`,
		`{"passwords":{"alice":"hunter2"},"command":"DB_PASSWORD=hunter2 make deploy --token 'x'"}`,
		``,
	} {
		must(t, d.Audit(ctx, ledger.AuditEntry{Session: "s1", Action: fmt.Sprint("tool", i), Parameters: json.RawMessage(params), Result: ledger.AuditSuccess}))
	}
	must(t, d.VerifyAudit(ctx))
	var out bytes.Buffer
	must(t, d.ExportAudit(ctx, &out))
	for _, secret := range []string{"sk-12345678", "abcdefghijkl", "hunter2"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("the export holds %s:\n%s", secret, out.String())
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || !strings.Contains(lines[0], `"content":"hello"`) {
		t.Errorf("exported\n%s", out.String())
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	// An edit of the log is found.
	for r, err := range d.store.Load(ctx, ledger.Query{Kind: "audit", ID: "000000000002"}) {
		must(t, err)
		r.Body = bytes.Replace(r.Body, []byte("tool1"), []byte("tool9"), 1)
		must(t, d.store.Save(ctx, ledger.Batch{Records: []ledger.Record{r}}))
	}
	if err := d.VerifyAudit(ctx); err == nil || !strings.Contains(err.Error(), "entry 2 was changed") {
		t.Errorf("an edited log: %v", err)
	}
}

// TestAuditOfLongTexts: an entry keeps the beginning of a long text, without its
// secrets, and is read back as it was written, whatever is in it.
func TestAuditOfLongTexts(t *testing.T) {
	d := newDesk(t)
	long := strings.Repeat("é ", 600) + "password=\"hunter2 " + strings.Repeat("x", 5000) + "\" " + strings.Repeat("end ", 1000)
	params, err := json.Marshal(map[string]string{"path": "a.md", "content": long})
	must(t, err)
	want := ledger.AuditEntry{Action: "write\xff", Parameters: params, Result: ledger.AuditError, Error: "\xfe" + long, Duration: 1500 * time.Millisecond}
	must(t, d.Audit(ctx, want))
	must(t, d.VerifyAudit(ctx))
	for e, err := range d.AuditLog(ctx) {
		must(t, err)
		if len(e.Parameters) > 2500 || len(e.Error) > 2500 || !strings.Contains(string(e.Parameters), "bytes in all]") || !strings.Contains(string(e.Parameters), `"a.md"`) {
			t.Errorf("%d bytes of parameters, %d of error:\n%s", len(e.Parameters), len(e.Error), e.Parameters)
		}
		if strings.Contains(string(e.Parameters)+e.Error, "hunter2") {
			t.Errorf("the entry holds the password:\n%s", e.Parameters)
		}
		if e.Duration != want.Duration {
			t.Errorf("duration %s", e.Duration)
		}
	}
}

func TestCollect(t *testing.T) {
	d := newDesk(t, "a.md", "0\n", "wait.md", "w\n")
	must(t, d.Baseline(ctx))
	staged := d.begin(ledger.Hunks)
	d.write(staged, "wait.md", "waiting\n")
	waiting := d.end(staged)
	var turns []string
	for i := range 20 {
		turn := d.begin([]ledger.Review{ledger.Auto, ledger.Optimistic}[i%2])
		d.write(turn, "a.md", fmt.Sprintf("%d\n%s", i, strings.Repeat(fmt.Sprintf("line %d\n", i), 2000)))
		turns = append(turns, d.end(turn).ID)
	}
	d.Close() // everything synced
	was, err := d.Usage(ctx)
	must(t, err)
	got, err := d.Collect(ctx, ledger.Retention{Turns: 3})
	must(t, err)
	if got.Turns != 17 || got.Freed == 0 || got.Usage.Blobs >= was.Blobs {
		t.Errorf("collected %+v of %+v", got, was)
	}
	if _, err := d.Undo(ctx, ledger.UndoRequest{Turn: turns[0]}); !errors.Is(err, ledger.NotFound) {
		t.Errorf("undo of a forgotten turn: %v", err)
	}
	for i := 19; i >= 17; i-- {
		if _, err := d.Undo(ctx, ledger.UndoRequest{Turn: turns[i]}); err != nil {
			t.Errorf("undo of turn %d: %v", i, err)
		}
	}
	_, err = d.Decide(ctx, "s1", hunkIDs(waiting), nil)
	must(t, err)
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("wait.md", "waiting\n")
	d.Close()
	// By size: everything that may go goes.
	if got, err = d.Collect(ctx, ledger.Retention{Bytes: 1}); err != nil {
		t.Fatal(err)
	}
	records, err := d.Records(ctx, "")
	must(t, err)
	if len(records) != 0 {
		t.Errorf("%d records are left: %+v", len(records), got)
	}
	// And the baseline still serves.
	turn := d.begin(ledger.Auto)
	_, err = turn.Shell(ctx, "bash", func(goContext) error { return os.Remove(filepath.Join(d.dir, "wait.md")) })
	must(t, err)
	rec := d.end(turn)
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.holds("wait.md", "waiting\n")
}

func TestRecordsAreBounded(t *testing.T) {
	d := newDesk(t)
	for i := range ledger.VisibleRecords + 5 {
		turn := d.begin(ledger.Optimistic)
		d.write(turn, fmt.Sprintf("%d.md", i), "x")
		d.end(turn)
	}
	records, err := d.Records(ctx, "s1")
	must(t, err)
	if len(records) != ledger.VisibleRecords || records[0].Changes[0].Path.String() != fmt.Sprintf("%d.md", ledger.VisibleRecords+4) {
		t.Errorf("%d records, the newest is %+v", len(records), records[0].Changes)
	}
}

// TestRecordShape: the change record has the fields of the document agent.
func TestRecordShape(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "b\n")
	rec := d.end(turn)
	body, err := json.Marshal(rec)
	must(t, err)
	var got map[string]any
	must(t, json.Unmarshal(body, &got))
	for _, key := range []string{"id", "conversation", "message", "checkpoint_id", "actions", "changes", "status"} {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %s", key, body)
		}
	}
	if len(d.events) != 1 || d.events[0].Type != ledger.CheckpointCreated || d.events[0].Checkpoint != rec.Checkpoint {
		t.Errorf("events %+v", d.events)
	}
}

func TestCut(t *testing.T) {
	d := newDesk(t, "a.md", "1\n2\n3\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "one\ntwo\nthree\n")
	ids := hunkIDs(d.end(turn))
	if len(ids) != 1 {
		t.Fatalf("hunks %v", ids)
	}
	for _, bad := range [][2]int{{0, 0}, {3, 3}, {-1, 1}, {4, 0}} {
		if _, _, err := d.Cut(ctx, "s1", ids[0], bad[0], bad[1]); !errors.Is(err, ledger.Invalid) {
			t.Errorf("cut at %v: %v", bad, err)
		}
	}
	first, rest, err := d.Cut(ctx, "s1", ids[0], 1, 1)
	must(t, err)
	second, third, err := d.Cut(ctx, "s1", rest, 1, 1)
	must(t, err)
	_, err = d.Decide(ctx, "s1", []string{second}, []string{first, third})
	must(t, err)
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "1\ntwo\n3\n")
}

// TestEditNotes: a call that tells its edits gets a hunk for each, also where
// they touch.
func TestEditNotes(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\n")
	turn := d.begin(ledger.Hunks)
	s, err := turn.Read(ctx, path("a.md"))
	must(t, err)
	_, err = turn.Edit(ctx, "propose_edits", ledger.EditRequest{Path: path("a.md"), Token: s.Hash, Edit: func(doc *text.Document) (*text.Document, []ledger.EditNote, error) {
		edited, err := doc.Apply(text.Edit{Range: text.Range{Start: 0, End: 1}, Content: []byte("A1\nA2\n")}, text.Edit{Range: text.Range{Start: 1, End: 2}, Content: []byte("B\n")})
		return edited, []ledger.EditNote{
			{ID: "e_1", A: text.Range{Start: 0, End: 1}, B: text.Range{Start: 0, End: 2}},
			{ID: "e_2", A: text.Range{Start: 1, End: 2}, B: text.Range{Start: 2, End: 3}},
		}, err
	}})
	must(t, err)
	rec := d.end(turn)
	hunks := rec.Changes[0].Hunks
	if len(hunks) != 2 || hunks[0].Edits[0] != "e_1" || hunks[1].Edits[0] != "e_2" {
		t.Fatalf("hunks %+v", hunks)
	}
	_, err = d.Decide(ctx, "s1", []string{hunks[1].ID}, []string{hunks[0].ID})
	must(t, err)
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "a\nB\nc\n")
}

func TestDependants(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\n")
	turn := d.begin(ledger.Hunks)
	must(t, turn.Move(ctx, "move", path("a.md"), path("new/a.md")))
	d.write(turn, "new/a.md", "a\nB\nc\n")
	rec := d.end(turn)
	var folder, move, edit string
	for _, c := range rec.Changes {
		for _, h := range c.Hunks {
			switch h.Kind {
			case ledger.FolderHunk:
				folder = h.ID
			case ledger.MoveHunk:
				move = h.ID
			case ledger.TextHunk:
				edit = h.ID
			}
		}
	}
	also, err := d.Decide(ctx, "s1", []string{edit}, nil)
	must(t, err)
	if len(also) != 2 {
		t.Errorf("accepting the edit also accepts %v, want %v", also, []string{folder, move})
	}
	also, err = d.Decide(ctx, "s1", nil, []string{folder})
	must(t, err)
	if len(also) != 2 {
		t.Errorf("rejecting the folder also rejects %v", also)
	}
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "a\nb\nc\n")
	d.gone("new")
}

// TestInterruptedTurn: a turn whose process is gone can still be undone.
func TestInterruptedTurn(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	before := d.tree()
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "b\n")
	d.write(turn, "new.md", "n\n")
	d.Close()
	// As if the process had died: the record names one that does not exist.
	for r, err := range d.store.Load(ctx, ledger.Query{Kind: "turn", ID: turn.ID()}) {
		must(t, err)
		r.Body = bytes.Replace(r.Body, []byte(fmt.Sprintf(`"process":%d`, os.Getpid())), []byte(`"process":99999999`), 1)
		must(t, d.store.Save(ctx, ledger.Batch{Records: []ledger.Record{r}}))
	}
	d.close()
	r := d.open()
	if len(r.Interrupted) != 1 || r.Interrupted[0] != turn.ID() {
		t.Fatalf("recovery %+v", r)
	}
	rec, err := d.Turn(ctx, turn.ID())
	must(t, err)
	if rec.Status != ledger.Pending || !rec.Interrupted || len(rec.Changes) != 2 {
		t.Errorf("the turn is %+v", rec)
	}
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: turn.ID()})
	must(t, err)
	d.same(before, "undone")
}

// TestManyHunks: a buffer of a thousand hunks, decided one by one.
func TestManyHunks(t *testing.T) {
	var old, new strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&old, "line %d\n", i)
		if i%4 == 0 {
			fmt.Fprintf(&new, "LINE %d\n", i)
		} else {
			fmt.Fprintf(&new, "line %d\n", i)
		}
	}
	d := newDesk(t, "a.md", old.String())
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", new.String())
	ids := hunkIDs(d.end(turn))
	if len(ids) != 1000 {
		t.Fatalf("%d hunks", len(ids))
	}
	_, err := d.Decide(ctx, "s1", nil, ids[500:501])
	must(t, err)
	s, err := d.Buffer(ctx, "s1", path("a.md"))
	must(t, err)
	if want := strings.Replace(new.String(), "LINE 2000\n", "line 2000\n", 1); string(s.Data) != want {
		t.Error("the buffer is not the proposal without the rejected hunk")
	}
}

// rewind makes the newest commit look as if the process had ended before it was
// synced, in this run of the system or in an earlier one.
func (d *desk) rewind(boot string) {
	d.t.Helper()
	d.Close()
	for r, err := range d.store.Load(ctx, ledger.Query{Kind: "commit", Newest: true, Limit: 1}) {
		must(d.t, err)
		var body map[string]any
		must(d.t, json.Unmarshal(r.Body, &body))
		body["state"] = "done"
		if boot != "" {
			body["boot"] = boot
		}
		r.State = "done"
		r.Body, err = json.Marshal(body)
		must(d.t, err)
		must(d.t, d.store.Save(ctx, ledger.Batch{Records: []ledger.Record{r}}))
	}
	d.close()
}

// TestRecoveryLeavesUsersAlone: a file that the user set back by hand is not
// changed again because its commit had not been synced.
func TestRecoveryLeavesUsersAlone(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	turn := d.begin(ledger.Auto)
	d.write(turn, "a.md", "b\n")
	d.end(turn)
	d.rewind("")
	d.put("a.md", "a\n")
	if r := d.open(); len(r.Finished) > 0 {
		t.Errorf("recovery %+v", r)
	}
	d.holds("a.md", "a\n")
}

// TestRecoveryAfterPowerFailure: a file that was renamed into place and never
// reached the disk is written again.
func TestRecoveryAfterPowerFailure(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "b.md", "b\n")
	turn := d.begin(ledger.WholeTurn)
	d.write(turn, "a.md", "A\n")
	d.write(turn, "b.md", "B\n")
	must(t, d.Accept(ctx, d.end(turn).ID))
	d.rewind("an earlier run")
	d.put("a.md", "")         // what a rename without a sync may leave
	d.put("b.md", "user's\n") // and what is somebody's
	d.open()
	d.holds("a.md", "A\n")
	d.holds("b.md", "user's\n")
}

// TestReadOnlyFolder: a folder on a read-only disk can be read and reviewed; a
// write says why it cannot be.
func TestReadOnlyFolder(t *testing.T) {
	d, rec := stagedTurn(t, ledger.WholeTurn)
	d.close()
	small := t.TempDir()
	if err := mountSmall(small); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unmountSmall(small) })
	must(t, os.CopyFS(filepath.Join(small, "folder"), os.DirFS(d.dir)))
	d.dir = filepath.Join(small, "folder")
	must(t, remountReadOnly(small))
	d.open()
	before := d.tree()
	if err := d.Accept(ctx, rec.ID); !errors.Is(err, workspace.ReadOnly) {
		t.Errorf("accept: %v", err)
	}
	d.same(before, "read-only")
	if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Pending {
		t.Errorf("the turn is %s", got.Status)
	}
}

// busyStore is a store that another process keeps locked.
type busyStore struct{ ledger.Store }

func (busyStore) Save(goContext, ledger.Batch) error { return ledger.ErrBusy }

// TestLockedDatabase: without a journal nothing is written.
func TestLockedDatabase(t *testing.T) {
	d, rec := stagedTurn(t, ledger.WholeTurn)
	before := d.tree()
	l, _, err := ledger.Open(ctx, d.folder, busyStore{d.store}, ledger.Options{})
	must(t, err)
	if err := l.Accept(ctx, rec.ID); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("accept: %v", err)
	}
	d.same(before, "with a locked database")
}
