package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/agent"
	"redline/internal/store/jsonl"
)

// Signs for what a text file cannot show.
var (
	unsign = strings.NewReplacer("␀", "\x00", "␍", "\r", "␊END\n", "", "␊BOM", "\xef\xbb\xbf")
	sign   = strings.NewReplacer("\x00", "␀", "\r", "␍", "\xef\xbb\xbf", "␊BOM")
	times  = regexp.MustCompile(`"timestamp":"20[^"]*",`)
)

func signed(data string) string {
	if data != "" && !strings.HasSuffix(data, "\n") {
		data += "␊END\n"
	}
	return times.ReplaceAllString(sign.Replace(data), "")
}

// TestLoad opens the files in testdata/load, as they are written there: ␀ is a
// NUL, ␍ a CR, and a file that ends with ␊END has no newline at its end. What
// is wanted is what the session is then, and what the file is.
func TestLoad(t *testing.T) {
	paths, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			must(t, err)
			before := unsign.Replace(string(archive.Files[0].Data))
			got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: append(archive.Files[:1:1], loaded(t, before)...)})
			if *update {
				must(t, os.WriteFile(path, got, 0o666))
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// loaded reads and resumes a session file, twice: the second time there is
// nothing to repair.
func loaded(t *testing.T, before string) []txtar.File {
	t.Helper()
	dir := t.TempDir()
	store := jsonl.Open(dir, nil)
	path := filepath.Join(dir, "2025-10-12T10-00-00-000Z_0000-id.jsonl")
	must(t, os.WriteFile(path, []byte(before), 0o600))
	readOnly, err := store.Read(path)
	must(t, err)
	if read(t, path) != before {
		t.Error("reading changed the file")
	}
	session, record, err := store.Resume(path)
	must(t, err)
	if n := session.Len(); n != len(record.Messages) || n != len(readOnly.Messages)+record.Answered {
		t.Errorf("%d messages, the session says %d, the reader %d", len(record.Messages), n, len(readOnly.Messages))
	}
	must(t, session.Close())
	files := []txtar.File{{Name: "session", Data: []byte(described(record))}}
	after := read(t, path)
	if after == before {
		files = append(files, txtar.File{Name: "file unchanged"})
	} else {
		files = append(files, txtar.File{Name: "file", Data: []byte(signed(after))})
	}
	if record.Torn != "" {
		files = append(files, txtar.File{Name: filepath.Base(record.Torn), Data: []byte(signed(read(t, record.Torn)))})
	}
	session, again, err := store.Resume(path)
	must(t, err)
	defer session.Close()
	if read(t, path) != after || again.Torn != "" || again.Answered != 0 || len(again.Messages) != len(record.Messages) {
		t.Errorf("the second time it was repaired again: %+v\n%s", again, read(t, path))
	}
	index, err := session.Append(user("next"))
	must(t, err)
	if final, err := store.Read(path); err != nil || index != len(record.Messages) || len(final.Messages) != index+1 || final.Messages[index].Text() != "next" {
		t.Errorf("it cannot be gone on with at %d: %v, %v", index, final, err)
	}
	return files
}

func described(r *jsonl.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "id %s, started %s, cwd %q\n", r.ID, r.Started.Format("2006-01-02"), r.CWD)
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem: %s\n", p)
	}
	for i, m := range r.Messages {
		line, err := json.Marshal(m)
		if err != nil {
			line = []byte(err.Error())
		}
		mark := ""
		if i >= len(r.Messages)-r.Answered {
			mark = " (answered)"
		}
		fmt.Fprintf(&b, "%d%s: %s\n", i, mark, signed(string(line) + "\n")[:len(signed(string(line)+"\n"))-1])
	}
	return b.String()
}

// TestHugeLine: a line of 100 MB is a line.
func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("100 MB")
	}
	d := newDesk(t)
	picture := bytes.Repeat([]byte{0, 1, 2, 250}, 75<<20/4)
	m := user("what is this?")
	m.Attachments = []agent.Attachment{{ID: "1", Type: agent.AttachImage, FileName: "huge.png", MIMEType: "image/png", Content: picture}}
	session := d.begin(m, assistant(call("c1", "look")))
	must(t, session.Close())
	again, record, err := d.Resume(session.Path())
	must(t, err)
	defer again.Close()
	if len(record.Messages) != 3 || record.Answered != 1 || !bytes.Equal(record.Messages[0].Attachments[0].Content, picture) {
		t.Errorf("%d messages, %d answered", len(record.Messages), record.Answered)
	}
	infos, err := d.List(d.cwd)
	must(t, err)
	if len(infos) != 1 || infos[0].Messages != 3 || infos[0].Title != "what is this?" || infos[0].Size < 100<<20 || infos[0].Err != nil {
		t.Errorf("listed as %+v", infos)
	}
}
