package redline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/store/jsonl"
	"redline/internal/wire"
	"redline/llm"
)

// Create makes a session, or goes on with one.
func (h *Host) Create(ctx context.Context, o wire.SessionOptions) (wire.NewSession, error) {
	r, err := h.jobs.Create(ctx, o)
	if err != nil {
		return wire.NewSession{}, err
	}
	return wire.NewSession{ID: r.ID, Status: r.Status, Created: r.Created}, nil
}

// Archive puts a session away, or takes it out again.
func (h *Host) Archive(ctx context.Context, session string, away bool) error {
	return h.jobs.Archive(ctx, session, away)
}

// Sessions lists the sessions of the folder, the one written to last first: those with
// something said in them, and those that were made and wait for their first message.
func (h *Host) Sessions(ctx context.Context) ([]wire.SessionInfo, error) {
	written, err := h.folder.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	records, err := h.jobs.SessionRecords(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]*session.SessionRecord{}
	for _, r := range records {
		known[r.ID] = r
	}
	list := []wire.SessionInfo{}
	for _, w := range written {
		list = append(list, h.listed(w, known[w.ID]))
		delete(known, w.ID)
	}
	for _, r := range records {
		if known[r.ID] != nil {
			list = append(list, h.listed(unsaid(r), r))
		}
	}
	slices.SortStableFunc(list, func(a, b wire.SessionInfo) int { return b.Updated.Compare(a.Updated) })
	return list, nil
}

// unsaid is a session in which nothing was said yet.
func unsaid(r *session.SessionRecord) SessionInfo {
	return SessionInfo{ID: r.ID, Started: r.Created, Written: r.Updated, State: string(session.Idle), Model: r.Options.Model}
}

// listed is what a list shows of a session. Of one that was made without a host there
// is no record.
func (h *Host) listed(w SessionInfo, r *session.SessionRecord) wire.SessionInfo {
	info := wire.SessionInfo{
		ID: w.ID, Folder: h.options.Name, Status: wire.SessionActive, State: wire.State(w.State), Created: w.Started, Updated: w.Written,
		Title: w.Title, Messages: w.Messages, Model: w.Model, Question: w.Question, Parent: w.Parent, Problem: w.Problem,
	}
	if r != nil {
		info.Status, info.Created, info.LastJob = r.Status, r.Created, r.LastJob
		if r.Updated.After(info.Updated) {
			info.Updated = r.Updated
		}
	}
	if c := h.conversation(w.ID); c != nil {
		now := c.session.Now()
		info.State, info.Question = now.State, ""
		if now.Waiting != nil {
			info.Question = now.Waiting.Question
		}
	}
	return info
}

// Session is a session with all of its state.
func (h *Host) Session(ctx context.Context, id string) (wire.Session, error) {
	r, info, said, err := h.find(ctx, id)
	if err != nil {
		return wire.Session{}, err
	}
	out := wire.Session{Same: info.ID, Chat: chat(said), Context: []wire.ContextRow{}, Jobs: []wire.JobLine{}, Locked: h.jobs.Locked()}
	if r != nil && r.Context != nil {
		out.Context = r.Context
	}
	jobs, err := h.jobs.Jobs(ctx, session.JobQuery{Session: info.ID, Brief: true})
	if err != nil {
		return out, err
	}
	for _, j := range jobs {
		if j, err = h.heed(ctx, j); err != nil {
			return out, err
		}
		out.Jobs = append(out.Jobs, wire.JobLine{ID: j.ID, Status: j.Status, Instruction: j.Instruction, Created: j.Created})
	}
	out.SessionInfo = h.listed(info, r) // what was decided elsewhere may have moved it
	if err := h.settle(&out, r, said); err != nil {
		return out, err
	}
	out.Pending, err = h.pendingReview(ctx, info.ID)
	return out, err
}

// transcript is what was said in a session, and how its file says that it was made.
type transcript struct {
	messages []agent.Message
	config   sessionConfig
}

// find finds a session by its whole id, in what is kept by hosts and among the files.
func (h *Host) find(ctx context.Context, id string) (*session.SessionRecord, SessionInfo, transcript, error) {
	none := refuse(ledger.NotFound, "there is no session %q here: GET /api/agent/sessions lists them", id)
	if odd(id) {
		return nil, SessionInfo{}, transcript{}, none
	}
	r, err := h.record(ctx, id)
	if err != nil {
		return nil, SessionInfo{}, transcript{}, err
	}
	file, err := h.folder.findSession(id)
	switch {
	case err == nil && file.ID == id:
	case r != nil:
		return r, unsaid(r), transcript{}, nil
	case err == nil || errors.Is(err, ledger.NotFound) || errors.Is(err, jsonl.ErrSeveral):
		return nil, SessionInfo{}, transcript{}, none
	default:
		return nil, SessionInfo{}, transcript{}, err
	}
	record, err := h.folder.sessions().Read(file.Path)
	if err != nil {
		return r, SessionInfo{}, transcript{}, err
	}
	about, err := h.folder.describe(ctx, file)
	if err != nil {
		return r, SessionInfo{}, transcript{}, err
	}
	said := transcript{messages: record.Messages}
	_ = json.Unmarshal(record.Config, &said.config) // a session without is made by another program
	return r, about[0], said, nil
}

// settle tells how the session works and where it stands.
func (h *Host) settle(out *wire.Session, r *session.SessionRecord, said transcript) error {
	if c := h.conversation(out.ID); c != nil {
		out.Now, out.Toolset = c.session.Now(), c.toolset
		out.Review, out.Mode, out.Steps = string(c.guard.Review), string(c.guard.Mode), c.guard.Limits.Iterations
		return nil
	}
	out.Now = session.Recall(said.messages).View(out.ID)
	out.Now.State = out.State
	var made wire.SessionOptions
	if r != nil {
		made = r.Options
	}
	o, err := h.explicit(made)
	if err != nil {
		return err
	}
	o.Toolset, o.Review = cmp.Or(o.Toolset, said.config.Toolset), cmp.Or(o.Review, said.config.Review)
	o.Mode = cmp.Or(o.Mode, said.config.Mode)
	if o.Mode == string(session.Custom) {
		o.Rules = h.options.Defaults.Rules
	}
	h.complete(&o)
	_, guard, err := h.folder.settings(TurnOptions{Toolset: o.Toolset, Review: o.Review, Mode: o.Mode})
	if err != nil {
		return err
	}
	out.Toolset, out.Review, out.Mode, out.Steps = o.Toolset, string(guard.Review), string(guard.Mode), o.Limits.session(guard.Limits).Iterations
	return nil
}

// pendingReview is what waits for a decision in a session, or nil.
func (h *Host) pendingReview(ctx context.Context, id string) (*wire.PendingReview, error) {
	turns, err := h.folder.Review(id).pending(ctx)
	if err != nil {
		return nil, err
	}
	p := &wire.PendingReview{Turns: []string{}, Files: []string{}}
	for _, t := range turns {
		if !waits(t) {
			continue
		}
		p.Job = cmp.Or(t.Job, p.Job)
		p.Turns = append(p.Turns, t.ID)
		for _, c := range t.Changes {
			for _, k := range c.Hunks {
				if k.State == ledger.HunkPending {
					p.Hunks++
				}
			}
			if path := c.Path.String(); !slices.Contains(p.Files, path) {
				p.Files = append(p.Files, path)
			}
		}
	}
	if len(p.Turns) == 0 {
		return nil, nil
	}
	slices.Sort(p.Files)
	return p, nil
}

// summary is how much of the result of a tool a chat shows, in bytes; the job and the
// transcript have more.
const summary = 2000

// chat is what was said and done, for a page.
func chat(said transcript) []wire.ChatEntry {
	entries := []wire.ChatEntry{}
	for i, m := range said.messages {
		e := wire.ChatEntry{Index: i, Role: string(m.Role), Text: m.Text(), Time: m.Time}
		switch {
		case m.Custom != nil:
			continue
		case m.Role == llm.RoleUser:
			e.Text = session.Requested(e.Text)
		case m.Role == llm.RoleAssistant:
			for _, c := range m.ToolCalls() {
				e.Calls = append(e.Calls, c.Name)
			}
		case m.Role == llm.RoleTool:
			result, ok := firstResult(m)
			if !ok {
				continue
			}
			worked := !result.IsError
			e.Role, e.Tool, e.OK, e.Text = "tool", result.Name, &worked, shortened(result.Output)
		}
		entries = append(entries, e)
	}
	return entries
}

// firstResult is the result that a message of a tool has.
func firstResult(m agent.Message) (llm.ToolResult, bool) {
	for _, c := range m.Content {
		if r, ok := c.(llm.ToolResult); ok {
			return r, true
		}
	}
	return llm.ToolResult{}, false
}

// shortened is the beginning of a text, cut between two characters.
func shortened(s string) string {
	if len(s) <= summary {
		return s
	}
	return strings.ToValidUTF8(s[:summary], "") + "…"
}
