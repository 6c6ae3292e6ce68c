// Command redline is an agent for a folder of documents whose every change can be seen and taken back.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/console"
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
	ctx, i := catch()
	status := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr, i})
	i.stop()
	os.Exit(status)
}

// streams are what a command reads and writes.
type streams struct {
	in         io.Reader
	out, err   io.Writer
	interrupts *interrupts // nil: none
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
	case isConflict(err):
		st = &status{exitConflict, err}
	case !errors.As(err, &st):
		st = &status{exitError, err}
	}
	if st.err != nil {
		fmt.Fprintln(s.err, "redline:", console.Clean(st.err.Error()))
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
	listen, token                    string
	budget                           float64
	maxIterations                    int
	again, yes, json, noColor        bool
	sandbox, sandboxNet              bool
	attach                           string
	noAttach                         bool
	usual                            string                 // the toolset if nobody names one; "": that of the library
	changed                          func(flag string) bool // whether it was given
}

// openFolder opens the folder that the flags name.
func openFolder(ctx context.Context, s streams, w *where) (*redline.Folder, error) {
	set, _, err := userSettings(w)
	if err != nil {
		return nil, err
	}
	return openWith(ctx, s, w, set.options())
}

// openWith opens it, and tells what was left of a process that died.
func openWith(ctx context.Context, s streams, w *where, o redline.Options) (*redline.Folder, error) {
	folder, err := redline.Open(ctx, w.dir, o)
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
		Use:   "redline [REQUEST…]",
		Short: "An agent for a folder of documents whose every change can be taken back",
		Long: `Redline works on a folder of documents: notes, stories, configuration, code. You
ask in plain words; it reads, searches, writes, moves and reorganises. Every byte
that it changes is a tracked change that you can see, accept, reject and take
back, with or without git.

With requests it works on them one after the other and ends; a request that is -
is read from standard input, and several single words are one request. Without any,
and with a terminal, it asks you.
Without a model of your own it uses the built-in one (redline models).

The exit status is 0 if all is done, 1 after an error, 2 for wrong usage, 3 if a
call was denied, 4 if changes wait for your review, 5 if what is on the disk is in
the way, 130 if it was interrupted.`,
		Example: `  redline "Create a note called Packing list with: passport, charger, socks"
  redline -C ~/notes "rename Anna to Clara everywhere" "list all open todos"
  redline --review hunks "replace colour with color in all notes"
  redline undo
  redline --json < commands.jsonl > events.jsonl`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		RunE:          runRoot(s, &w),
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVarP(&w.dir, "dir", "C", ".", "the `folder` to work on")
	flags.StringVar(&w.state, "state", "", "the `folder` for Redline's own state (default $XDG_STATE_HOME/redline)")
	flags.BoolVar(&w.json, "json", false, "JSON for programs; of a conversation: JSONL in and out")
	flags.BoolVar(&w.noColor, "no-color", false, "no colours")
	flags.StringVar(&w.toolset, "toolset", "", "the tools: documents, project, vault or coding (default documents)")
	flags.StringVar(&w.review, "review", "", "when changes reach the disk: optimistic, hunks, turn or auto (default by toolset)")
	flags.StringVar(&w.mode, "mode", "", "which calls run: autonomous, supervised, restricted or custom (default by toolset)")
	flags.StringArrayVar(&w.rules, "rule", nil, "a rule of mode custom, `verdict:tool:path`, such as deny::drafts/**; may be given again")
	flags.StringVar(&w.session, "session", "", "the session to go on with, or to look at: its `id` or the beginning of it")
	flags.BoolVar(&w.yes, "yes", false, "agree to what you would be asked about")
	sandboxFlags(root, &w)
	conversationFlags(root, &w)
	attachFlags(root, &w)
	root.Flags().BoolVar(&w.again, "continue", false, "go on with the newest session on the folder")
	root.Flags().StringVar(&w.file, "file", "", "the current document: it is shown to the model, and its folder is where new documents go")
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { w.changed = cmd.Flags().Changed }
	root.AddCommand(newTool(s, &w), newServe(s, &w))
	root.AddCommand(newUndo(s, &w), newRedo(s, &w), newLog(s, &w), newShow(s, &w), newDiff(s, &w), newAccept(s, &w), newReject(s, &w))
	root.AddCommand(newRollback(s, &w), newCheckpoints(s, &w), newTrash(s, &w), newAudit(s, &w), newSessions(s, &w))
	root.AddCommand(newConfig(s, &w), newTrust(s, &w), newModels(s, &w), newDoctor(s, &w), newCompletion(s))
	for _, c := range root.Commands() { // those that tell what a conversation would be like
		if c.Name() == "config" || c.Name() == "models" || c.Name() == "doctor" {
			conversationFlags(c, &w)
		}
	}
	completeFlags(root)
	checkArgs(root)
	return root
}

// conversationFlags are the flags that the configuration has keys for, of commands
// that talk with a model or about one.
func conversationFlags(c *cobra.Command, w *where) {
	flags := c.Flags()
	flags.StringVar(&w.model, "model", "", "the model, as `provider/name`; offline is the built-in one")
	flags.StringVar(&w.baseURL, "base-url", "", "the `URL` of the model's server")
	flags.StringVar(&w.apiKey, "api-key", "", "the `key` for the model; better in the environment or the configuration")
	flags.StringVar(&w.thinking, "thinking", "", "how much the model thinks: off, minimal, low, medium or high")
	flags.StringVar(&w.systemPrompt, "system-prompt", "", "a `text` or @file instead of the toolset's own prompt")
	flags.Float64Var(&w.budget, "budget", 0, "what a request may cost, in `USD`")
	flags.IntVar(&w.maxIterations, "max-iterations", 0, "how often the model may answer for a request")
}

// version is that of the module, and of the source where it is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	return v
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
