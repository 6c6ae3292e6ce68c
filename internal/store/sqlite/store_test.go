package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/text"
)

func TestContract(t *testing.T) {
	contract(t, func(t *testing.T) store { return openTest(t, filepath.Join(t.TempDir(), "redline.db")) })
}

// openTest opens a database that can be written.
func openTest(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ReadOnly(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestReopen: what was saved is there when the file is opened again, in the one
// file that is left, for its owner only.
func TestReopen(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "folder")
	path := filepath.Join(folder, "odd name? #1 100% 'ü'.db")
	for round := range 3 {
		s, err := Open(t.Context(), path)
		if err != nil || s.ReadOnly() != nil {
			t.Fatal(err, s.ReadOnly())
		}
		if got := load(t, s, ledger.Query{}); len(got) != round {
			t.Fatalf("round %d: %d records", round, len(got))
		}
		for i := range round {
			wantBlob(t, s, note(i, 5000))
		}
		save(t, s, ledger.Batch{Blobs: [][]byte{note(round, 5000)}, Records: []ledger.Record{record("turn", fmt.Sprint(round))}})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		files, _ := os.ReadDir(folder)
		if len(files) != 1 || files[0].Name() != filepath.Base(path) {
			t.Errorf("files after Close: %v", files)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]fs.FileMode{folder: 0o700, path: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestClosed: a closed store says so.
func TestClosed(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "redline.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), ledger.Batch{Records: []ledger.Record{record("turn", "1")}}); err == nil {
		t.Error("saved in a closed store")
	}
	if _, err := s.Blob(t.Context(), text.Hash{}); err == nil || errors.Is(err, ledger.ErrNoBlob) {
		t.Errorf("blob: %v", err)
	}
}

// TestTwoHandles: two stores on one file, as in two programs, see each other's
// work at once.
func TestTwoHandles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redline.db")
	handles := []*Store{openTest(t, path), openTest(t, path)}
	for i := range 50 {
		one, other := handles[i%2], handles[(i+1)%2]
		save(t, one, ledger.Batch{Blobs: [][]byte{note(i, 500)}, Records: []ledger.Record{record("turn", fmt.Sprint(i))}, Lazy: i%3 == 0})
		wantBlob(t, other, note(i, 500))
		if got := load(t, other, ledger.Query{Newest: true, Limit: 1}); got[0].ID != fmt.Sprint(i) {
			t.Fatalf("%d: %v", i, got)
		}
	}
	// One deletes what the other has just seen and is about to save again.
	content := note(1, 500)
	blobs, err := handles[0].readBlobs(t.Context(), [][]byte{content})
	if err != nil || blobs[0].seen < 0 {
		t.Fatal(blobs, err)
	}
	if _, err := handles[1].Collect(t.Context(), nil, func(text.Hash) bool { return false }); err != nil {
		t.Fatal(err)
	}
	put := func(w *writer) error { return w.putBlobs(t.Context(), blobs) }
	if err := handles[0].write(t.Context(), "save", false, put); err != nil {
		t.Fatal(err)
	}
	wantBlob(t, handles[1], content)

	// One saves what the other has not seen, and is about to save as well.
	content = note(1000, 500)
	blobs, err = handles[0].readBlobs(t.Context(), [][]byte{content, note(1001, 500)})
	if err != nil {
		t.Fatal(err)
	}
	save(t, handles[1], ledger.Batch{Blobs: [][]byte{content}})
	if err := handles[0].write(t.Context(), "save", false, put); err != nil {
		t.Fatal(err)
	}
	wantBlob(t, handles[1], content)
	wantBlob(t, handles[1], note(1001, 500))
	var contents, rows int
	if err := handles[0].readers.db.QueryRow("SELECT (SELECT count(*) FROM contents), (SELECT count(*) FROM blobs)").Scan(&contents, &rows); err != nil {
		t.Fatal(err)
	}
	if contents != rows {
		t.Errorf("%d contents for %d hashes", contents, rows)
	}
}

// TestBusy: somebody else writes and does not stop.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redline.db")
	holder := openTest(t, path)
	s, err := open(t.Context(), path, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	batch := ledger.Batch{Blobs: [][]byte{[]byte("a")}}
	next := func(last ledger.Record) (ledger.Record, error) {
		if err := s.Save(t.Context(), batch); !errors.Is(err, ledger.ErrBusy) {
			t.Errorf("save: %v", err)
		}
		if err := s.Append(t.Context(), "audit", link("x")); !errors.Is(err, ledger.ErrBusy) {
			t.Errorf("append: %v", err)
		}
		if got := load(t, s, ledger.Query{}); len(got) != 0 { // readers do not wait
			t.Errorf("load: %v", got)
		}
		// Opening needs no lock.
		other, err := open(t.Context(), path, 50*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		// A context ends the waiting as well.
		patient, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer patient.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if err := patient.Save(ctx, batch); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("save with a deadline: %v", err)
		}
		return link("1")(last)
	}
	if err := holder.Append(t.Context(), "audit", next); err != nil {
		t.Fatal(err)
	}
	save(t, s, batch)
	wantChain(t, s, 1)
}

// TestCreateTogether: many open a new file at the same time.
func TestCreateTogether(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "new", "redline.db")
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				s, err := Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if err := s.ReadOnly(); err != nil {
					t.Error(err)
				}
				if err := s.Append(t.Context(), "audit", link(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		wantChain(t, openTest(t, path), 8)
	}
}

// TestOpenCancelled: Open gives up with its context.
func TestOpenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := Open(ctx, filepath.Join(t.TempDir(), "redline.db")); !errors.Is(err, context.Canceled) {
		t.Error(s, err)
	}
}

// TestPlans: every query goes through an index, and comes out of it in order.
// Only an id or a state without a kind stands in several places of its index.
func TestPlans(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	for bits := range 32 {
		var q ledger.Query
		if bits&1 > 0 {
			q.Kind = "turn"
		}
		if bits&2 > 0 {
			q.ID = "1"
		}
		if bits&4 > 0 {
			q.Session = "s"
		}
		if bits&8 > 0 {
			q.States = []string{"pending"}
		}
		q.Newest = bits&16 > 0
		query, args := selection(q)
		rows, err := s.readers.db.Query("EXPLAIN QUERY PLAN "+query, append(args, 0, 10, 1)...)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var ignore int
			var step string
			if err := rows.Scan(&ignore, &ignore, &ignore, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		mixed := q.Kind == "" && (q.ID != "" || q.Session == "" && len(q.States) > 0)
		sorts := slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, "TEMP B-TREE") })
		scans := slices.ContainsFunc(plan, func(step string) bool { return strings.HasPrefix(step, "SCAN") })
		if scans || sorts && !mixed {
			t.Errorf("%+v: %q", q, plan)
		}
	}
}

// TestSchema: the last migration sets the version and the mark that the program
// looks for.
func TestSchema(t *testing.T) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) != schema {
		t.Fatalf("%d migrations for schema %d, %v", len(files), schema, err)
	}
	last, _ := fs.ReadFile(migrations, files[len(files)-1])
	if !strings.Contains(string(last), fmt.Sprintf("PRAGMA user_version = %d;", schema)) {
		t.Errorf("%s does not set user_version to %d", files[len(files)-1], schema)
	}
	first, _ := fs.ReadFile(migrations, files[0])
	if !strings.Contains(string(first), fmt.Sprintf("PRAGMA application_id = %d;", application)) {
		t.Errorf("%s does not set application_id to %d", files[0], application)
	}
}

// TestDurability: a durable batch is synced when it is committed, a lazy one is
// left to the system, whatever came before.
func TestDurability(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	for i, lazy := range []bool{false, true, true, false, true, false} {
		save(t, s, ledger.Batch{Records: []ledger.Record{record("turn", fmt.Sprint(i))}, Lazy: lazy})
		var level int
		if err := s.writer.row("PRAGMA synchronous", nil, &level); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 2, true: 1}[lazy]; level != want {
			t.Errorf("lazy %v: synchronous is %d", lazy, level)
		}
	}
}

// FuzzUnpack: whatever is stored, unpacking ends, makes no more than it was
// asked for, and does not fail on what pack has made.
func FuzzUnpack(f *testing.F) {
	f.Add(zipped, 100, pack(note(1, 1000)).data)
	f.Add(raw, 3, []byte("abc"))
	f.Fuzz(func(t *testing.T, codec, size int, data []byte) {
		if size > 1<<20 {
			size %= 1 << 20
		}
		if content, err := (packed{size, codec, data}).unpack(); err == nil && len(content) != size {
			t.Errorf("%d bytes instead of %d", len(content), size)
		}
		content, err := pack(data).unpack()
		if err != nil || string(content) != string(data) {
			t.Errorf("%q came back as %q, %v", data, content, err)
		}
	})
}
