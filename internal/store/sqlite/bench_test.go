package sqlite

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/text"
	"redline/internal/wire"
)

// corpus is the benchmark notes of this repository, if they were made, or text
// of the same kind.
func corpus(b *testing.B, n int) [][]byte {
	b.Helper()
	var notes [][]byte
	_ = filepath.WalkDir("../../../.bench/notes", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(notes) == n {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil && len(data) > 0 {
			notes = append(notes, data)
		}
		return nil
	})
	for i := len(notes); i < n; i++ {
		notes = append(notes, note(i, 4<<10))
	}
	return notes
}

// note is text that packs about as well as prose, and differs for each i.
func note(i, size int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	var out strings.Builder
	fmt.Fprintf(&out, "# Note %d\n\n", i)
	for out.Len() < size {
		for range 1 + r.IntN(4) {
			out.WriteString([]string{"ba", "ke", "ti", "mo", "ru", "shan", "prel", "dro", "vai", "eng"}[r.IntN(10)])
		}
		out.WriteString([]string{" ", " ", " ", ", ", ".\n"}[r.IntN(5)])
	}
	return []byte(out.String())[:size]
}

func openBench(b *testing.B, path string) *Store {
	b.Helper()
	s, err := Open(b.Context(), path)
	if err != nil || s.ReadOnly() != nil {
		b.Fatal(err, s.ReadOnly())
	}
	return s
}

// BenchmarkSnapshot is the first saving of a whole folder: 20,000 notes.
func BenchmarkSnapshot(b *testing.B) {
	notes := corpus(b, 20_000)
	for _, lazy := range []bool{false, true} {
		b.Run(fmt.Sprintf("lazy=%v", lazy), func(b *testing.B) {
			var disk int64
			for b.Loop() {
				b.StopTimer()
				path := filepath.Join(b.TempDir(), "redline.db")
				s := openBench(b, path)
				b.StartTimer()
				if err := s.Save(b.Context(), ledger.Batch{Blobs: notes, Lazy: lazy}); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				disk = s.diskBytes()
				os.Remove(path)
				b.StartTimer()
			}
			b.ReportMetric(float64(disk)/1e6, "MB-on-disk")
		})
	}
}

// BenchmarkSnapshotAgain saves a folder of which everything is there.
func BenchmarkSnapshotAgain(b *testing.B) {
	notes := corpus(b, 20_000)
	s := openBench(b, filepath.Join(b.TempDir(), "redline.db"))
	defer s.Close()
	if err := s.Save(b.Context(), ledger.Batch{Blobs: notes, Lazy: true}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Save(b.Context(), ledger.Batch{Blobs: notes}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave is what a turn over 200 files costs.
func BenchmarkSave(b *testing.B) {
	for _, lazy := range []bool{false, true} {
		b.Run(fmt.Sprintf("lazy=%v", lazy), func(b *testing.B) {
			notes := corpus(b, 20_000)
			s := openBench(b, filepath.Join(b.TempDir(), "redline.db"))
			defer s.Close()
			for i := 0; b.Loop(); i++ {
				batch := ledger.Batch{Lazy: lazy}
				for j := range 200 {
					content := append([]byte(fmt.Sprintf("%d\n", i)), notes[(i*200+j)%len(notes)]...)
					batch.Blobs = append(batch.Blobs, content)
				}
				batch.Records = []ledger.Record{{Key: ledger.Key{Kind: "turn", ID: fmt.Sprint(i)}, Body: []byte(`{"a":1}`)}}
				if err := s.Save(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSaveRecord(b *testing.B) {
	for _, lazy := range []bool{false, true} {
		b.Run(fmt.Sprintf("lazy=%v", lazy), func(b *testing.B) {
			s := openBench(b, filepath.Join(b.TempDir(), "redline.db"))
			defer s.Close()
			for i := 0; b.Loop(); i++ {
				r := ledger.Record{Key: ledger.Key{Kind: "turn", ID: fmt.Sprint(i)}, Body: []byte(`{"a":1}`)}
				if err := s.Save(b.Context(), ledger.Batch{Records: []ledger.Record{r}, Lazy: lazy}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSaveJob is what each event of a job costs.
func BenchmarkSaveJob(b *testing.B) {
	s := openBench(b, filepath.Join(b.TempDir(), "redline.db"))
	defer s.Close()
	data := json.RawMessage(fmt.Sprintf(`{"output":%q}`, note(1, 600)))
	var j *session.JobRecord
	for i := 0; b.Loop(); i++ {
		if i%40 == 0 {
			j = job(fmt.Sprint("job_", i), "s", wire.JobRunning)
			for range 12 {
				j.Calls = append(j.Calls, wire.JobCall{ID: "call_1", Tool: "read_file", Label: "Read", About: "notes/a.md"})
			}
		}
		events := happen(j, 1)
		events[0].Data = data
		if err := s.SaveJob(b.Context(), j, 3000, events...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJobEvents reads the newest 40 of 3000 events.
func BenchmarkJobEvents(b *testing.B) {
	s := openBench(b, filepath.Join(b.TempDir(), "redline.db"))
	defer s.Close()
	j := job("job_1", "s", wire.JobRunning)
	if err := s.SaveJob(b.Context(), j, 3000, happen(j, 3000)...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if events, err := s.JobEvents(b.Context(), "job_1", 2960, 0); err != nil || len(events) != 40 {
			b.Fatal(len(events), err)
		}
	}
}

// BenchmarkBlob100 reads 100 notes.
func BenchmarkBlob100(b *testing.B) {
	notes := corpus(b, 20_000)
	s := openBench(b, filepath.Join(b.TempDir(), "redline.db"))
	defer s.Close()
	if err := s.Save(b.Context(), ledger.Batch{Blobs: notes, Lazy: true}); err != nil {
		b.Fatal(err)
	}
	hashes := make([]text.Hash, len(notes))
	for i, n := range notes {
		hashes[i] = text.Sum(n)
	}
	for i := 0; b.Loop(); i += 100 {
		for j := range 100 {
			if _, err := s.Blob(b.Context(), hashes[(i+j)%len(hashes)]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkOpen opens and closes a database with 20,000 notes.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "redline.db")
	s := openBench(b, path)
	if err := s.Save(b.Context(), ledger.Batch{Blobs: corpus(b, 20_000), Lazy: true}); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := openBench(b, path)
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkCreate(b *testing.B) {
	folder := b.TempDir()
	for i := 0; b.Loop(); i++ {
		if err := openBench(b, filepath.Join(folder, fmt.Sprint(i))).Close(); err != nil {
			b.Fatal(err)
		}
	}
}
