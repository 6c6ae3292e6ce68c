package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redline/internal/ops"
	"redline/tool"
)

// Proposal is a final answer with edits.
type Proposal struct {
	AssistantMessage string         `json:"assistant_message,omitempty" jsonschema:"what the user should know: what the edits do, and what is left"`
	ProposedEdits    []ProposedEdit `json:"proposed_edits" jsonschema:"the edits, of any number of files; all of them are made or none; empty if nothing is to be changed" max:"500"`
}

// proposalSchema is made of the type, as the arguments of a tool are.
var proposalSchema = func() json.RawMessage {
	t := tool.Must(tool.New(tool.Info{Name: "proposal", Description: "a final answer with edits"}, func(context.Context, Proposal, tool.Update) (tool.Result, error) {
		return tool.Result{}, nil
	}))
	return t.Spec().Schema
}()

// Output is the JSON schema of a [Proposal], for models that answer with their
// edits instead of calling propose_edits.
func Output() json.RawMessage { return slices.Clone(proposalSchema) }

// Applied is a proposal that was taken.
type Applied struct {
	Proposal             // its edits have names now
	Result   tool.Result // as of a call of propose_edits; empty if there was no edit
}

// Apply makes the edits of a final answer, all or none. Its error says what is
// wrong in words that the model can act on.
func Apply(ctx context.Context, desk *ops.Desk, raw json.RawMessage) (Applied, error) {
	if tool.Approved(ctx) {
		ctx = ops.Approved(ctx)
	}
	valid, err := tool.Repair(proposalSchema, raw)
	if err != nil {
		return Applied{}, invalidAnswer(desk, err)
	}
	var a Applied
	if err := json.Unmarshal(valid, &a.Proposal); err != nil {
		return Applied{}, invalidAnswer(desk, err)
	}
	if len(a.ProposedEdits) == 0 {
		return a, nil
	}
	r, words, err := new(names).propose(ctx, desk, a.ProposedEdits)
	if err != nil {
		return Applied{}, err
	}
	a.ProposedEdits, a.Result = r.ProposedEdits, tool.Result{Output: words, Details: r}
	return a, nil
}

// invalidAnswer is the error of an answer that is no proposal.
func invalidAnswer(desk *ops.Desk, err error) error {
	var invalid *tool.InvalidError
	if errors.As(err, &invalid) {
		return invalidArguments(desk, invalid)
	}
	return err
}

// names gives edits the names that they lack, so that no two of one turn have the
// same.
type names struct {
	mu   sync.Mutex
	turn string
	used map[string]bool
}

// named returns the edits with names, and which of them have a name that one
// before them in the same call has. A name that an earlier call had gets a number
// behind it.
func (n *names) named(desk *ops.Desk, edits []ProposedEdit) (named []ProposedEdit, twice map[int]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id := desk.Turn().ID(); n.turn != id {
		n.turn, n.used = id, map[string]bool{}
	}
	given := map[string]bool{}
	twice = map[int]bool{}
	for i, e := range edits {
		twice[i] = e.EditID != "" && given[e.EditID]
		given[e.EditID] = true
	}
	free := func(format string, args ...any) string {
		for k := 1; ; k++ {
			id := fmt.Sprintf(format, append(args, k)...)
			if !n.used[id] && !given[id] {
				given[id] = true
				return id
			}
		}
	}
	named = slices.Clone(edits)
	for i := range named {
		switch e := &named[i]; {
		case e.EditID == "":
			e.EditID = free("e_%d")
		case n.used[e.EditID]:
			e.EditID = free("%s_%d", e.EditID)
		}
	}
	return named, twice
}

// taken notes the names of edits that were made.
func (n *names) taken(desk *ops.Desk, edits []ProposedEdit) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.turn != desk.Turn().ID() {
		return
	}
	for _, e := range edits {
		n.used[e.EditID] = true
	}
}

// editProblem is what is wrong with some edits of a proposal.
type editProblem struct {
	EditIDs []string `json:"edit_ids"`
	failure
}

// failProposal is the error of a proposal that was not, or not wholly, made. Its
// code is that of the first problem.
func failProposal(desk *ops.Desk, edits []ProposedEdit, err error) error {
	var p *ops.ProposalError
	if !errors.As(err, &p) || slices.ContainsFunc(p.Problems, func(p ops.Problem) bool { return p.Err.Code == ops.Aborted || p.Err.Code == ops.TimedOut }) {
		return fail(desk, err)
	}
	var list []editProblem
	body := ""
	for _, problem := range p.Problems {
		f := failureOf(problem.Err)
		list = append(list, editProblem{problem.IDs, f})
		if len(p.Problems) > 1 || len(p.Made) > 0 {
			body += "\n" + strings.Join(problem.IDs, ", ") + ": " + desk.Tell("Error ("+string(f.Code)+"): "+sentence(f.Message))
		}
		body += hints(desk, "\n", f.Suggestions) + strings.TrimSuffix(closest(desk, problem.Err.Near), "\n")
	}
	r := &refused{cause: err, failure: list[0].failure}
	if len(list) > 1 {
		r.Suggestions, r.Near, r.FilePath, r.failure.Details = nil, nil, "", nil
	}
	r.Message, r.Problems, r.Files = outcome(edits, p), list, changedFiles(p.Made)
	r.words = desk.Tell("Error ("+string(r.Code)+"): "+sentence(r.Message)) + body
	if len(p.Made) == 0 && len(edits) > 1 {
		r.words += "\n" + desk.Tell("Correct this and send all edits again, also those that are right.")
	}
	return r
}

// outcome says what became of a proposal with problems.
func outcome(edits []ProposedEdit, p *ops.ProposalError) string {
	bad := map[string]bool{}
	for _, problem := range p.Problems {
		for _, id := range problem.IDs {
			bad[id] = true
		}
	}
	of := fmt.Sprintf("%d of %s", len(bad), count(len(edits), "edit"))
	switch {
	case len(p.Made) > 0:
		return fmt.Sprintf("only %s is changed, because %s could not be made", paths(p.Made), of)
	case len(p.Problems) == 1:
		return "nothing was changed: " + strings.Join(p.Problems[0].IDs, ", ") + ": " + p.Problems[0].Err.Message
	}
	return "nothing was changed, because " + of + " cannot be made"
}

func paths(files []ops.ProposedFile) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return strings.Join(list, ", ")
}

// proposedWords say what a proposal changed, and where its lines are now.
func proposedWords(desk *ops.Desk, edits []ProposedEdit, files []ops.ProposedFile) string {
	words := desk.Tell(fmt.Sprintf("Done: %s in %s.", count(len(edits), "edit"), count(len(files), "file")))
	for _, f := range files {
		verb := "changed"
		if f.Created {
			verb = "created"
		}
		words += "\n" + desk.Tell(fmt.Sprintf("%s %s: %s added, %d removed, now %s; base_file_hash %s", f.Path, verb, count(f.Added, "line"), f.Removed, count(f.Lines, "line"), f.After))
		for _, e := range f.Edits {
			switch {
			case e.To >= e.From:
				words += fmt.Sprintf("\n- %s: now %s", e.ID, lines(e.From, e.To))
			case e.From > f.Lines:
				words += fmt.Sprintf("\n- %s: removed at the end", e.ID)
			default:
				words += fmt.Sprintf("\n- %s: removed before line %d", e.ID, e.From)
			}
		}
		if f.Elsewhere {
			words += "\n" + desk.Tell(fmt.Sprintf("You have not seen the other lines of %s as they are now: read it again before you edit more of it.", f.Path))
		}
	}
	return words
}
