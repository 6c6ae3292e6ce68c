package documents

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed create_document.md
var createDocumentText string

type createArgs struct {
	Name     string `json:"name" jsonschema:"The name of the document (without extension)"`
	Folder   string `json:"folder,omitempty" jsonschema:"The folder path to create the document in. Use '/' for root. Optional - defaults to current folder or root."`
	Content  string `json:"content,omitempty" jsonschema:"Initial content for the document in markdown format. Optional."`
	Template string `json:"template,omitempty" jsonschema:"Template to use for the document. Optional, defaults to 'blank'."`
}

func (s *set) createDocument() (tool.Tool, error) {
	paths := func(ctx context.Context, desk *ops.Desk, args createArgs) ([]string, error) {
		p, err := s.newPath(ctx, desk, args)
		if err != nil {
			return nil, err
		}
		return resolved(ctx, desk, p)
	}
	t, err := changes(s, tool.Info{Name: "create_document", Label: "Create document", Description: createDocumentText}, s.create, paths, nil)
	if err != nil {
		return nil, err
	}
	return templated(t, s.templateNames())
}

// templated is the tool with the names of the templates in its schema. The check of
// them is its own: it can say what there is.
func templated(t tool.Tool, names []string) (tool.Tool, error) {
	enum, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	const field = `"template":{"type":"string",`
	spec := t.Spec()
	before, after, ok := strings.Cut(string(spec.Schema), field)
	if !ok {
		return nil, fmt.Errorf("the schema of %s has no template", spec.Name)
	}
	spec.Schema = json.RawMessage(before + field + `"enum":` + string(enum) + "," + after)
	return withSpec{t, spec}, nil
}

// withSpec is a tool that tells the model something else of itself.
type withSpec struct {
	tool.Tool
	spec tool.Spec
}

func (w withSpec) Unwrap() tool.Tool { return w.Tool }
func (w withSpec) Spec() tool.Spec   { return w.spec }

func (s *set) create(ctx context.Context, args createArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "create_document", args.Name}
	p, err := s.newPath(ctx, desk, args)
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	a.path = p
	content, err := s.contentOf(args, p)
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	r, err := desk.Create(ctx, a.name, p, content)
	if err != nil && ops.AsError(err).Code == ops.AlreadyExists {
		return s.exists(ctx, a, p, content, err)
	}
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	return a.created(r.Path), nil
}

func (a action) created(p string) tool.Result {
	a.path = p
	return a.done(Created{Path: p, Created: true}, "created %s.", p)
}

// newPath is the path of a new document.
func (s *set) newPath(ctx context.Context, desk *ops.Desk, args createArgs) (string, error) {
	name := strings.TrimSpace(args.Name)
	switch {
	case name == "" || strings.EqualFold(name, extension):
		return "", refusal(ops.InvalidArgument, args.Name, "the name of the document is empty")
	case strings.Trim(name, ". ") == "":
		return "", refusal(ops.InvalidPath, args.Name, fmt.Sprintf("%q is no name for a document", name))
	case strings.ContainsAny(name, `/\`):
		return "", refusal(ops.InvalidArgument, args.Name, fmt.Sprintf("the name %q has a slash in it", name),
			"Give the folder as folder and only the name itself as name.")
	}
	if !isDocument(name) {
		name += extension
	}
	folder := place(ctx, desk, args.Folder)
	if args.Folder == "" {
		folder = path.Dir(s.Open())
	}
	return path.Join(folder, name), nil
}

// The answers to the question what to do with a document that is there already.
const (
	overwrite = "overwrite"
	rename    = "rename"
	cancel    = "cancel"
)

// exists asks the user what to do, or leaves it to the model where nobody can be
// asked.
func (s *set) exists(ctx context.Context, a action, p, content string, conflict error) (tool.Result, error) {
	there, err := a.desk.Stat(ctx, p)
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	answers := []string{overwrite, rename, cancel}
	if there.Folder {
		answers = answers[1:]
	}
	if s.Choose == nil {
		return tool.Result{}, s.undecided(ctx, a, there, conflict)
	}
	answer, err := s.Choose(ctx, fmt.Sprintf("%s exists already. What shall happen?", there.Path), answers)
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, a.fail(ctx.Err(), nil)
	case err != nil:
		return tool.Result{}, s.undecided(ctx, a, there, conflict)
	case answer == overwrite && !there.Folder:
		return s.overwrite(ctx, a, there, content)
	case answer == rename:
		return s.rename(ctx, a, p, content)
	}
	return a.cancelled(), nil
}

// overwrite replaces the document that the user was asked about; not one that
// somebody has changed since.
func (s *set) overwrite(ctx context.Context, a action, there ops.Info, content string) (tool.Result, error) {
	_, err := a.desk.Write(ctx, a.name, ops.WriteRequest{Path: there.Path, Content: content, Token: there.Hash})
	if err != nil && ops.AsError(err).Code != ops.NoChange {
		return tool.Result{}, a.fail(err, nil)
	}
	a.path = there.Path
	return a.done(Created{Path: there.Path, Created: true, Overwritten: true}, "the user chose to overwrite: %s has the new text.", there.Path), nil
}

// rename makes the document under the next name that is free.
func (s *set) rename(ctx context.Context, a action, p, content string) (tool.Result, error) {
	for {
		free, err := freeName(ctx, a.desk, p)
		if err != nil {
			return tool.Result{}, a.fail(err, nil)
		}
		r, err := a.desk.Create(ctx, a.name, free, content)
		switch {
		case err == nil:
			a.path = r.Path
			return a.done(Created{Path: r.Path, Created: true}, "%s exists already, and the user chose to rename: created %s.", p, r.Path), nil
		case ops.AsError(err).Code != ops.AlreadyExists:
			return tool.Result{}, a.fail(err, nil)
		}
	}
}

// freeName is the first of "Name 2.md", "Name 3.md"… that is not taken.
func freeName(ctx context.Context, desk *ops.Desk, p string) (string, error) {
	end := p[len(p)-len(extension):]
	for i := 2; ; i++ {
		free := fmt.Sprintf("%s %d%s", strings.TrimSuffix(p, end), i, end)
		there, err := desk.Stat(ctx, free)
		if err != nil || !there.Exists {
			return free, err
		}
	}
}

func (a action) cancelled() tool.Result {
	fact := ops.FactOf(ops.Denied)
	return tool.Result{Output: a.desk.Tell(tool.Cancelled), IsError: true, EndRun: tool.Cancelled, Details: ActionResult{
		Action: a.name, Path: a.path,
		Error: &ActionError{Code: fact.Code, Message: tool.Cancelled, Recoverable: fact.Recoverable, Suggestions: []string{fact.Suggestion}, Category: fact.Category},
	}}
}

// undecided tells the model what it can do itself.
func (s *set) undecided(ctx context.Context, a action, there ops.Info, conflict error) error {
	e := *ops.AsError(conflict)
	e.Suggestions = nil
	if !there.Folder {
		e.Suggestions = append(e.Suggestions, "Overwrite: if the user wants that, use read_document and then edit_document with the operation replace.")
	}
	if free, err := freeName(ctx, a.desk, a.path); err == nil {
		name := strings.TrimSuffix(path.Base(free), path.Ext(free))
		e.Suggestions = append(e.Suggestions, fmt.Sprintf("Rename: use create_document with another name; %q is free.", name))
	}
	e.Suggestions = append(e.Suggestions, "Cancel: leave the existing one as it is, and tell the user.")
	return a.fail(&e, nil)
}
