package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/console"
	"redline/internal/store/jsonl"
	"redline/internal/wire"
)

func newSessions(s streams, w *where) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "The conversations on the folder: list, show, export, fork",
		Long: `List the conversations on the folder, the one written to last first, each with where
it stands: done, waits (for your answer, which the next message gives), review (changes
wait for a decision), failed, stopped or running. Go on with one by redline --session ID,
or with the last by redline --continue.`,
		Example: `  redline sessions
  redline sessions show last
  redline sessions export 0199a8c2 --format html -o talk.html
  redline sessions fork 0199a8c2 --at 4`,
		Args: cobra.NoArgs,
		RunE: onFolder(s, w, listSessions),
	}
	c.AddCommand(newSessionsShow(s, w), newSessionsExport(s, w), newSessionsFork(s, w))
	return c
}

func listSessions(j *job) error {
	list, err := j.folder.Sessions(j.ctx)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, list)
	}
	if len(list) == 0 {
		j.say("Nothing was said here yet.")
	}
	for _, i := range list {
		j.say("%s  %s  %-12s %-8s %s  (%s)", shown(i.ID), clock(i.Written), plural(i.Messages, "message"), standing(i.State), gist(i.Title, 60), gist(i.Model, 40))
		if i.Question != "" {
			j.say("    ? %s", gist(i.Question, 100))
		}
		if i.Problem != "" {
			j.say("    %s", gist(i.Problem, 0))
		}
	}
	return nil
}

// standing is the state of a session in a word.
func standing(state string) string {
	switch wire.State(state) {
	case wire.WaitingForUser:
		return "waits"
	case wire.AwaitingReview:
		return "review"
	case wire.Cancelled:
		return "stopped"
	}
	return state
}

func newSessionsShow(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show what was said in a session",
		Example: `  redline sessions show last
  redline sessions show 0199a8c2 --json`,
		Args: cobra.ExactArgs(1),
		RunE: onFolder(s, w, func(j *job) error {
			t, err := j.folder.Session(j.ctx, j.first())
			if err != nil {
				return err
			}
			if j.w.json {
				return printJSON(j.s.out, t)
			}
			var b bytes.Buffer
			if err := t.Markdown(&b); err != nil {
				return err
			}
			_, err = io.WriteString(j.s.out, console.Clean(b.String()))
			return err
		}),
	}
}

func newSessionsExport(s streams, w *where) *cobra.Command {
	var format, output string
	var force bool
	c := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as a document or a page",
		Long: `Write a session as Markdown or as one HTML page without scripts: to standard output,
or to a file, which must not exist unless --force is given.`,
		Example: `  redline sessions export last > talk.md
  redline sessions export 0199a8c2 --format html -o talk.html`,
		Args: cobra.ExactArgs(1),
		RunE: onFolder(s, w, func(j *job) error { return exportSession(j, format, output, force) }),
	}
	c.Flags().StringVar(&format, "format", "md", "md or html")
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `file`")
	c.Flags().BoolVar(&force, "force", false, "replace the file if there is one")
	return c
}

// exportedJSON is where a transcript went.
type exportedJSON struct {
	Session string `json:"session_id"`
	File    string `json:"file"`
}

func exportSession(j *job, format, output string, force bool) error {
	write := map[string]func(*redline.Transcript, io.Writer) error{"md": (*redline.Transcript).Markdown, "html": (*redline.Transcript).HTML}[format]
	switch {
	case write == nil:
		return usage("there is no format %q; choose md or html", format)
	case j.w.json && output == "":
		return usage("with --json name a file with -o, or use redline sessions show --json")
	}
	t, err := j.folder.Session(j.ctx, j.first())
	if err != nil {
		return err
	}
	if output == "" {
		return write(t, j.s.out)
	}
	err = jsonl.Export(output, force, func(w io.Writer) error { return write(t, w) })
	switch {
	case errors.Is(err, fs.ErrExist):
		return usage("%s exists; add --force to replace it", shown(output))
	case err != nil:
		return err
	case j.w.json:
		return printJSON(j.s.out, exportedJSON{t.ID, output})
	}
	j.say("Written to %s.", shown(output))
	return nil
}

func newSessionsFork(s streams, w *where) *cobra.Command {
	var at int
	c := &cobra.Command{
		Use:   "fork ID --at N",
		Short: "Begin a new session with the first messages of another",
		Long: `Begin a new session with the messages of another one, from number 0 up to and with
number N (redline sessions show --json lists them in order). The other one stays as
it is, and so do the files.`,
		Example: `  redline sessions fork 0199a8c2 --at 4`,
		Args:    cobra.ExactArgs(1),
		RunE: onFolder(s, w, func(j *job) error {
			if at < 0 {
				return usage("say with --at up to which message, counted from 0")
			}
			fork, err := j.folder.Fork(j.ctx, j.first(), at)
			if err != nil {
				return err
			}
			if j.w.json {
				return printJSON(j.s.out, fork)
			}
			j.say("New session %s: redline --session %s goes on with it.", fork.ID, fork.ID)
			return nil
		}),
	}
	c.Flags().IntVar(&at, "at", -1, "the `number` of the last message to take, counted from 0")
	return c
}
