package redline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline"
	"redline/internal/ops"
	"redline/internal/server"
	"redline/internal/wire"
	"redline/llm/scripted"
)

// A host has every part of a folder that a server works with.
var _ = func(h *redline.Host) server.Folder {
	return server.Folder{
		Sessions: h, Archive: h, Jobs: h, Control: h, Answers: h, Streams: h, Reviews: h, Hunks: h, Changes: h, Undo: h, Turns: h,
		Checkpoints: h, Documents: h, Tabs: h, Library: h, Trash: h, Records: h,
	}
}

// bureau is a host on a folder of its own, with a model that plays a script.
type bureau struct {
	t testing.TB
	*redline.Host
	base    string
	model   *scripted.Provider
	folder  *redline.Folder
	options redline.HostOptions
	log     strings.Builder // what was asked and answered
	names   map[string]string
	counts  map[string]int
}

// newBureau makes a folder with files, given as path and content by turns.
func newBureau(t testing.TB, script string, files ...string) *bureau {
	t.Helper()
	model, err := scripted.Parse("model.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	d := &bureau{t: t, base: t.TempDir(), model: model, names: map[string]string{}, counts: map[string]int{}}
	for i := 0; i < len(files); i += 2 {
		put(t, d.path(files[i]), files[i+1])
	}
	d.start(redline.HostOptions{})
	t.Cleanup(d.stop)
	return d
}

func (d *bureau) path(name string) string {
	return filepath.Join(d.base, "notes", filepath.FromSlash(name))
}

// start opens the folder and its host, as a program does.
func (d *bureau) start(o redline.HostOptions) {
	d.t.Helper()
	var err error
	if d.folder, err = redline.Open(d.t.Context(), d.path("."), redline.Options{State: filepath.Join(d.base, "state"), MaxHunkBytes: 200}); err != nil {
		d.t.Fatal(err)
	}
	o.Defaults.Model = redline.Chosen{Provider: d.model, Model: scripted.Model(), Name: "scripted"}
	if o.Defaults.Toolset == "" {
		o.Defaults.Toolset = "project"
	}
	d.Host, d.options = d.folder.Host(o), o
	if err := d.Recover(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// stop ends the program. What it leaves undone is found by the next.
func (d *bureau) stop() {
	d.t.Helper()
	if d.folder == nil {
		return
	}
	if err := errors.Join(d.Host.Close(context.Background()), d.folder.Close()); err != nil {
		d.t.Error(err)
	}
	d.folder = nil
}

// session makes a session.
func (d *bureau) session(o wire.SessionOptions) string {
	d.t.Helper()
	s, err := d.Create(d.t.Context(), o)
	if err != nil {
		d.t.Fatal(err)
	}
	return s.ID
}

// work runs a job until it is in one of the states.
func (d *bureau) work(session, instruction string, until ...wire.JobStatus) string {
	d.t.Helper()
	j, err := d.Run(d.t.Context(), wire.RunRequest{Session: session, Instruction: instruction})
	if err != nil {
		d.t.Fatal(err)
	}
	d.await(j.ID, until...)
	return j.ID
}

// await hears what happens in a job until it is in one of the states.
func (d *bureau) await(job string, until ...wire.JobStatus) {
	d.t.Helper()
	for f, err := range d.FollowJob(d.t.Context(), job, 0) {
		if err != nil {
			d.t.Fatal(err)
		}
		var data struct {
			Status wire.JobStatus `json:"status"`
		}
		if !strings.HasPrefix(f.Type, "job.") || json.Unmarshal(f.Data, &data) != nil {
			continue
		}
		for _, s := range until {
			if data.Status == s && d.job(job).Status == s {
				return
			}
		}
	}
	d.t.Fatalf("job %s is %s, and never was one of %v: %v", job, d.job(job).Status, until, d.job(job).Error)
}

func (d *bureau) job(id string) wire.Job {
	d.t.Helper()
	j, err := d.Job(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return j
}

// file is what is on the disk.
func (d *bureau) file(name string) string {
	d.t.Helper()
	data, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

// note writes down what was asked and answered.
func (d *bureau) note(title string, answer any, err error) {
	d.t.Helper()
	fmt.Fprintf(&d.log, "-- %s --\n", d.named(title))
	if err != nil {
		var told *wire.Error
		if !errors.As(err, &told) {
			fmt.Fprintf(&d.log, "%s\n", d.named(err.Error()))
			return
		}
		answer = told
	}
	if s, ok := answer.(string); ok {
		d.log.WriteString(s)
		return
	}
	data, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		d.t.Fatal(err)
	}
	fmt.Fprintf(&d.log, "%s\n", d.named(string(data)))
}

// events writes down the types of a job's events, with what the short ones say.
func (d *bureau) events(job string) {
	d.t.Helper()
	list, err := d.Events(d.t.Context(), job, 0, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	fmt.Fprintf(&d.log, "-- events --\n")
	for i, e := range list.Events {
		if e.Cursor != i+1 {
			d.t.Errorf("event %d has the cursor %d", i+1, e.Cursor)
		}
		fmt.Fprintf(&d.log, "%d %s\n", e.Cursor, e.Type)
	}
}

var (
	idPattern   = regexp.MustCompile(`\b(cp_turn|turn|job|h)_[0-9a-z]{6,}(_[0-9]+[ab]?)?|[0-9a-f]{8}-[0-9a-f-]{27}|tr_[0-9a-z]+|\bc_[0-9a-z]{6,}`)
	timePattern = regexp.MustCompile(`"20\d\d-[^"]*T[^"]*Z?"`)
)

// named gives what is different each time a name.
func (d *bureau) named(s string) string {
	s = timePattern.ReplaceAllString(s, `"TIME"`)
	return idPattern.ReplaceAllStringFunc(s, func(id string) string {
		if name := d.names[id]; name != "" {
			return name
		}
		kind := "SESSION"
		if i := strings.Index(id, "_"); i >= 0 {
			kind = strings.ToUpper(id[:i])
		}
		d.counts[kind]++
		d.names[id] = fmt.Sprintf("%s-%d", kind, d.counts[kind])
		return d.names[id]
	})
}

// golden compares what was written down with a file.
func (d *bureau) golden(name string) {
	d.t.Helper()
	name = filepath.Join("testdata", "host", name)
	if *update {
		if err := os.WriteFile(name, []byte(d.log.String()), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		d.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), d.log.String()); diff != "" {
		d.t.Errorf("%s (-want +got; -update writes it anew):\n%s", name, diff)
	}
}

// code is the code of an error, as a server finds it.
func code(err error) string {
	var coder interface{ ErrorCode() string }
	switch {
	case err == nil:
		return ""
	case errors.As(err, &coder):
		return coder.ErrorCode()
	}
	return string(ops.AsError(err).Code)
}

const twoEdits = `
- text: I look at it first.
  calls: [{id: c1, name: read_file, arguments: {file_path: a.md}}]
- calls:
    - id: c2
      name: propose_edits
      arguments:
        edits:
          - {edit_id: e_1, file_path: a.md, operation: replace, start_line: 1, end_line: 1, new_text: "ONE\n", rationale: Louder.}
          - {edit_id: e_2, file_path: a.md, operation: replace, start_line: 7, end_line: 7, new_text: "SEVEN\n"}
          - {edit_id: e_3, file_path: new.md, operation: insert, start_line: 1, new_text: "fresh\n"}
- text: I propose three changes.
`

const sevenLines = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

// TestHostFlow: the whole way of a request over the API, in testdata/host/flow.txt:
// proposed, decided hunk by hunk, applied, compared with its checkpoint, rolled back in
// the buffer and saved.
func TestHostFlow(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	ctx := t.Context()
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	j := d.job(job)
	d.note("GET job", j, nil)
	if got := d.file("a.md"); got != sevenLines {
		t.Errorf("the proposal is on the disk: %q", got)
	}
	h := hunksOf(j)
	decided, err := d.Decide(ctx, s, wire.Decision{Accept: h[:1], Hold: true})
	d.note("POST decide, held", decided, err)
	held, err := d.Session(ctx, s)
	d.note("GET session", held, err)
	reply, err := d.Apply(ctx, wire.ApplyRequest{Session: s, Job: job, Accepted: []string{h[0], h[2]}})
	d.note("POST apply", reply, err)
	d.note("a.md", d.file("a.md"), nil)
	d.note("new.md", d.file("new.md"), nil)
	cp, err := d.Checkpoint(ctx, j.Checkpoint)
	d.note("GET checkpoint", cp, err)
	three, err := d.Diff3(ctx, j.Checkpoint, "a.md")
	d.note("GET diff3", three, err)
	report, err := d.Rollback(ctx, j.Checkpoint, wire.RollbackRequest{Mode: wire.RollbackAll})
	d.note("POST rollback", report, err)
	d.note("a.md, still", d.file("a.md"), nil)
	doc, err := d.Read(ctx, wire.DocumentQuery{Path: "a.md", Session: s})
	d.note("GET document of the session", doc, err)
	saved, err := d.Save(ctx, wire.SaveRequest{Path: "a.md", Content: doc.Content, Token: doc.Token, Session: s})
	d.note("PUT document", saved, err)
	d.note("a.md, saved", d.file("a.md"), nil)
	if _, err := os.Stat(d.path("new.md")); !os.IsNotExist(err) {
		t.Errorf("new.md is there after the rollback was saved: %v", err)
	}
	d.events(job)
	d.golden("flow.txt")
}

// hunksOf are the ids of the hunks of a job.
func hunksOf(j wire.Job) []string {
	var ids []string
	if j.Bundle != nil {
		for _, f := range j.Bundle.Files {
			for _, h := range f.Hunks {
				ids = append(ids, h.ID)
			}
		}
	}
	return ids
}

// TestHostName: sessions and jobs call the folder as the server does, which may serve two
// of one name.
func TestHostName(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n", "a.md", "one\n")
	d.stop()
	d.start(redline.HostOptions{Name: "notes-2"})
	id := d.session(wire.SessionOptions{})
	job := d.work(id, "Hello", wire.JobCompleted)
	s, err := d.Session(t.Context(), id)
	if err != nil || s.Folder != "notes-2" || d.job(job).Folder != "notes-2" {
		t.Errorf("the session is on %q, its job on %q, %v", s.Folder, d.job(job).Folder, err)
	}
}
