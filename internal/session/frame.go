package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/wire"
)

// The bounds of texts in the events of a job. The session file has them whole.
const (
	maxOutput = 4 << 10 // bytes
	maxAbout  = 200
)

// data is the data of a frame.
func data(v any) json.RawMessage {
	d, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{}`) // arguments that are no JSON; the session file has them
	}
	return d
}

// clip cuts a text, and says so.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… [%d bytes in all]", s[:n], len(s))
}

// standing is the event that tells where a job stands: its type and its data. Session is
// where its session does, if that is known.
func standing(j *JobRecord, session *wire.Status) (kind string, d json.RawMessage) {
	kind = wire.JobEventStatus
	switch j.Status {
	case wire.JobCompleted:
		kind = wire.JobEventCompleted
	case wire.JobFailed:
		kind = wire.JobEventFailed
	case wire.JobCancelled:
		kind = wire.JobEventCancelled
	case wire.JobInterrupted:
		kind = wire.JobEventStopped
	}
	fields := map[string]any{"status": j.Status}
	if session != nil {
		fields["session"] = session
	}
	if j.Question != nil && !j.Midway && j.Status == wire.JobWaitingForUser {
		fields["question"] = j.Question
	}
	if j.Error != nil && (j.Status == wire.JobFailed || j.Status == wire.JobCancelled) {
		fields["error"] = j.Error
	}
	return kind, data(fields)
}

// doing is what a job did last.
func doing(j *JobRecord) string {
	if len(j.Calls) == 0 {
		return "reading the request"
	}
	c := j.Calls[len(j.Calls)-1]
	if c.About == "" {
		return c.Label
	}
	return c.Label + ": " + c.About
}

// done is how many calls have ended.
func done(j *JobRecord) int {
	n := 0
	for _, c := range j.Calls {
		if c.OK != nil {
			n++
		}
	}
	return n
}

// closeCalls notes how the calls ended of which nothing was heard.
func closeCalls(j *JobRecord, ok bool) {
	for i := range j.Calls {
		if c := &j.Calls[i]; c.OK == nil {
			c.OK = &ok
		}
	}
}

// answer is a question with its answer.
type answer struct {
	wire.Question
	Answer string `json:"answer"`
}

// ruling is a request for an approval with its answer.
type ruling struct {
	*wire.Approval
	Approve bool `json:"approve"`
}

// callFrame is a call of a tool in the events of a job.
type callFrame struct {
	ID        string          `json:"tool_call_id"`
	Tool      string          `json:"tool"`
	Label     string          `json:"label"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Paths     []string        `json:"paths"`
	OK        *bool           `json:"ok,omitempty"`
	Output    *string         `json:"output,omitempty"`
	Lines     int             `json:"output_lines,omitempty"` // of all of an output that is cut
	Results   *int            `json:"result_count,omitempty"`
}

func frameOf(t *wire.Tool) callFrame {
	c := callFrame{ID: t.ID, Tool: t.Name, Label: t.Label, Paths: []string{}}
	for _, p := range t.Paths {
		c.Paths = append(c.Paths, clip(ledger.RedactText(p), maxAbout))
	}
	return c
}

func requestedCall(t *wire.Tool) json.RawMessage {
	c := frameOf(t)
	c.Arguments = ledger.Redact(t.Args)
	return data(c)
}

func completedCall(t *wire.Tool, e *agent.Event) json.RawMessage {
	c := frameOf(t)
	ok, output := !t.IsError, clip(ledger.RedactText(t.Output), maxOutput)
	c.OK, c.Output = &ok, &output
	if len(t.Output) > maxOutput {
		c.Lines = strings.Count(strings.TrimSpace(t.Output), "\n") + 1
	}
	if ok {
		c.Results = found(e)
	}
	return data(c)
}

// found is how many things a call has found, if that is what it did.
func found(e *agent.Event) *int {
	var lists struct {
		Results []json.RawMessage `json:"results"`
		Files   []json.RawMessage `json:"files"`
		Result  struct {
			Results []json.RawMessage `json:"results"`
		} `json:"result"`
	}
	if json.Unmarshal(e.Result.Block(*e.Call).Details, &lists) != nil {
		return nil
	}
	for _, list := range [][]json.RawMessage{lists.Results, lists.Files, lists.Result.Results} {
		if list != nil {
			n := len(list)
			return &n
		}
	}
	return nil
}

// redactedApproval leaves secrets out of the arguments.
func redactedApproval(a *wire.Approval) *wire.Approval {
	c := *a
	c.Calls = slices.Clone(a.Calls)
	for i := range c.Calls {
		c.Calls[i].Arguments = ledger.Redact(c.Calls[i].Arguments)
	}
	return &c
}

// proposal is what a turn proposes or has changed, in short: how many edits in which
// files, and the hunks to decide.
func proposal(t *ledger.TurnRecord) (edits, diff json.RawMessage) {
	type file struct {
		Path  string   `json:"file_path"`
		From  string   `json:"from,omitempty"`
		Verb  string   `json:"verb"`
		Hunks []string `json:"hunk_ids"`
	}
	files, paths, ids := []file{}, []string{}, map[string]bool{}
	for _, c := range t.Changes {
		f := file{Path: c.Path.String(), Verb: c.Verb(), Hunks: []string{}}
		if c.From != nil {
			f.From = c.From.String()
		}
		for _, h := range c.Hunks {
			f.Hunks = append(f.Hunks, h.ID)
			for _, id := range h.Edits {
				ids[id] = true
			}
			if len(h.Edits) == 0 {
				ids[h.ID] = true
			}
		}
		files, paths = append(files, f), append(paths, f.Path)
	}
	edits = data(map[string]any{"edits": len(ids), "files": paths})
	diff = data(map[string]any{"turn_id": t.ID, "checkpoint_id": t.Checkpoint, "status": t.Status, "review": t.Review, "files": files})
	return edits, diff
}
