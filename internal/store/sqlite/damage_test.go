package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
)

// sample copies a database of some size and returns its path. hot has the
// newest batch in the -wal file, as a killed process leaves it.
func sample(t *testing.T, hot bool) string {
	t.Helper()
	files, err := tidySample()
	if hot {
		files, err = hotSample()
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "redline.db")
	for suffix, data := range files {
		if err := os.WriteFile(path+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

var (
	tidySample = sync.OnceValues(func() (map[string][]byte, error) { return makeSample(false) })
	hotSample  = sync.OnceValues(func() (map[string][]byte, error) { return makeSample(true) })
)

// makeSample returns the files of a database, by what their names end in.
func makeSample(hot bool) (files map[string][]byte, err error) {
	folder, err := os.MkdirTemp("", "redline-sample")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "made.db")
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	batch := ledger.Batch{Blobs: [][]byte{sampleNoise()}}
	for i := range 300 {
		batch.Blobs = append(batch.Blobs, sampleNote(i))
		batch.Records = append(batch.Records, record("turn", fmt.Sprint(i)))
	}
	if err := errors.Join(s.Save(ctx, batch), s.truncateLog(ctx)); err != nil {
		return nil, err
	}
	if hot {
		batch = ledger.Batch{Blobs: [][]byte{[]byte("hot")}, Records: []ledger.Record{record("turn", "hot")}}
		err = s.Save(ctx, batch)
	} else {
		err = s.Close()
	}
	files = map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		if data, err := os.ReadFile(path + suffix); err == nil {
			files[suffix] = data
		}
	}
	return files, err
}

func sampleNote(i int) []byte { return note(i, 4000) }

// sampleNoise cannot be compressed, so nothing but its hash shows damage.
func sampleNoise() []byte { return noise(1, 4000) }

// overwrite puts garbage over a part of the file, or cuts it if n is negative.
func overwrite(t *testing.T, path string, at, n int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n < 0 {
		err = f.Truncate(at)
	} else {
		_, err = f.WriteAt(noise(int(at), int(n)), at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// root is the page where a table or an index begins.
func root(t *testing.T, path, name string) (offset int64) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&offset); err != nil {
		t.Fatal(err)
	}
	return (offset - 1) * pageSize
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// TestDamage: whatever is wrong with the file, it is opened, says what to do,
// shows what can be read, takes nothing, and is not changed by a byte.
func TestDamage(t *testing.T) {
	for name, c := range map[string]struct {
		hot      bool
		harm     func(t *testing.T, path string)
		says     string
		readable bool // records and contents can be read
	}{
		"no database":      {harm: func(t *testing.T, p string) { overwrite(t, p, 0, 100_000) }, says: "move it away"},
		"a short text":     {harm: func(t *testing.T, p string) { os.WriteFile(p, []byte("hello\n"), 0o600) }, says: "move it away"},
		"a damaged header": {harm: func(t *testing.T, p string) { overwrite(t, p, 3, 10) }, says: "move it away"},
		"a damaged schema": {harm: func(t *testing.T, p string) { overwrite(t, p, 100, pageSize-100) }, says: "move it away"},
		"cut in the middle": {harm: func(t *testing.T, p string) {
			info, _ := os.Stat(p)
			overwrite(t, p, info.Size()/2, -1)
		}, says: "move it away"},
		"cut to one page":     {harm: func(t *testing.T, p string) { overwrite(t, p, pageSize, -1) }, says: "move it away"},
		"cut to nothing":      {hot: true, harm: func(t *testing.T, p string) { overwrite(t, p, 0, -1) }, says: "move it away"},
		"a damaged table":     {harm: func(t *testing.T, p string) { overwrite(t, p, root(t, p, "blobs"), pageSize) }, says: "move it away"},
		"a damaged index":     {harm: func(t *testing.T, p string) { overwrite(t, p, root(t, p, "records_session"), pageSize) }, says: "move it away", readable: true},
		"a missing index":     {harm: func(t *testing.T, p string) { execute(t, p, "DROP INDEX records_state") }, says: "move it away", readable: true},
		"damaged, with a log": {hot: true, harm: func(t *testing.T, p string) { overwrite(t, p, root(t, p, "blobs"), pageSize) }, says: "move it away"},
		"of another program": {harm: func(t *testing.T, p string) {
			os.Remove(p)
			execute(t, p, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
		}, says: "does not belong to Redline"},
		"of a later program":      {harm: func(t *testing.T, p string) { execute(t, p, "PRAGMA user_version = 99") }, says: "update Redline", readable: true},
		"later, in another state": {harm: func(t *testing.T, p string) { execute(t, p, "PRAGMA user_version = 99; DROP TABLE blobs") }, says: "update Redline"},
	} {
		t.Run(name, func(t *testing.T) {
			path := sample(t, c.hot)
			c.harm(t, path)
			before := contents(t, path)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.ReadOnly(); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("the reason is %v", err)
			}
			wantReadOnly(t, s)
			readAll(t, s, c.readable)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			for suffix, data := range contents(t, path) {
				if !bytes.Equal(data, before[suffix]) {
					t.Errorf("the file %s was changed", filepath.Base(path)+suffix)
				}
			}
		})
	}
}

// contents are the bytes of the files that matter.
func contents(t *testing.T, path string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		found[suffix] = data
	}
	return found
}

func wantReadOnly(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Save(t.Context(), ledger.Batch{Blobs: [][]byte{[]byte("new")}}); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("save: %v", err)
	}
	if err := s.Append(t.Context(), "audit", link("1")); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("append: %v", err)
	}
	if _, err := s.Collect(t.Context(), nil, func(text.Hash) bool { return false }); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("collect: %v", err)
	}
}

// readAll reads the sample, without a panic in any case.
func readAll(t *testing.T, s *Store, readable bool) {
	t.Helper()
	records := 0
	for _, err := range s.Load(t.Context(), ledger.Query{Kind: "turn"}) {
		if err != nil {
			if readable {
				t.Error(err)
			}
			break
		}
		records++
	}
	if readable && records < 300 {
		t.Errorf("%d records of 300", records)
	}
	for i := range 300 {
		got, err := s.Blob(t.Context(), text.Sum(sampleNote(i)))
		if readable && err != nil {
			t.Error(err)
		}
		if err == nil && !bytes.Equal(got, sampleNote(i)) {
			t.Errorf("content %d is wrong", i)
		}
	}
	if u, err := s.Usage(t.Context()); err == nil && u.DiskBytes == 0 {
		t.Errorf("usage %+v", u)
	}
}

// TestDamageMetLater: damage that Open does not look for is met when it is
// read, ends all writing, and the rest can be read on.
func TestDamageMetLater(t *testing.T) {
	for _, hot := range []bool{false, true} {
		for name, content := range map[string][]byte{"packed": sampleNote(150), "raw": sampleNoise()} {
			t.Run(fmt.Sprint(name, ", log ", hot), func(t *testing.T) { damageMetLater(t, hot, content) })
		}
	}
}

func damageMetLater(t *testing.T, hot bool, content []byte) {
	path := sample(t, hot)
	stored := pack(content).data
	at := bytes.Index(contents(t, path)[""], stored)
	if at < 0 {
		t.Fatal("the content is not where it was expected")
	}
	overwrite(t, path, int64(at+len(stored)/2), 10)
	before := contents(t, path)

	s, err := Open(t.Context(), path)
	if err != nil || s.ReadOnly() != nil {
		t.Fatal(err, s.ReadOnly())
	}
	wantBlob(t, s, sampleNote(100))
	_, err = s.Blob(t.Context(), text.Sum(content))
	if err == nil || !strings.Contains(err.Error(), "damaged") || errors.Is(err, ledger.ErrNoBlob) {
		t.Errorf("a damaged content: %v", err)
	}
	wantReadOnly(t, s)
	wantBlob(t, s, sampleNote(100))
	if hot {
		wantBlob(t, s, []byte("hot"))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for suffix, data := range contents(t, path) {
		if (suffix == "" || hot) && !bytes.Equal(data, before[suffix]) {
			t.Errorf("the file %q was changed", filepath.Base(path)+suffix)
		}
	}
}

// TestDamageMetBySave: a write that runs into a damaged page.
func TestDamageMetBySave(t *testing.T) {
	path := sample(t, false)
	s := openTest(t, path)
	overwrite(t, path, root(t, path, "records_id"), pageSize) // after the look of Open
	s.writer.conn.ExecContext(t.Context(), "PRAGMA shrink_memory")
	err := s.Save(t.Context(), ledger.Batch{Blobs: [][]byte{[]byte("new")}, Records: []ledger.Record{record("turn", "0")}})
	if !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("save: %v", err)
	}
	if err := s.ReadOnly(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the reason is %v", err)
	}
	wantReadOnly(t, s)
	wantNoBlob(t, s, []byte("new"))
}
