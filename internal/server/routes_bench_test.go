package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"redline/internal/server"
	"redline/internal/wire"
)

// reviewed is a job with 12 calls and 20 hunks.
func reviewed() wire.Job {
	j := newFake().job
	yes := true
	for i := range 12 {
		j.Calls = append(j.Calls, wire.JobCall{ID: fmt.Sprint("call_", i), Tool: "read_file", Label: "Reading", OK: &yes, About: "notes/team/onboarding.md"})
	}
	file := wire.DiffFile{Path: "notes/team/onboarding.md", Base: strings.Repeat("a", 64)}
	for i := range 20 {
		file.Hunks = append(file.Hunks, wire.DiffHunk{ID: fmt.Sprintf("hunk_%016d", i), Edits: []string{fmt.Sprint("e_", i)},
			Patch: fmt.Sprintf("@@ -%d,3 +%[1]d,3 @@\n context\n-%s\n+%s\n context\n", i*10, strings.Repeat("old ", 15), strings.Repeat("new ", 15))})
	}
	j.Bundle = &wire.DiffBundle{Job: j.ID, Files: []wire.DiffFile{file}}
	return j
}

// BenchmarkJob: the snapshot of a job over loopback, by a server and by a handler that
// does nothing but write the same JSON.
func BenchmarkJob(b *testing.B) {
	f := newFake()
	f.job = reviewed()
	s := server.New(server.Options{Folders: []server.Folder{f.folder("notes")}, Guard: &server.Guard{Token: token, Public: server.Public}})
	bare := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(f.job)
	})
	b.Run("server", func(b *testing.B) { benchmarkGet(b, s.Handler()) })
	b.Run("bare", func(b *testing.B) { benchmarkGet(b, bare) })
}

func benchmarkGet(b *testing.B, h http.Handler) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r, err := http.NewRequest(http.MethodGet, srv.URL+"/api/agent/jobs/job_456", nil)
			if err != nil {
				b.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+token)
			answer, err := srv.Client().Do(r)
			if err != nil {
				b.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if err != nil || n < 5000 || answer.StatusCode != http.StatusOK {
				b.Error(answer.Status, n, err)
				return
			}
		}
	})
}

// BenchmarkRoutes: what the first request to the API waits for.
func BenchmarkRoutes(b *testing.B) {
	f := newFake()
	b.ReportAllocs()
	for b.Loop() {
		s := server.New(server.Options{Folders: []server.Folder{f.folder("notes")}})
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/folders", nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
