package coding

import (
	"context"

	"redline/internal/toolset"
	"redline/tool"
)

// contract gives the arguments that a tool refuses the shape of this contract.
func (s *set) contract(t tool.Tool) toolset.Contract { return toolset.Refusing(t, s.desk, fail) }

// changes makes a tool that changes the file its argument file_path names.
func changes[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return toolset.Changing{Contract: s.contract(t), Desk: s.desk, Argument: "file_path"}, nil
}

// plain makes a tool that changes no file by a name in its arguments.
func plain[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
}
