// Command redline is an agent for a folder of documents whose every change can be seen and taken back.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/ledger"
)

// Exit statuses.
const (
	exitDone     = 0
	exitError    = 1
	exitUsage    = 2
	exitDenied   = 3   // a call was not approved
	exitPending  = 4   // changes wait for a decision
	exitConflict = 5   // what is on the disk is in the way
	exitAborted  = 130 // interrupted
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(status)
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// status is an error that ends the program with an exit status.
type status struct {
	code int
	err  error // nil: it has been said already
}

func (s *status) Error() string {
	if s.err == nil {
		return fmt.Sprintf("exit status %d", s.code)
	}
	return s.err.Error()
}

func (s *status) Unwrap() error { return s.err }

func usage(format string, args ...any) error {
	return &status{exitUsage, fmt.Errorf(format, args...)}
}

// run is the whole program, for main and for tests.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	var st *status
	var option *redline.OptionError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		fmt.Fprintln(s.err, "redline: aborted")
		return exitAborted
	case errors.As(err, &option):
		st = &status{exitUsage, err}
	case errors.Is(err, ledger.Conflict):
		st = &status{exitConflict, err}
	case !errors.As(err, &st):
		st = &status{exitError, err}
	}
	if st.err != nil {
		fmt.Fprintln(s.err, "redline:", st.err)
	}
	return st.code
}

// where are the flags that say which folder is worked on, and how.
type where struct {
	dir, state, session              string
	toolset, review, mode            string
	rules                            []string
	model, baseURL, apiKey, thinking string
	systemPrompt, file               string
	budget                           float64
	maxIterations                    int
	again, yes, json, noColor        bool
	changed                          func(flag string) bool // whether it was given
}

// openFolder opens the folder that the flags name.
func openFolder(ctx context.Context, s streams, w *where) (*redline.Folder, error) {
	set, _, err := userSettings(w)
	if err != nil {
		return nil, err
	}
	folder, err := redline.Open(ctx, w.dir, set.options())
	if err != nil {
		return nil, err
	}
	if folder.Recovered != "" {
		fmt.Fprintln(s.err, "redline:", folder.Recovered)
	}
	return folder, nil
}

func newRoot(s streams) *cobra.Command {
	var w where
	root := &cobra.Command{
		Use:   "redline",
		Short: "An agent for a folder of documents whose every change can be taken back",
		Long: `Redline works on a folder of documents. Every byte that it changes is a tracked
change that you can see, accept, reject and take back.

The agent itself is not there yet. What works today are its tools, without a
model: redline tool list, redline tool call.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	w.changed = flags.Changed
	flags.StringVarP(&w.dir, "dir", "C", ".", "the `folder` to work on")
	flags.StringVar(&w.state, "state", "", "the `folder` for Redline's own state (default $XDG_STATE_HOME/redline)")
	flags.BoolVar(&w.json, "json", false, "JSON for programs; of a conversation: JSONL in and out")
	flags.BoolVar(&w.noColor, "no-color", false, "no colours")
	flags.StringVar(&w.toolset, "toolset", "documents", "the tools: documents, project or coding")
	flags.StringVar(&w.review, "review", "", "when changes reach the disk: optimistic, hunks, turn or auto (default by toolset)")
	flags.StringVar(&w.mode, "mode", "", "which calls run: autonomous, supervised, restricted or custom (default by toolset)")
	flags.StringArrayVar(&w.rules, "rule", nil, "a rule of mode custom, `verdict:tool:path`, such as deny::drafts/**; may be given again")
	flags.StringVar(&w.session, "session", "tool", "the session that changes belong to")
	flags.BoolVar(&w.yes, "yes", false, "agree to what you would be asked about")
	root.AddCommand(newTool(s, &w))
	root.AddCommand(newConfig(s, &w), newTrust(s, &w), newModels(s, &w), newDoctor(s, &w), newCompletion(s))
	completeFlags(root)
	checkArgs(root)
	return root
}

// checkArgs makes wrong arguments of a command, and of those below it, a matter
// of usage.
func checkArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usage("%w; see %s --help", err, cmd.CommandPath())
			}
			return nil
		}
	}
	for _, below := range c.Commands() {
		checkArgs(below)
	}
}
