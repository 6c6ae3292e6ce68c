package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"redline/internal/console"
)

func newAudit(s streams, w *where) *cobra.Command {
	var n int
	var verify bool
	c := &cobra.Command{
		Use:   "audit",
		Short: "Show the log of all calls of tools, and check it",
		Long: `Show the last entries of the audit log: every call of a tool with how it ended,
without secrets. Each entry holds the hash of the one before; --verify checks that
nothing was changed, and the exit status is 1 if something was.`,
		Example: `  redline audit
  redline audit -n 0 --json
  redline audit --verify`,
		Args: cobra.NoArgs,
		RunE: onFolder(s, w, func(j *job) error {
			switch {
			case n < 0:
				return usage("-n is a number of lines, 0 for all")
			case verify:
				return verifyAudit(j)
			}
			return audit(j, n)
		}),
	}
	c.Flags().IntVarP(&n, "number", "n", 50, "at most so many; 0: all")
	c.Flags().BoolVar(&verify, "verify", false, "check that the log is as it was written")
	return c
}

func audit(j *job, n int) error {
	entries, err := j.folder.Audit(j.ctx, n)
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, entries)
	}
	if len(entries) == 0 {
		j.say("The audit log is empty.")
	}
	for _, e := range entries {
		words := gist(e.Action, 40)
		if len(e.Parameters) > 0 {
			words += " " + gist(string(e.Parameters), 100)
		}
		if e.Error != "" {
			words += ": " + gist(e.Error, 100)
		}
		j.say("%6d  %s  %-8s  %s  %s", e.Seq, clock(e.Time), e.Result, brief(e.Turn), words)
	}
	return nil
}

// verifiedJSON is what a check of the log found.
type verifiedJSON struct {
	Intact  bool   `json:"intact"`
	Entries int    `json:"entries"`
	Error   string `json:"error,omitempty"`
}

func verifyAudit(j *job) error {
	v := verifiedJSON{Intact: true}
	broken := j.folder.VerifyAudit(j.ctx)
	if broken != nil {
		v.Intact, v.Error = false, broken.Error()
	}
	if entries, err := j.folder.Audit(j.ctx, 0); err == nil {
		v.Entries = len(entries)
	}
	if j.w.json {
		if err := printJSON(j.s.out, v); err != nil {
			return err
		}
	} else if v.Intact {
		j.say("The audit log is intact: %d entries.", v.Entries)
	}
	switch {
	case v.Intact:
		return nil
	case j.w.json:
		return &status{code: exitError}
	}
	return fmt.Errorf("%s: somebody changed the log; what is behind it proves nothing", console.Clean(v.Error))
}
