package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"redline/internal/client"
	"redline/internal/console"
	"redline/internal/text"
	"redline/internal/wire"
)

// runRoot asks for what the arguments say; without any it asks what is wanted.
func runRoot(s streams, w *where) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := misspelt(cmd, args); err != nil {
			return err
		}
		requests, err := readRequests(cmd.Context(), s.in, args)
		if err != nil {
			return err
		}
		return converse(cmd.Context(), s, w, requests)
	}
}

// misspelt refuses a single word that looks like a command: it is seldom meant
// for the agent.
func misspelt(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || strings.ContainsAny(args[0], " \t\n.?!") || args[0] == "-" {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := text.Nearest(args[0], names); near != "" {
		return usage("there is no command %q; did you mean redline %s? A request to the agent has more than one word", args[0], near)
	}
	return nil
}

// readRequests is the arguments, with standard input in the place of "-". Several
// single words are one request, whose quotes were forgotten.
func readRequests(ctx context.Context, in io.Reader, args []string) ([]string, error) {
	requests := slices.Clone(args)
	if len(args) > 1 && !slices.ContainsFunc(args, func(a string) bool { return a == "-" || strings.ContainsAny(a, " \t\n") }) {
		requests = []string{strings.Join(args, " ")}
	}
	if slices.ContainsFunc(requests, func(r string) bool { return strings.TrimSpace(r) == "" }) {
		return nil, usage("a request is empty: say what you want done")
	}
	i := slices.Index(requests, "-")
	if i < 0 {
		return requests, nil
	}
	data, err := unlessDone(ctx, func() ([]byte, error) { return io.ReadAll(in) })
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return nil, usage("standard input is empty: it should have held the request")
	}
	requests[i] = string(data)
	return requests, nil
}

// unlessDone returns what read returns, or gives up when ctx ends: a read of standard
// input cannot be interrupted, and ends with the program.
func unlessDone[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	c := make(chan answer, 1)
	go func() {
		v, err := read()
		c <- answer{v, err}
	}()
	select {
	case a := <-c:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// converse talks with the agent: over JSONL, at a prompt, or about the requests.
func converse(ctx context.Context, s streams, w *where, requests []string) (err error) {
	face := console.Detect(s.in, s.out, s.err, os.Getenv)
	if len(requests) == 0 && !w.json && !face.Ask {
		return usage("say what you want: redline \"request\"; see redline --help")
	}
	conv, set, err := openTalk(ctx, s, w, client.ConversationOptions{Lines: w.json, Screens: face.Terminal || len(requests) == 0}, w.json || face.Ask)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conv.close()) }()
	face.Color, face.Reviews, face.Interrupts = set.colors(face.Color), conv.Review(), s.interrupts.claim(w.json)
	face.Nearest = text.Nearest
	var last wire.Status
	switch {
	case w.json:
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that goes away fails the write, and the run is interrupted
		last, err = console.JSON(ctx, conv, requests, s.in, s.out)
	case len(requests) == 0:
		last, err = console.New(face).Prompt(ctx, conv)
		if err == nil && !last.Open() && last.State != wire.AwaitingReview {
			return nil // what became of the requests was told, and the user went on
		}
	default:
		last, err = console.New(face).Ask(ctx, conv, requests)
	}
	if err != nil {
		return rebaseHint(err, "nothing was written") // of a review at the terminal
	}
	return endedAs(last)
}

// endedAs is the exit status for how a run ended, which has been told already.
func endedAs(last wire.Status) error {
	switch {
	case last.Denied:
		return &status{code: exitDenied}
	case last.Aborted:
		return &status{code: exitAborted}
	case last.State == wire.Failed:
		return &status{code: exitError}
	case last.State == wire.AwaitingReview:
		return &status{code: exitPending}
	}
	return nil
}
