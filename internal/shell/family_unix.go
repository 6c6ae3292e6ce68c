//go:build unix

package shell

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// grace is the time between SIGTERM and SIGKILL.
	grace = time.Second
	// patience is how long SIGKILL is tried before a process counts as one that
	// cannot be ended.
	patience = 5 * time.Second
	// pieceSize keeps one argument below the 128 KB that Linux takes.
	pieceSize = 100_000
)

// family is a shell and everything that descends from it.
type family struct {
	cmd    *exec.Cmd
	kin    *kin
	cordon *cordon
	exited chan struct{} // closed when the shell has exited
	swept  chan struct{} // closed when the family has ended
	reaped chan struct{} // closed when the shell's exit code is known

	told   []process         // members that were told to end
	seen   map[identity]bool // the same
	beyond map[identity]bool // those of them that cannot be ended
}

// identity tells a process from a later one with the same id.
type identity struct {
	pid  int
	born string
}

// process is a member of a family.
type process struct {
	identity
	parent, group int
	command       string
}

// start starts the shell behind a gate and opens that when the family can be
// recognised, so that nobody slips away before.
func start(shell string, c Command, stdout, stderr *os.File) (*family, error) {
	gate, key, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	defer key.Close()
	cmd, err := gated(shell, c.Line)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	cmd.Dir, cmd.Env = c.Dir, environment(id, c.Dir)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.ExtraFiles = []*os.File{gate}
	// A session, not only a group: without a terminal nothing is stopped for
	// reading from it, and nothing scribbles on it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	around, err := surround(cmd, c)
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		around.lift()
		return nil, err
	}
	f := &family{
		cmd:    cmd,
		kin:    newKin(cmd.Process.Pid, id),
		cordon: around,
		exited: make(chan struct{}),
		swept:  make(chan struct{}),
		reaped: make(chan struct{}),
		seen:   map[identity]bool{},
		beyond: map[identity]bool{},
	}
	go f.wait()
	if err := around.await(); err != nil {
		f.end()
		return nil, err
	}
	_, err = key.WriteString("\n")
	if err != nil && !errors.Is(err, syscall.EPIPE) { // a shell that has gone already has an exit code that tells why
		f.end()
		return nil, err
	}
	return f, nil
}

// gated is the command that runs a line once a newline comes in on descriptor 3.
// If Redline dies before that, nothing runs.
func gated(shell, line string) (*exec.Cmd, error) {
	const wait = `read -r redline_gate <&3 || exit 125; exec 3<&-; `
	name := filepath.Base(shell)
	if len(line) <= pieceSize {
		// Another sh waits at the gate, so that the shell is one that was started
		// as plainly as by hand.
		sh, err := exec.LookPath("sh")
		if err != nil {
			return nil, errors.New("no sh in PATH")
		}
		return exec.Command(sh, "-c", wait+`exec "$0" -c "$1" "$2"`, shell, line, name), nil
	}
	// A line that is too long for one argument comes in several.
	args := []string{"-c", "", name}
	var pieces strings.Builder
	for i := 1; len(line) > 0; i++ {
		n := min(pieceSize, len(line))
		args = append(args, line[:n])
		line = line[n:]
		fmt.Fprintf(&pieces, "${%d}", i)
	}
	args[1] = wait + `unset redline_gate; eval "set --;` + pieces.String() + `"`
	return exec.Command(shell, args...), nil
}

// wait follows the shell. Its process id stays taken until the family has ended
// where the system allows that: the id is also that of the group and the session.
func (f *family) wait() {
	if awaitExit(f.cmd.Process.Pid) {
		close(f.exited)
		<-f.swept
		_ = f.cmd.Wait()
	} else {
		_ = f.cmd.Wait()
		close(f.exited)
	}
	close(f.reaped)
}

// end ends every member: SIGTERM, a grace, SIGKILL until none is left, and removes
// what was there for them alone. It returns the commands of those that were ended, the shell excepted, and of those that
// could not be.
func (f *family) end() (left, running []string) {
	alive, err := f.members()
	switch {
	case err != nil: // nobody can be seen: the group is all there is
		_ = syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL)
	case len(alive) > 0:
		f.signal(alive, syscall.SIGTERM)
		f.signal(alive, syscall.SIGCONT) // one that is stopped hears nothing else
		f.poll(grace, func([]process) {})
		alive = f.poll(patience, func(alive []process) { f.signal(alive, syscall.SIGKILL) })
		for _, p := range alive {
			f.beyond[p.identity] = true
		}
	}
	close(f.swept)
	stuck := false
	var ended, beyond roster
	for _, p := range f.told {
		switch {
		case f.beyond[p.identity]:
			beyond.add(p.command)
			stuck = stuck || p.pid == f.cmd.Process.Pid
		case p.pid != f.cmd.Process.Pid:
			ended.add(p.command)
		}
	}
	if !stuck {
		<-f.reaped // otherwise the goroutine that waits ends with the shell, whenever that is
	}
	f.cordon.lift()
	return ended.list(), beyond.list()
}

// exitCode is the shell's, as a shell would say it.
func (f *family) exitCode() int {
	select {
	case <-f.reaped:
	default:
		return 128 + int(syscall.SIGKILL)
	}
	code := f.cmd.ProcessState.ExitCode()
	if code >= 0 || f.cmd.ProcessState == nil { // nil if somebody else has reaped the shell
		return code
	}
	status, _ := f.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return 128 + int(status.Signal())
}

// members are those that live and are not known to be out of reach.
func (f *family) members() ([]process, error) {
	all, err := f.kin.members()
	return slices.DeleteFunc(all, func(p process) bool { return f.beyond[p.identity] }), err
}

// poll looks at the family until nobody is left or the time is over, and returns
// who is left.
func (f *family) poll(limit time.Duration, each func([]process)) []process {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		alive, err := f.members()
		if err != nil || len(alive) == 0 || time.Now().After(deadline) {
			return alive
		}
		each(alive)
		time.Sleep(pause)
	}
}

// signal tells the group first, all at once, so that no member can fork meanwhile
// and be missed; then everybody outside it. SIGKILL goes to each one as well: that
// shows who is out of reach.
func (f *family) signal(members []process, s syscall.Signal) {
	shell := f.cmd.Process.Pid
	if slices.ContainsFunc(members, func(p process) bool { return p.group == shell }) {
		_ = syscall.Kill(-shell, s)
	}
	for _, p := range members {
		if !f.seen[p.identity] {
			f.seen[p.identity] = true
			f.told = append(f.told, p)
		}
		if p.group == shell && s != syscall.SIGKILL {
			continue
		}
		if err := f.kin.signal(p, s); errors.Is(err, syscall.EPERM) {
			f.beyond[p.identity] = true
		}
	}
}

// tooLong tells whether a start failed for the length of the command.
func tooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }
