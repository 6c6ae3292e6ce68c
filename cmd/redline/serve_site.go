package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"redline"
	"redline/internal/server"
	"redline/internal/session"
	"redline/internal/wire"
)

// site is a server at work: its folders, and the listeners by which it is reached.
type site struct {
	s       streams
	log     *slog.Logger
	metrics *server.Metrics

	folders []*served
	clients *server.Clients
	servers []*server.Server
	failed  chan struct{} // a listener broke

	life context.Context // of the listeners
	end  context.CancelFunc
	work sync.WaitGroup
	lost error // how the listeners ended

	mu sync.Mutex
}

// served is a folder of a site.
type served struct {
	set    *settings
	claim  *server.Claim
	folder *redline.Folder
	host   *redline.Host // nil: not yet
	part   server.Folder
}

// add opens a folder, whose one server this is then.
func (t *site) add(ctx context.Context, dir string, set *settings, w *where) error {
	state, err := redline.StateDir(dir, set.options())
	if err != nil {
		return err
	}
	claim, err := server.NewClaim(state)
	if taken := new(server.Taken); errors.As(err, &taken) {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err != nil {
		return fmt.Errorf("the state of %s: %w", dir, err)
	}
	f := &served{set: set, claim: claim}
	t.folders = append(t.folders, f)
	there := *w
	there.dir = dir
	options, err := set.conversation(&there)
	if err != nil {
		return err
	}
	options.Toolset = set.word("toolset")
	used := options.Model
	options.Model = redline.Chosen{} // each session chooses its own
	fmt.Fprintln(t.s.err, used)
	if f.folder, err = openWith(ctx, t.s, &there, set.options()); err != nil {
		return err
	}
	whole, err := resolve(dir)
	if err != nil {
		return err
	}
	h, name := set.hosting(), t.unique(filepath.Base(whole))
	f.host = f.folder.Host(redline.HostOptions{
		Name: name, Defaults: options, Choose: set.choose, Limits: h.Limits, RerunOnConflict: h.RerunOnConflict, Confirm: h.Confirm, Observe: t.observe,
	})
	if err := f.host.Recover(ctx); err != nil {
		return err
	}
	f.part = partOf(name, whole, f.host, &folderSettings{set, used})
	return nil
}

// unique is a name of a folder by which requests choose it.
func (t *site) unique(base string) string {
	name := base
	for n := 2; slices.ContainsFunc(t.folders, func(f *served) bool { return f.part.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// observe is told every event of a job that is kept.
func (t *site) observe(j *session.JobRecord, e wire.JobEvent) {
	t.metrics.Job(&j.Job, e)
	server.LogJob(t.log, &j.Job, e)
	if e.Type == wire.JobEventStopped && t.life != nil && t.life.Err() == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		fmt.Fprintf(t.s.err, "redline: %s is interrupted (session %s); it can be resumed\n", j.ID, j.Session)
	}
}

// begin opens the listeners.
func (t *site) begin(ctx context.Context, d *door, set *settings) error {
	var err error
	if t.clients, err = server.NewClients(ctx, clients(d.Clients), t.folders[0].folder, time.Now); err != nil {
		return err
	}
	if err := d.open(); err != nil {
		return err
	}
	d.guard.Clients = t.clients.Known
	t.life, t.end = context.WithCancel(context.WithoutCancel(ctx))
	t.failed = make(chan struct{}, len(t.folders)+1)
	options := server.Options{
		Guard: d.guard, Log: t.log, Version: version(), Metrics: t.metrics.Handler(), Models: server.Models(t.clients, t.models(set)),
		Watch: func(next http.Handler) http.Handler { return server.Watch(next, t.log, t.metrics) },
	}
	for _, f := range t.folders {
		options.Folders = append(options.Folders, f.part)
	}
	main := server.New(options)
	t.serve(main, d.listener, d.guard, d)
	t.metrics.Gauge("readers", "Streams of events that are open.", t.readers)
	for i, f := range t.folders {
		own := main
		if i > 0 { // who comes by the socket of a folder means that
			mine := options
			mine.Folders = append([]server.Folder{f.part}, slices.Delete(slices.Clone(options.Folders), i, i+1)...)
			own = server.New(mine)
		}
		t.listen(f, own)
		if err := f.claim.Tell(d.url); err != nil {
			return err
		}
	}
	return nil
}

// listen opens the socket of a folder. Without one the server works all the same.
func (t *site) listen(f *served, s *server.Server) {
	l, err := f.claim.Listen()
	if err != nil {
		t.log.Warn("no socket", "folder", f.part.Name, "error", err)
		return
	}
	t.serve(s, l, &server.Guard{Anyone: true, Public: server.Public}, nil)
}

// serve answers what comes over a listener.
func (t *site) serve(s *server.Server, l net.Listener, g *server.Guard, d *door) {
	if !slices.Contains(t.servers, s) {
		t.servers = append(t.servers, s)
	}
	t.work.Go(func() {
		var err error
		if d != nil {
			err = s.Serve(t.life, l, g, d.secure)
		} else {
			err = s.Serve(t.life, l, g, nil)
		}
		if err == nil {
			return
		}
		t.mu.Lock()
		t.lost = errors.Join(t.lost, err)
		t.mu.Unlock()
		t.failed <- struct{}{}
	})
}

func (t *site) readers() int {
	n := 0
	for _, s := range t.servers {
		n += s.Readers()
	}
	return n
}

// announcement is what a program that starts a server has to know.
type announcement struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Open  string `json:"open"` // a link for a browser, which can be used once
}

// announce tells where the server is, and opens a browser if that is wanted.
func (t *site) announce(d *door, asJSON, open bool) error {
	a := announcement{URL: d.url, Token: d.Token, Open: d.url + d.guard.Ticket()}
	for _, f := range t.folders {
		t.log.Info("serving", "folder", f.part.Name, "dir", f.part.Dir)
	}
	if asJSON {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(t.s.out, "%s\n", line); err != nil {
			return err
		}
	} else {
		token := a.Token
		if d.given {
			token = "the one that you have set"
		}
		fmt.Fprintf(t.s.err, "url: %s\ntoken: %s\nopen: %s\n", a.URL, token, a.Open)
	}
	if d.away && d.secure == nil {
		t.log.Warn("others can reach the server, and what they say and hear can be read on the way: use --tls-cert and --tls-key")
	}
	if open {
		if err := browse(a.Open); err != nil {
			t.log.Warn("no browser could be opened: open the link yourself", "error", err)
		}
	}
	return nil
}

// browse opens a link in the user's browser, and does not wait for it.
func browse(link string) error {
	name, args := "xdg-open", []string{link}
	switch browser := os.Getenv("BROWSER"); {
	case browser != "":
		name = browser
	case runtime.GOOS == "darwin":
		name = "open"
	case runtime.GOOS == "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// stop ends the site: no job begins, those that run are interrupted, readers hear so,
// and then nobody listens.
func (t *site) stop(ctx context.Context) error {
	var errs []error
	for _, f := range t.folders {
		if f.host != nil {
			errs = append(errs, f.host.Close(ctx))
		}
	}
	if t.end != nil {
		t.end()
		t.work.Wait()
		errs = append(errs, t.lost)
		t.log.Info("stopped")
	}
	for _, f := range t.folders {
		if f.folder != nil {
			errs = append(errs, f.folder.Close())
		}
		errs = append(errs, f.claim.Close())
	}
	return errors.Join(errs...)
}
