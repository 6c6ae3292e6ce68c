package client_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/client"
	"redline/internal/wire"
)

var update = flag.Bool("update", false, "write what came out into the files of the tests")

// TestFrames shows what front ends make of frames. A file has the frames, one a line,
// and then the events as screens hear them and the lines that programs read.
func TestFrames(t *testing.T) {
	files, err := filepath.Glob("testdata/frames/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			frames := strings.Split(strings.TrimSpace(parts["frames"]), "\n")
			got := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{
				{Name: "frames", Data: []byte(parts["frames"])},
				{Name: "events", Data: []byte(events(t, frames, client.ConversationOptions{Screens: true}))},
				{Name: "lines", Data: []byte(events(t, frames, client.ConversationOptions{Lines: true}))},
			}}
			text := txtar.Format(got)
			if *update {
				if err := os.WriteFile(file, text, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(archive)), string(text)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// events is what a conversation tells of frames, one event a line.
func events(t *testing.T, frames []string, o client.ConversationOptions) string {
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.HandleFunc("GET /api/turns/{turn}", func(w http.ResponseWriter, q *http.Request) {
			hunk := wire.Hunk{ID: "h1", Kind: "text"}
			_ = json.NewEncoder(w).Encode(wire.Turn{ID: q.PathValue("turn"), Status: "pending", Files: []wire.File{{Path: "a.md", Hunks: []wire.Hunk{hunk}}}})
		})
		r.HandleFunc("GET /api/turns/{turn}/lines", func(w http.ResponseWriter, q *http.Request) {
			_ = json.NewEncoder(w).Encode(wire.TurnLines{Lines: map[string][]wire.Line{"h1": {{Type: "added", Spans: []wire.Span{{Text: "new"}}}}}})
		})
		conv, server, _ := r.converse(t, o)
		go func() {
			for _, f := range frames {
				server.send(json.RawMessage(f))
			}
			server.send(map[string]any{"type": wire.EventNotice, "line": fields{}, "data": fields{"text": "the end"}})
		}()
		for e, err := range conv.Events(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Text == "the end" {
				break
			}
			if o.Lines {
				line, err := e.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s\n", line)
				continue
			}
			fmt.Fprintln(&out, shown(e))
		}
	})
	return out.String()
}

// shown is an event with what screens show of it.
func shown(e wire.Event) string {
	text := e.Type
	add := func(name string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		if s := string(data); s != "null" && s != "{}" && s != `""` && s != "0" && s != "false" {
			text += " " + name + "=" + s
		}
	}
	add("step", e.Step)
	add("steps", e.Steps)
	add("delta", e.Delta)
	add("message", e.Message)
	if e.Tool != nil {
		add("tool", struct {
			ID, Name, Label string
			Args            json.RawMessage
			Paths           []string
			Output          string
			Lines           int
			IsError         bool
		}(*e.Tool))
	}
	add("outcome", e.Outcome)
	add("status", e.Status)
	add("question", e.Question)
	add("approval", e.Approval)
	add("approve", e.Approve)
	if e.Turn != nil {
		add("turn", e.Turn)
		add("lines", e.Turn.Files[0].Hunks[0].Lines)
	}
	add("decided", e.Decided)
	add("text", e.Text)
	add("priority", e.Priority)
	return text
}
