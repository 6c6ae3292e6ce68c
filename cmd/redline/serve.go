package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"redline/internal/server"
)

// serveFlags are those that only a server has.
type serveFlags struct {
	folders   []string
	hosts     []string
	cert, key string
	open      bool
	logLevel  string
	logJSON   bool
}

func newServe(s streams, w *where) *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve the folder to pages and programs over HTTP",
		Long: `Serve the folder, or several, over HTTP: sessions, jobs and their events, reviews,
documents, search, and the models. /api/docs describes the routes.

A request has to show the token that is told at the start, as "Authorization:
Bearer TOKEN". It is a random one for each start, unless you set one with token in
your own configuration, REDLINE_TOKEN or --token. A browser gets in by the link,
which can be used once. Other programs of yours can use the socket server.sock
in the state of the folder, which needs no token; redline itself does.

It listens on this machine alone. With --listen it listens elsewhere, if you have
set a token. Ctrl-C or SIGTERM ends it: jobs that run are interrupted, and can be
resumed when it runs again.

The flags about conversations say how sessions work that do not say it themselves;
the toolset is project then, whose changes wait for your decision.`,
		Example: `  redline serve
  redline serve ~/notes --open
  redline serve --folder ~/notes --folder ~/novel --listen 127.0.0.1:8000
  redline serve --json | head -1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return serve(cmd.Context(), s, w, f, folderNames(w, f, args))
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.folders, "folder", nil, "a `folder` to serve; may be given again")
	flags.StringVar(&w.listen, "listen", "", "the `address` to listen on, host:port (default 127.0.0.1:7333; port 0: any that is free)")
	flags.StringVar(&w.token, "token", "", "the `token` of requests; better in REDLINE_TOKEN or your configuration")
	flags.StringArrayVar(&f.hosts, "host", nil, "a `name` by which the server is called, besides its address; may be given again")
	flags.StringVar(&f.cert, "tls-cert", "", "a `file` with the certificate: the server speaks HTTPS")
	flags.StringVar(&f.key, "tls-key", "", "the `file` with its key")
	flags.BoolVar(&f.open, "open", false, "open the page in a browser")
	flags.StringVar(&f.logLevel, "log-level", "info", "what is logged: debug, info, warn or error")
	flags.BoolVar(&f.logJSON, "log-json", false, "log lines of JSON")
	conversationFlags(c, w)
	return c
}

// folderNames are the folders that the flags and arguments name.
func folderNames(w *where, f serveFlags, args []string) []string {
	names := append([]string(nil), args...)
	if len(names) == 0 && (w.changed("dir") || len(f.folders) == 0) {
		names = []string{w.dir}
	}
	return append(names, f.folders...)
}

// usualToolset is that of a server's sessions: what they change waits for a decision.
const usualToolset = "project"

// serve runs until ctx ends.
func serve(ctx context.Context, s streams, w *where, f serveFlags, dirs []string) error {
	keepSmall()
	log, err := serverLog(s, f)
	if err != nil {
		return err
	}
	settled, err := settleAll(ctx, s, w, dirs)
	if err != nil {
		return err
	}
	door, err := newDoor(settled[0].listening(), f)
	if err != nil {
		return err
	}
	site := &site{s: s, log: log, metrics: server.NewMetrics()}
	end := func(err error) error { return ending(ctx, site, err) }
	for i, set := range settled {
		if err := site.add(ctx, dirs[i], set, w); err != nil {
			return end(err)
		}
	}
	if err := site.begin(ctx, door, settled[0]); err != nil {
		return end(err)
	}
	if err := site.announce(door, w.json, f.open); err != nil {
		return end(err)
	}
	select {
	case <-site.failed: // stopping says why
	case <-ctx.Done():
	}
	return end(nil)
}

// echo is how long after a signal another one is taken for the same: timeout(1) and
// other programs that start programs send theirs twice.
const echo = time.Second

// ending stops the site. A second signal does not wait for that: what was running is
// found interrupted at the next start.
func ending(ctx context.Context, site *site, why error) error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM) // the one that ended ctx has been delivered to all
	defer signal.Stop(again)
	done := make(chan error, 1)
	go func() { done <- site.stop(context.WithoutCancel(ctx)) }()
	for begun := time.Now(); ; {
		select {
		case err := <-done:
			return errors.Join(why, err)
		case <-again:
			if time.Since(begun) > echo {
				return &status{exitAborted, errors.New("stopped at once")}
			}
		}
	}
}

// settleAll hears what is configured for each folder, and that it is there, once.
func settleAll(ctx context.Context, s streams, w *where, dirs []string) ([]*settings, error) {
	var all []*settings
	seen := map[string]string{}
	for _, dir := range dirs {
		resolved, err := resolve(dir)
		if err != nil {
			return nil, err
		}
		if other, twice := seen[resolved]; twice {
			return nil, usage("%s and %s are the same folder: name it once", other, dir)
		}
		seen[resolved] = dir
		there := *w
		there.dir, there.usual = dir, usualToolset
		set, err := loadSettings(ctx, &there)
		if err != nil {
			return nil, err
		}
		set.tell(s)
		set.tellGaps(s)
		all = append(all, set)
	}
	return all, nil
}

// resolve is the one name of a folder that has several.
func resolve(dir string) (string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s: make it first", dir)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is no folder", dir)
	}
	resolved, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(resolved)
}

// serverLog is the log on standard error.
func serverLog(s streams, f serveFlags) (*slog.Logger, error) {
	var level slog.Level
	switch f.logLevel {
	case "debug", "info", "warn", "error":
	default:
		return nil, usage("--log-level must be debug, info, warn or error, not %q", f.logLevel)
	}
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return nil, err
	}
	o := &slog.HandlerOptions{Level: level}
	if f.logJSON {
		return slog.New(slog.NewJSONHandler(s.err, o)), nil
	}
	return slog.New(slog.NewTextHandler(s.err, o)), nil
}
