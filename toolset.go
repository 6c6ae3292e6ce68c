package redline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/session"
	"redline/internal/shell/staged"
	contract "redline/internal/toolset"
	"redline/internal/toolset/coding"
	"redline/internal/toolset/documents"
	"redline/internal/toolset/project"
	"redline/internal/toolset/vault"
	"redline/internal/wire"
	"redline/internal/workspace"
	"redline/llm"
	"redline/tool"
)

// Toolsets are the names of the toolsets.
var Toolsets = []string{"documents", "project", "vault", "coding"}

// toolset is how the tools of a name are made, what they may touch, and what a
// model is told about its work with them.
type toolset struct {
	policy func() *workspace.Policy
	tools  func(f *Folder, b bench) ([]tool.Tool, error)
	prompt func(contract.Facts) string
	shell  bool // it has the system shell, whose changes are found by a baseline
}

// bench is what tools are made for: a turn and the one who asked for it. The zero
// bench is enough to tell what tools there are.
type bench struct {
	desk   *ops.Desk
	open   string       // the document that the user has open
	user   session.User // who is asked and told something; nil: nobody
	limits Limits
	// messages says whether there is a send_message; nil: as the toolset has it.
	messages *bool
}

func (b bench) at(context.Context) *ops.Desk { return b.desk }

// question asks for clarify_user; nil if there is nobody.
func (b bench) question() contract.Ask {
	if b.user == nil {
		return nil
	}
	return func(ctx context.Context, question string) (string, error) { return b.user.Ask(ctx, question) }
}

// message tells for send_message; nil if there is nobody.
func (b bench) message() contract.Send {
	if b.user == nil {
		return nil
	}
	return b.user.Tell
}

// choice asks which of several answers the user wants; nil if there is nobody.
func (b bench) choice() func(ctx context.Context, question string, options []string) (string, error) {
	if b.user == nil {
		return nil
	}
	return func(ctx context.Context, question string, options []string) (string, error) {
		answer, err := b.user.Ask(ctx, question, options...)
		if err == nil && !slices.Contains(options, answer) {
			return "", fmt.Errorf("%q is none of the answers", answer)
		}
		return answer, err
	}
}

var toolsets = map[string]toolset{
	"documents": {workspace.ForDocuments, func(f *Folder, b bench) ([]tool.Tool, error) {
		return documents.New(b.at, documents.Options{Open: func() string { return b.open }, Templates: f.templates, Choose: b.choice()})
	}, documents.Prompt, false},
	"project": {workspace.ForCode, func(f *Folder, b bench) ([]tool.Tool, error) {
		return project.New(b.at, project.Options{Ask: b.question(), Limits: b.limits.project()})
	}, project.Prompt, false},
	"vault": {workspace.ForDocuments, func(f *Folder, b bench) ([]tool.Tool, error) {
		allow, err := staged.ParseAllow(f.commands.Allow)
		if err != nil {
			return nil, &OptionError{err}
		}
		return vault.New(b.at, vault.Options{Allow: allow, Ask: b.question(), Send: b.message()})
	}, vault.Prompt, false},
	"coding": {workspace.ForCode, func(f *Folder, b bench) ([]tool.Tool, error) {
		o, err := f.coding()
		if err != nil {
			return nil, err
		}
		return coding.New(b.at, o)
	}, coding.Prompt, true},
}

func toolsetOf(name string) (toolset, error) {
	t, ok := toolsets[name]
	if !ok {
		return t, &OptionError{fmt.Errorf("there is no toolset %q; choose %s", name, strings.Join(Toolsets, ", "))}
	}
	return t, nil
}

// set is the tools of the toolset. In a conversation every toolset has
// clarify_user, and send_message if that is wanted.
func (t toolset) set(f *Folder, b bench) (tool.Set, error) {
	tools, err := t.tools(f, b)
	if err != nil {
		return tool.Set{}, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == name })
	}
	asIs := func(_ *ops.Desk, err error) error { return err }
	var more []func() (tool.Tool, error)
	if b.user != nil && !has(llm.ClarifyTool) {
		more = append(more, func() (tool.Tool, error) { return contract.ClarifyUser(b.at, b.question(), asIs) })
	}
	if b.user != nil && !has(llm.MessageTool) && b.messages != nil && *b.messages {
		more = append(more, func() (tool.Tool, error) { return contract.SendMessage(b.at, b.message(), asIs) })
	}
	optional, err := contract.Make(more...)
	if err != nil {
		return tool.Set{}, err
	}
	if b.messages != nil && !*b.messages {
		tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == llm.MessageTool })
	}
	return tool.NewSet(append(tools, optional...)...)
}

// kit is a toolset in use by a conversation.
type kit struct {
	toolset
	folder   *Folder
	policy   *workspace.Policy
	told     ops.Told // to the model, by all turns of the conversation
	limits   Limits
	messages *bool  // see bench
	system   string // instead of the toolset's prompt; "": that
}

// Tools makes the tools of a turn.
func (k *kit) Tools(turn *ledger.Turn, open string, user session.User) (tool.Set, error) {
	return k.set(k.folder, bench{desk: k.desk(turn), open: open, user: user, limits: k.limits, messages: k.messages})
}

func (k *kit) desk(turn *ledger.Turn) *ops.Desk {
	return ops.New(k.folder.files, turn, ops.Options{Policy: k.policy, Told: &k.told})
}

// Prompt is the system prompt.
func (k *kit) Prompt(open string, decisions []string) string {
	if k.system == "" {
		return k.prompt(contract.Facts{Folder: k.folder.name, Date: time.Now(), Open: open, Decisions: decisions})
	}
	prompt := k.system
	if len(decisions) > 0 {
		prompt += "\n\nSince your last turn the user has decided about your changes. Do not make a change again that was rejected or undone:\n- " + strings.Join(decisions, "\n- ")
	}
	return prompt
}

// shown is how much of a document a model is shown with a request.
const shown = 64 << 10 // bytes

// Document is what the model is shown of the document that the user has open.
func (k *kit) Document(ctx context.Context, turn *ledger.Turn, open string) (string, error) {
	r, err := k.desk(turn).Read(ctx, ops.ReadRequest{Path: open, MaxBytes: shown})
	if err != nil {
		return "", fmt.Errorf("the current document: %w", err)
	}
	if r.Truncated {
		return r.Text + k.told.Say(fmt.Sprintf("[the document goes on: these are the lines 1 to %d of %d]", r.To, r.Lines)), nil
	}
	return r.Text, nil
}

// Excerpt reads what a context row points at.
func (k *kit) Excerpt(ctx context.Context, turn *ledger.Turn, row wire.ContextRow) (session.Excerpt, error) {
	r, err := k.desk(turn).Again(ctx, ops.ReadRequest{Path: row.Path, From: row.From, To: row.To, MaxBytes: shown}, row.Content)
	if err != nil {
		return session.Excerpt{}, err
	}
	return session.Excerpt{Text: r.Text, From: r.From, To: r.To, Lines: r.Lines, Hash: r.Hash.String(), Cut: r.Truncated}, nil
}

// templates are the user's own templates for documents, by name.
func (f *Folder) templates() map[string]string {
	if f.files == nil {
		return nil
	}
	list, err := f.files.List(context.Background(), workspace.WalkOptions{Under: workspace.MustPath(".redline/templates"), Depth: 1, Unlisted: true})
	if err != nil {
		return nil // there are none
	}
	found := map[string]string{}
	for _, l := range list {
		name, ok := strings.CutSuffix(l.Path.Base(), ".md")
		if !ok || !l.IsFile() {
			continue
		}
		if s, err := f.files.Read(l.Path); err == nil {
			found[name] = string(s.Data)
		}
	}
	return found
}
