package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"redline"
	"redline/internal/client"
	"redline/internal/server"
	"redline/internal/wire"
)

// keepSmall lets half as much lie around in the memory as usual, in relation to what is
// in use: it takes no time that a user would notice. Whoever sets GOGC knows better.
func keepSmall() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// hold holds a conversation in this program: with a server of its own, which nobody
// else can reach.
func hold(ctx context.Context, s streams, w *where, set *settings, o client.ConversationOptions, ask bool) (t *talk, err error) {
	keepSmall()
	set.tell(s)
	set.tellGaps(s)
	options, err := set.conversation(w)
	if err != nil {
		return nil, err
	}
	folder, err := openWith(ctx, s, w, set.options())
	if err != nil {
		return nil, err
	}
	closing := []func() error{folder.Close}
	end := func() error {
		var errs []error
		for i := range closing {
			errs = append(errs, closing[len(closing)-1-i]())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, end())
		}
	}()
	fmt.Fprintln(s.err, options.Model)
	host := folder.Host(hostOptions(set, options))
	closing = append(closing, func() error { return host.Close(context.WithoutCancel(ctx)) })
	made, err := host.Create(ctx, localRequest(options, ask))
	if err != nil {
		return nil, err
	}
	c, stop, err := serveHere(server.Options{Folders: []server.Folder{partOf("", w.dir, host, &folderSettings{set, options.Model})}, Private: true})
	if err != nil {
		return nil, err
	}
	closing = append(closing, stop)
	conv, err := c.Converse(ctx, made.ID, o)
	if err != nil {
		return nil, err
	}
	closing = append(closing, conv.Close)
	return &talk{conv, end}, nil
}

// hostOptions are for the conversation of one user. How many sessions there are is a
// matter of servers.
func hostOptions(set *settings, d redline.ConversationOptions) redline.HostOptions {
	h := set.hosting()
	h.Limits.MaxSessions = -1
	return redline.HostOptions{Defaults: d, Limits: h.Limits, RerunOnConflict: h.RerunOnConflict, Confirm: h.Confirm}
}

// localRequest is what the host is told of the conversation.
func localRequest(o redline.ConversationOptions, ask bool) wire.SessionOptions {
	r := wire.SessionOptions{
		Session: o.Session, Model: o.Model.Name, Toolset: o.Toolset, Review: o.Review, Mode: o.Mode, Rules: o.Rules, Thinking: string(o.Thinking), SystemPrompt: o.SystemPrompt,
		Budget: o.Budget, File: o.File, Yes: o.Yes, Unattended: !ask,
	}
	if o.Continue && o.Session == "" {
		r.Session = redline.Last
	}
	return r
}

// serveHere starts a server in this program, and returns a client of it.
func serveHere(o server.Options) (*client.Client, func() error, error) {
	memory := server.NewMemory()
	c, err := client.New("http://localhost", client.Options{Dial: memory.Dial})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.New(o).Serve(ctx, memory, nil, nil) }()
	return c, func() error {
		c.Close()
		cancel()
		return <-ended
	}, nil
}
