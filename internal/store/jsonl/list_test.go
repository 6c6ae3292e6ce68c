package jsonl_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/store/jsonl"
	"redline/llm"
)

// wrote sets the time at which a session was last written to.
func wrote(t *testing.T, path string, minutes int) {
	t.Helper()
	at := noon.Add(time.Duration(minutes) * time.Minute)
	must(t, os.Chtimes(path, at, at))
}

func show(infos []jsonl.Info) []string {
	var lines []string
	for _, i := range infos {
		line := fmt.Sprintf("%s: %d messages, %q, %s", i.Written.UTC().Format("15:04"), i.Messages, i.Title, i.Model)
		if i.Err != nil {
			line += ", " + i.Err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

func TestList(t *testing.T) {
	d := newDesk(t)
	old := d.begin(user("Rename  the\nhero, everywhere"), assistant(llm.Text{Text: "Done."}), user("Thanks"))
	wrote(t, old.Path(), 30) // written to after the next one, though begun before
	silent := d.begin(assistant(llm.Text{Text: "I begin."}), user(strings.Repeat("long ", 100)))
	wrote(t, silent.Path(), 20)
	dir := filepath.Dir(old.Path())
	for name, data := range map[string]string{
		"2025-01-01T10-00-00-000Z_torn.jsonl":   read(t, old.Path()) + `{"type":"message","mess`,
		"2025-01-01T11-00-00-000Z_empty.jsonl":  "",
		"2025-01-01T12-00-00-000Z_noise.jsonl":  "\x00\x00\n\x01\n",
		"2025-01-01T13-00-00-000Z_noend.jsonl":  strings.TrimSuffix(read(t, silent.Path()), "\n"),
		"2025-01-01T14-00-00-000Z_other.jsonl":  "{\"type\":\"metadata\",\"id\":\"o\",\"cwd\":" + fmt.Sprintf("%q", d.cwd) + ",\"config\":{\"model\":{\"provider\":\"p\",\"id\":\"m\"}}}\n{\"type\":\"bookmark\"}\n\n",
		"2025-01-01T15-00-00-000Z_other.jsonl~": "no session",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
		wrote(t, filepath.Join(dir, name), 1)
	}
	must(t, os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700))
	infos, err := d.List(d.cwd)
	must(t, err)
	long := strings.Repeat("long ", 100)[:119] + "…"
	if diff := cmp.Diff([]string{
		`12:30: 3 messages, "Rename the hero, everywhere", anthropic/claude`,
		`12:20: 2 messages, "` + long + `", anthropic/claude`,
		`12:01: 0 messages, "", p/m`,
		`12:01: 2 messages, "` + long + `", anthropic/claude`,
		`12:01: 1 messages, "", , the session has no metadata`,
		`12:01: 0 messages, "", , the file is empty`,
		`12:01: 3 messages, "Rename the hero, everywhere", anthropic/claude, the last line is torn; it is repaired when the session is opened`,
	}, show(infos)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if i := infos[0]; i.ID != old.ID() || i.CWD != d.cwd || i.Path != old.Path() || i.Size != int64(len(read(t, i.Path))) || time.Since(i.Started) > time.Minute {
		t.Errorf("%+v", i)
	}
	wrote(t, filepath.Join(dir, "2025-01-01T11-00-00-000Z_empty.jsonl"), 50) // nothing to go on with
	latest, err := d.Latest(d.cwd)
	must(t, err)
	if latest.ID != old.ID() {
		t.Errorf("the latest is %+v", latest)
	}
}

// TestSameName: two folders whose names become the same do not mix.
func TestSameName(t *testing.T) {
	d := newDesk(t)
	base := t.TempDir()
	one, two := filepath.Join(base, "a-b", "c"), filepath.Join(base, "a", "b-c")
	var sessions []*jsonl.Session
	for _, cwd := range []string{one, two} {
		s, err := d.Create(cwd, nil)
		must(t, err)
		_, err = s.Append(user(cwd))
		must(t, err)
		defer s.Close()
		sessions = append(sessions, s)
	}
	if filepath.Dir(sessions[0].Path()) != filepath.Dir(sessions[1].Path()) {
		t.Fatal("the names are not the same: the test shows nothing")
	}
	for i, cwd := range []string{one, two} {
		infos, err := d.List(cwd)
		must(t, err)
		if len(infos) != 1 || infos[0].ID != sessions[i].ID() {
			t.Errorf("%s has %+v", cwd, infos)
		}
	}
	wrote(t, sessions[0].Path(), 1)
	wrote(t, sessions[1].Path(), 2)
	projects, err := d.Projects()
	must(t, err)
	if len(projects) != 2 || projects[0].CWD != two || projects[1].CWD != one {
		t.Errorf("projects: %+v", projects)
	}
}

func TestNone(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Latest(d.cwd); !errors.Is(err, jsonl.ErrNone) {
		t.Errorf("latest: %v", err)
	}
	if infos, err := d.List(d.cwd); err != nil || len(infos) != 0 {
		t.Errorf("list: %v, %v", infos, err)
	}
	if projects, err := d.Projects(); err != nil || len(projects) != 0 {
		t.Errorf("projects: %v, %v", projects, err)
	}
	if _, _, err := d.Resume(filepath.Join(d.root, "none.jsonl")); !errors.Is(err, jsonl.ErrNone) {
		t.Errorf("resume: %v", err)
	}
	if _, err := d.Read(filepath.Join(d.root, "none.jsonl")); !errors.Is(err, jsonl.ErrNone) {
		t.Errorf("read: %v", err)
	}
}

func TestFind(t *testing.T) {
	d := newDesk(t)
	session := d.begin(user("x"))
	copied := filepath.Join(filepath.Dir(session.Path()), "2025-01-01T10-00-00-000Z_"+session.ID()[:8]+"zz.jsonl")
	must(t, os.WriteFile(copied, nil, 0o600))
	for _, id := range []string{session.ID(), session.ID()[:12]} {
		if info, err := d.Find(id); err != nil || info.Path != session.Path() || info.Title != "x" {
			t.Errorf("%s: %+v, %v", id, info, err)
		}
	}
	for id, want := range map[string]error{"": jsonl.ErrNone, "nobody": jsonl.ErrNone, session.ID()[:6]: jsonl.ErrSeveral} {
		if _, err := d.Find(id); !errors.Is(err, want) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestFork: the new session has the lines up to the message, as they are, and
// the other one is not touched, though it is in use.
func TestFork(t *testing.T) {
	d := newDesk(t)
	parent := d.begin(user("one"), assistant(call("c1", "read_file"), call("c2", "read_file")), result("c1", "text"), result("c2", "more"), user("two"))
	before := read(t, parent.Path())
	for _, c := range []struct{ upTo, answered int }{{0, 0}, {1, 2}, {2, 1}, {3, 0}, {4, 0}} {
		fork, record, err := d.Fork(parent.Path(), c.upTo)
		must(t, err)
		meta := fork.Metadata()
		if meta.Parent != parent.ID() || meta.ParentIndex == nil || *meta.ParentIndex != c.upTo || meta.ID == parent.ID() || meta.CWD != d.cwd || meta.Model() != "anthropic/claude" {
			t.Errorf("metadata: %+v", meta)
		}
		if len(record.Messages) != c.upTo+1+c.answered || record.Answered != c.answered || fork.Len() != len(record.Messages) || len(record.Problems) > 0 {
			t.Errorf("up to %d: %d messages, %d answered, %v", c.upTo, len(record.Messages), record.Answered, record.Problems)
		}
		_, tail, _ := strings.Cut(read(t, fork.Path()), "\n")
		_, want, _ := strings.Cut(before, "\n")
		want = strings.Join(strings.SplitAfter(want, "\n")[:c.upTo+1], "")
		if !strings.HasPrefix(tail, want) {
			t.Errorf("the lines are not the same:\n%s\n%s", tail, want)
		}
		if _, err := fork.Append(user("another way")); err != nil {
			t.Error(err)
		}
		must(t, fork.Close())
	}
	if read(t, parent.Path()) != before {
		t.Error("the parent was changed")
	}
	for _, upTo := range []int{-1, 5} {
		if _, _, err := d.Fork(parent.Path(), upTo); !errors.Is(err, jsonl.ErrRange) {
			t.Errorf("up to %d: %v", upTo, err)
		}
	}
	infos, err := d.List(d.cwd)
	must(t, err)
	if len(infos) != 6 {
		t.Errorf("%d sessions are listed", len(infos))
	}
}

// TestForkDamaged: a fork of a damaged session keeps indexes and what cannot be read.
func TestForkDamaged(t *testing.T) {
	d := newDesk(t)
	parent := d.begin(user("one"))
	parent.Close()
	damaged := read(t, parent.Path()) + "{\"type\":\"bookmark\"}\nnoise\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"two\"}}\n{\"torn"
	must(t, os.WriteFile(parent.Path(), []byte(damaged), 0o600))
	fork, record, err := d.Fork(parent.Path(), 2)
	must(t, err)
	fork.Close()
	if len(record.Messages) != 3 || record.Messages[2].Text() != "two" || len(record.Problems) != 1 || !strings.Contains(read(t, fork.Path()), "bookmark") {
		t.Errorf("%+v", record)
	}
	if read(t, parent.Path()) != damaged {
		t.Error("the parent was changed")
	}
}
