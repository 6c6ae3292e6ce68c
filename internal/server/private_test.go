package server_test

import (
	"net/http/httptest"
	"testing"

	"redline/internal/server"
)

// TestPrivate: what a program asks its own server is answered as everybody is answered.
func TestPrivate(t *testing.T) {
	folder := newFake().folder("notes")
	public, private := server.New(server.Options{Folders: []server.Folder{folder}}), server.New(server.Options{Folders: []server.Folder{folder}, Private: true})
	for _, path := range []string{"/api/turns/turn_1", "/api/turns/turn_1/lines", "/api/turns/none", "/api/turns/none/lines"} {
		var got [2]*httptest.ResponseRecorder
		for i, s := range []*server.Server{public, private} {
			got[i] = httptest.NewRecorder()
			s.Handler().ServeHTTP(got[i], httptest.NewRequest("GET", path, nil))
		}
		if got[0].Code != got[1].Code || got[0].Body.String() != got[1].Body.String() {
			t.Errorf("%s: %d %s, want %d %s", path, got[1].Code, got[1].Body, got[0].Code, got[0].Body)
		}
	}
}
