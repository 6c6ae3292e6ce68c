package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/client"
	"redline/internal/config"
	"redline/internal/wire"
)

// attachFlags say with which server a conversation is held.
func attachFlags(c *cobra.Command, w *where) {
	flags := c.Flags()
	flags.StringVar(&w.attach, "attach", "", "hold the conversation with the server at this `URL`, or unix:PATH")
	flags.BoolVar(&w.noAttach, "no-attach", false, "hold it in this program, also if a server works on the folder")
	flags.StringVar(&w.token, "token", "", "the `token` of that server (default $REDLINE_TOKEN)")
}

// talk is an open conversation, and how it is left.
type talk struct {
	*client.Conversation
	close func() error
}

// openTalk opens the conversation that the flags ask for: with the server that they
// name, with the one that works on the folder, or in this program. Somebody can be
// asked if ask is set.
func openTalk(ctx context.Context, s streams, w *where, o client.ConversationOptions, ask bool) (*talk, *settings, error) {
	load := loadSettings
	if w.attach != "" {
		load = func(_ context.Context, w *where) (*settings, error) { // the folder is the server's
			set, _, err := userSettings(w)
			return set, err
		}
	}
	set, err := load(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	c, err := attachTo(ctx, s, w, set)
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		t, err := hold(ctx, s, w, set, o, ask)
		return t, set, err
	}
	t, err := attach(ctx, s, w, set, c, o, ask)
	return t, set, err
}

// answerTime is how long a server may take to say that it is there.
const answerTime = 2 * time.Second

// attachTo is the server that a conversation is held with; nil: none, so that it is
// held in this program.
func attachTo(ctx context.Context, s streams, w *where, set *settings) (*client.Client, error) {
	if w.attach == "" {
		return attachHere(ctx, s, w, set), nil
	}
	if w.noAttach {
		return nil, usage("--attach and --no-attach at once: which of them?")
	}
	for _, key := range ownOnly(set) {
		if o := set.Setting(key).Origin; o.Source == config.Flags {
			return nil, usage("%s cannot be sent to a server: leave it out, or start the server with it", o.Name)
		}
	}
	c, err := client.New(w.attach, client.Options{Token: cmp.Or(w.token, os.Getenv("REDLINE_TOKEN"))})
	if err != nil {
		return nil, usage("--attach: %w", err)
	}
	return c, nil
}

// attachHere is the server that works on the folder already, if there is one and the
// flags do not say otherwise. A socket that nobody listens to is none.
func attachHere(ctx context.Context, s streams, w *where, set *settings) *client.Client {
	if w.noAttach || len(ownOnly(set)) > 0 {
		return nil
	}
	socket, err := redline.Socket(w.dir, set.options())
	if err != nil {
		return nil // opening the folder tells why
	}
	if _, err := os.Lstat(socket); err != nil {
		return nil
	}
	c, err := client.New("unix:"+socket, client.Options{})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err = c.Ping(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(s.err, "redline: the server at %s does not answer; this goes without it\n", socket)
	}
	if err != nil {
		return nil
	}
	return c
}

// ownOnly are the keys that flags or the environment set, and that a server cannot be
// told: they are for a conversation in this program.
func ownOnly(set *settings) []string {
	told := []string{
		"model", "thinking", "system_prompt", "toolset", "review", "mode", "rules", "confirmDestructive", "budget", "maxIterations",
		"state", "color", // of this program
		"listen", "token", "poll_interval_ms", "max_sessions", "max_jobs_per_session", "max_events_per_job", "completed_ttl_hours", // of the server
	}
	var own []string
	for _, k := range config.Keys {
		if set.Setting(k.Name).Origin.Source >= config.Environment && !slices.Contains(told, k.Name) {
			own = append(own, k.Name)
		}
	}
	return own
}

// attach opens the conversation with a server.
func attach(ctx context.Context, s streams, w *where, set *settings, c *client.Client, o client.ConversationOptions, ask bool) (*talk, error) {
	request, err := set.request(w, ask)
	if err != nil {
		return nil, err
	}
	if request.Folder, err = folderOn(ctx, c, w); err != nil {
		return nil, attachError(err, w)
	}
	made, err := c.Create(ctx, request)
	if err != nil {
		return nil, attachError(err, w)
	}
	conv, err := c.Converse(ctx, made.ID, o)
	if err != nil {
		return nil, attachError(err, w)
	}
	with := ""
	if conv.Model() != "" {
		with = ", with " + conv.Model()
	}
	fmt.Fprintf(s.err, "using the server at %s%s\n", c.Address(), with)
	return &talk{conv, func() error {
		err := conv.Close()
		c.Close()
		return err
	}}, nil
}

// attachError says what to do about a server that refuses a conversation.
func attachError(err error, w *where) error {
	var refused *wire.Error
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Code == codeUnauthorized && w.token == "" && os.Getenv("REDLINE_TOKEN") == "":
		return fmt.Errorf("the server at %s needs a token: give the one that it told when it started with --token, or in REDLINE_TOKEN", w.attach)
	case refused.Code == codeUnauthorized:
		return fmt.Errorf("the server at %s does not know this token: give the one that it told when it started", w.attach)
	case refused.Code == wire.CodeInvalid:
		return &status{exitUsage, err}
	}
	return err
}

const codeUnauthorized = "unauthorized"

// folderOn is the name that the server has for the folder.
func folderOn(ctx context.Context, c *client.Client, w *where) (string, error) {
	list, err := c.Folders(ctx)
	if err != nil {
		return "", err
	}
	dir := w.dir
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	var names []string
	for _, f := range list {
		if f.Path == dir || w.changed("dir") && (f.Name == w.dir || f.Path == w.dir) {
			return f.Name, nil
		}
		names = append(names, f.Path)
	}
	if !w.changed("dir") && len(list) == 1 && w.attach != "" {
		return list[0].Name, nil
	}
	return "", usage("the server at %s does not work on %s; it has %s: choose with -C", c.Address(), dir, strings.Join(names, ", "))
}

// request is what a server is told of a conversation: what it would be in this program,
// so that the same words do the same with a server and without. The model, and what
// keeps a session small, are as the server was started, unless flags or the environment
// say otherwise. A session that goes on is as it was.
func (s *settings) request(w *where, ask bool) (wire.SessionOptions, error) {
	said := func(key string) string { return s.said(key, config.Environment) }
	o := wire.SessionOptions{
		Session: w.session, File: w.file, Yes: w.yes, Unattended: !ask,
		Toolset: said("toolset"), Review: said("review"), Mode: said("mode"), Model: said("model"), Thinking: said("thinking"),
	}
	if w.again && w.session == "" {
		o.Session = redline.Last
	}
	if o.Session == "" {
		o.Toolset, o.Review, o.Mode, o.Rules = s.word("toolset"), s.word("review"), s.word("mode"), s.rules()
	}
	given := func(key string) bool { return s.Setting(key).Origin.Source >= config.Environment }
	if given("rules") {
		o.Rules = s.rules()
	}
	if given("budget") {
		o.Budget, _ = config.Get[float64](s.Config, "budget")
	}
	if given("maxIterations") {
		o.MaxIterations, _ = config.Get[int](s.Config, "maxIterations")
	}
	var err error
	if given("system_prompt") {
		o.SystemPrompt, err = s.systemPrompt()
	}
	return o, err
}
