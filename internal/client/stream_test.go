package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"redline/internal/wire"
)

// message is one of a stream of events.
func message(cursor int, kind string) string {
	id := ""
	if cursor > 0 {
		id = fmt.Sprintf("id: %d\n", cursor)
	}
	return fmt.Sprintf("%sevent: %s\ndata: {\"cursor\":%d,\"type\":%q,\"data\":{}}\n\n", id, kind, cursor, kind)
}

// TestFollow: each element of streams is what one connection says before it is cut off.
func TestFollow(t *testing.T) {
	tests := []struct {
		name    string
		streams []string
		want    []string // events, with their cursors
		asked   []string // the Last-Event-IDs of the connections
		err     string
	}{
		{
			name:    "a job that is over",
			streams: []string{":\n\n" + message(4, "progress") + message(0, "message_update") + message(5, "job.completed") + "event: end\ndata: {}\n\n"},
			want:    []string{"4 progress", "0 message_update", "5 job.completed"},
			asked:   []string{"3"},
		},
		{
			name: "cut off, in the middle of an event, and told again",
			streams: []string{
				message(4, "a") + "id: 5\nevent: b\nda",
				message(4, "a") + message(5, "b"),
				message(6, "c") + "event: reload\ndata: {}\n\n",
				"event: end\ndata: {}\n\n",
			},
			want:  []string{"4 a", "5 b", "6 c"},
			asked: []string{"3", "4", "5", "6"},
		},
		{
			name:    "lines that end in CR and LF, comments, fields of later versions",
			streams: []string{": hello\r\n\r\nretry: 10\r\nevent: a\r\ndata: {\"cursor\":4,\"type\":\"a\"}\r\n\r\nevent: end\r\ndata: {}\r\n\r\n"},
			want:    []string{"4 a"},
			asked:   []string{"3"},
		},
		{
			name:    "a server that says nothing any more",
			streams: []string{message(4, "a"), "", "", "", "", "", "", ""},
			want:    []string{"4 a"},
			asked:   []string{"3", "4", "4", "4", "4"},
			err:     "the server at http://server.test does not answer: unexpected EOF",
		},
		{
			name:  "a job that is not there",
			asked: []string{"3"},
			err:   "there is no job j1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				c, _ := serve(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					asked = append(asked, r.Header.Get("Last-Event-ID"))
					if len(tt.streams) < len(asked) {
						w.WriteHeader(http.StatusNotFound)
						fmt.Fprint(w, `{"error":"not_found","message":"there is no job j1","details":{}}`)
						return
					}
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, tt.streams[len(asked)-1])
				}))
				var got []string
				var failed error
				for e, err := range c.Follow(t.Context(), "j1", 3) {
					if failed = err; err == nil {
						got = append(got, fmt.Sprint(e.Cursor, " ", e.Type))
					}
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("events (-want +got):\n%s", d)
				}
				if d := cmp.Diff(tt.asked, asked); d != "" {
					t.Errorf("connections (-want +got):\n%s", d)
				}
				if failed != nil && failed.Error() != tt.err || failed == nil && tt.err != "" {
					t.Errorf("error %v, want %q", failed, tt.err)
				}
			})
		})
	}
}

// TestFollowEnds: a reader that has enough, or whose context ends, leaves nothing.
func TestFollowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := serve(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, message(1, "a"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		for _, err := range c.Follow(t.Context(), "j1", 0) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for e, err := range c.Follow(ctx, "j1", 0) {
			if last = err; e.Cursor == 1 {
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("it ended with %v", last)
		}
	})
}

func TestEvents(t *testing.T) {
	r := newRoom(t)
	r.kept["j1"] = []wire.JobEvent{event("", 1, "a", fields{}), event("", 2, "b", fields{}), event("", 3, "c", fields{})}
	c, _ := serve(t, "", r)
	got, err := c.Events(t.Context(), "j1", 1, 0)
	if err != nil || got.Next != 3 || len(got.Events) != 2 || got.Events[0].Type != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}
