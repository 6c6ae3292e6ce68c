package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"

	"redline/llm"
)

// Info is what a tool says of itself.
type Info struct {
	Name        string // letters, digits, - and _, at most 64
	Label       string // for people; "": the name
	Description string // for the model
	ReadOnly    bool   // it changes nothing and may run beside others
	InOrder     bool   // it runs after the calls before it and before those behind it, though it is read-only
	Destructive bool   // it destroys what cannot easily be brought back
}

// New makes a tool of a function. Args is a struct whose fields are the
// parameters; the docs of this package tell how. If it has a method Check()
// error, that is asked before the function is called, and a method
// Destructive() bool decides for each call whether it is destructive.
//
// The function gets arguments that are valid, whoever calls Execute, and an
// Update that is never nil.
func New[Args any](info Info, run func(ctx context.Context, args Args, update Update) (Result, error)) (Tool, error) {
	t, err := newTyped(info, run)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", info.Name, err)
	}
	return t, nil
}

// Must is for tools whose making cannot fail, such as those in variables.
func Must(t Tool, err error) Tool {
	if err != nil {
		panic(err)
	}
	return t
}

type typed[Args any] struct {
	info   Info
	spec   llm.ToolSpec
	schema *schema
	run    func(context.Context, Args, Update) (Result, error)
}

var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func checkName(name string) error {
	if !validName.MatchString(name) {
		return errors.New("a name has 1 to 64 letters, digits, - and _")
	}
	return nil
}

func newTyped[Args any](info Info, run func(context.Context, Args, Update) (Result, error)) (*typed[Args], error) {
	if err := checkName(info.Name); err != nil {
		return nil, err
	}
	switch {
	case info.Description == "":
		return nil, errors.New("the description is missing; the model knows the tool by it")
	case info.ReadOnly && info.Destructive:
		return nil, errors.New("it cannot be both read-only and destructive")
	case run == nil:
		return nil, errors.New("the function is missing")
	}
	root, err := schemaOf(reflect.TypeFor[Args]())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	s, err := compiled(root)
	if err != nil {
		return nil, err
	}
	return &typed[Args]{info, llm.ToolSpec{Name: info.Name, Description: info.Description, Schema: text}, s, run}, nil
}

func (t *typed[Args]) Spec() llm.ToolSpec { return t.spec }
func (t *typed[Args]) Label() string      { return t.info.Label }
func (t *typed[Args]) ReadOnly() bool     { return t.info.ReadOnly }
func (t *typed[Args]) InOrder() bool      { return t.info.InOrder }

// Destructive is careful with calls that cannot be read: they will not run, but
// a permission that was asked for too much is better than one too few.
func (t *typed[Args]) Destructive(call Call) bool {
	if t.info.Destructive {
		return true
	}
	var args Args
	d, ok := any(&args).(interface{ Destructive() bool })
	if !ok {
		return false
	}
	call, err := t.schema.prepare(call)
	if err != nil || json.Unmarshal(call.Arguments, &args) != nil {
		return true
	}
	return d.Destructive()
}

func (t *typed[Args]) Prepare(call Call) (Call, error) {
	call, _, err := t.decode(call)
	return call, err
}

func (t *typed[Args]) Execute(ctx context.Context, call Call, update Update) (Result, error) {
	_, args, err := t.decode(call)
	if err != nil {
		return Result{}, err
	}
	if update == nil {
		update = func(Result) {}
	}
	return t.run(ctx, args, update)
}

func (t *typed[Args]) decode(call Call) (Call, Args, error) {
	var args Args
	call.Name = t.spec.Name
	call, err := t.schema.prepare(call)
	if err != nil {
		return call, args, err
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return call, args, t.schema.invalid(call.Name, problemsOf(err))
	}
	if c, ok := any(&args).(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return call, args, t.schema.invalid(call.Name, problemsOf(err))
		}
	}
	return call, args, nil
}
