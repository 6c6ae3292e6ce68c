//go:build linux && (amd64 || arm64)

package shell

import (
	"os"
	"os/exec"

	"redline/internal/workspace"
)

// cordon is what is around a command that is confined, or works on a stage.
type cordon struct {
	report, in *os.File // nil: nothing is around it
	private    *workspace.Private
}

// surround makes a command, which is not started yet, start through this program
// again, if anything is to be done before it is the shell.
func surround(cmd *exec.Cmd, c Command) (*cordon, error) {
	if c.Sandbox == nil && c.Stage.None() {
		return &cordon{}, nil
	}
	e := errand{Dir: c.Dir, Stage: c.Stage, Namespace: namespaces() == nil}
	k := &cordon{}
	if c.Sandbox != nil {
		private, home, tmp, err := c.Sandbox.private()
		if err != nil {
			return nil, err
		}
		k.private = private
		if e.Cell, err = c.Sandbox.cellOf(c.Dir, home, tmp); err != nil {
			k.lift()
			return nil, err
		}
		e.Freeze, e.Thaw, e.Cell.Apart = e.Namespace, e.Cell.Write, e.Namespace
		e.Tmp, e.Shared = tmp, e.Cell.unused(shared)
		cmd.Env = e.Cell.sandboxed(cmd.Env, home, tmp)
	}
	args, err := e.wrap(append([]string{cmd.Path}, cmd.Args...)...)
	if err == nil {
		k.report, k.in, err = os.Pipe()
	}
	if err != nil {
		k.lift()
		return nil, err
	}
	cmd.Path, cmd.Args = "/proc/self/exe", args
	cmd.ExtraFiles = append(cmd.ExtraFiles, k.in)
	if e.Namespace {
		e.namespaced(cmd.SysProcAttr)
	}
	return k, nil
}

// await returns when the command that was started has become the shell, or says why
// not.
func (k *cordon) await() error {
	if k.report == nil {
		return nil
	}
	k.in.Close()
	return readReport(k.report)
}

// lift removes what was there for the command alone. What cannot be removed, because
// something that cannot be ended still uses it, is swept later.
func (k *cordon) lift() {
	if k.report != nil {
		k.report.Close()
		k.in.Close()
	}
	if k.private != nil {
		_ = k.private.Close()
	}
}
