package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/config"
)

// sandboxFlags are those of the commands that the toolset coding runs.
func sandboxFlags(root *cobra.Command, w *where) {
	flags := root.PersistentFlags()
	flags.BoolVar(&w.sandbox, "sandbox", false, "confine the commands of toolset coding: the folder read-write, the system read-only, no home, no network")
	flags.BoolVar(&w.sandboxNet, "sandbox-net", false, "confine them, but let them have the network and the services of this machine")
}

// sandboxGiven are those of them that were given. A sandbox with a network is one.
func sandboxGiven(w *where) []config.Flag {
	var list []config.Flag
	if w.changed("sandbox-net") {
		list = append(list, config.Flag{Name: "--sandbox-net", Key: "shell.sandbox_net", Values: []string{strconv.FormatBool(w.sandboxNet)}})
	}
	switch {
	case w.changed("sandbox"):
		list = append(list, config.Flag{Name: "--sandbox", Key: "shell.sandbox", Values: []string{strconv.FormatBool(w.sandbox)}})
	case w.changed("sandbox-net") && w.sandboxNet:
		list = append(list, config.Flag{Name: "--sandbox-net", Key: "shell.sandbox", Values: []string{"true"}})
	}
	return list
}

// commands are how the commands of the shells run, and which there are.
func (s *settings) commands() redline.CommandOptions {
	var o redline.CommandOptions
	o.Sandbox, _ = config.Get[bool](s.Config, "shell.sandbox")
	o.Net, _ = config.Get[bool](s.Config, "shell.sandbox_net")
	o.CopyMB, _ = config.Get[int](s.Config, "shell.copy_limit")
	o.CopyFiles, _ = config.Get[int](s.Config, "shell.copy_files")
	o.Allow, _ = config.Get[[]string](s.Config, "shell.allow")
	return o
}

// checkAllow refuses names of commands that there are not.
func (s *settings) checkAllow() error {
	if err := redline.CheckAllow(s.commands().Allow); err != nil {
		return ofFlags(&config.Problem{Origin: s.Setting("shell.allow").Origin, Err: err})
	}
	return nil
}

// tellGaps tells the user what the sandbox that he asked for does not keep on this
// system. That there can be none is an error, later.
func (s *settings) tellGaps(st streams) {
	if !s.commands().Sandbox || s.word("toolset") != "coding" {
		return
	}
	gaps, _ := redline.SandboxGaps()
	for _, gap := range gaps {
		fmt.Fprintln(st.err, "redline: the sandbox of this system has a gap:", gap)
	}
}
