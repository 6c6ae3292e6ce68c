package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 1 << 20

	// drain is how long a call listens after the shell has exited, for what a
	// process it did not wait for (a process substitution) still has to say. After
	// the end of the family it is how long silence must last where a stranger still
	// holds a pipe.
	drain = time.Second
)

// Command is one line for the shell.
type Command struct {
	Line      string
	Dir       string        // absolute path of the folder
	Timeout   time.Duration // 0: 30 s
	MaxOutput int           // bytes of each stream; 0: 1 MB
	Sandbox   *Sandbox      // nil: it can do what the user can do
	Stage     Stage         // what it finds in the place of Dir

	// Output hears "stdout" and "stderr" as they come, all of it, in whole UTF-8;
	// it may be nil. It is never called twice at once, nor after Run has returned.
	// The piece is valid only during the call, and the command waits for it.
	Output func(stream string, piece []byte)
}

// Run runs a command to its end, and ends whatever it has left running. A command
// that fails, is aborted through ctx or times out has a Result; the error is only
// for one that could not be started.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := c.check(ctx); err != nil {
		return Result{}, err
	}
	if !c.Stage.None() {
		if err := namespaces(); err != nil && c.Stage.Copy == "" {
			return Result{}, fmt.Errorf("start the command: %w", err)
		} else if err != nil {
			c.Dir, c.Stage = c.Stage.Copy, Stage{} // where nothing can be mounted, it has another name
		}
	}
	shell, err := find()
	if err != nil {
		return Result{}, err
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.MaxOutput <= 0 {
		c.MaxOutput = defaultMaxOutput
	}
	var talk sync.Mutex
	stdout, err := newStream("stdout", c, &talk)
	if err != nil {
		return Result{}, fmt.Errorf("start the command: %w", err)
	}
	defer stdout.close()
	stderr, err := newStream("stderr", c, &talk)
	if err != nil {
		return Result{}, fmt.Errorf("start the command: %w", err)
	}
	defer stderr.close()

	f, err := start(shell, c, stdout.in, stderr.in)
	if err != nil {
		return Result{}, c.explain(err)
	}
	stdout.in.Close() // what the family holds open is what counts
	stderr.in.Close()
	drained := listen(stdout, stderr)

	r := f.follow(ctx, c.Timeout, drained)
	r.Left, r.Running = f.end()
	stdout.finish()
	stderr.finish()
	<-drained
	r.ExitCode = f.exitCode()
	var cutOut, cutErr bool
	r.Stdout, cutOut = stdout.kept.Text()
	r.Stderr, cutErr = stderr.kept.Text()
	r.Truncated = cutOut || cutErr
	return r, nil
}

// follow returns when the family is to be ended: the shell has exited and what it
// left was heard, or ctx or the time is over.
func (f *family) follow(ctx context.Context, limit time.Duration, drained <-chan struct{}) (r Result) {
	began := time.Now()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-f.exited:
	case <-ctx.Done():
		r.Aborted = true
	case <-timeout.C:
		r.TimedOut = true
	}
	r.Duration = time.Since(began)
	if r.Aborted || r.TimedOut {
		return r
	}
	select {
	case <-drained:
	case <-time.After(drain):
	case <-ctx.Done():
	}
	return r
}

// check refuses what cannot be run.
func (c Command) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the command was not started: %w", err)
	}
	if c.Sandbox != nil {
		if _, err := Confinement(); err != nil {
			return err
		}
	}
	if i := strings.IndexByte(c.Line, 0); i >= 0 {
		return fmt.Errorf("the command holds a NUL byte at position %d: remove it, or write it as \\0 for printf", i)
	}
	if !filepath.IsAbs(c.Dir) {
		return fmt.Errorf("run a command in %q: not an absolute path", c.Dir)
	}
	info, err := os.Stat(c.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the folder %s is gone: open another, or put it back: %w", c.Dir, err)
	case err != nil:
		return fmt.Errorf("run a command: %w", err)
	case !info.IsDir():
		return fmt.Errorf("run a command in %s: not a folder", c.Dir)
	}
	return nil
}

// explain says what to do about a start that failed.
func (c Command) explain(err error) error {
	if tooLong(err) {
		return fmt.Errorf("the command is too long for the system (%d bytes): write it to a file and run that: %w", len(c.Line), err)
	}
	return fmt.Errorf("start the command: %w", err)
}

// find looks for bash, then for sh.
func find() (string, error) {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", errors.New("no bash in PATH, and no sh: install bash to run commands")
}

// listen reads the streams to their ends, and then closes what it returns.
func listen(streams ...*stream) <-chan struct{} {
	drained := make(chan struct{})
	var wg sync.WaitGroup
	for _, s := range streams {
		wg.Go(s.read)
	}
	go func() {
		wg.Wait()
		close(drained)
	}()
	return drained
}
