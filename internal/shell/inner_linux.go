//go:build linux && (amd64 || arm64)

package shell

import (
	"encoding/base64"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// innerName is what the program calls itself when it starts itself again to become
// the shell of a command: only a new process can be confined without confining
// Redline, and it can do that only to itself.
//
//	redline ── start ──▶ redline as innerName ── exec ──▶ sh (gate) ── exec ──▶ bash
//	                      mounts · capabilities · Landlock · seccomp
const innerName = "redline-inner"

// The descriptors of the new process: the gate, and where it tells what went wrong.
// That one is closed without a word when the shell takes over.
const (
	gateFD   = 3
	reportFD = 4
)

// errand is what the new process has to do before it is the shell.
type errand struct {
	Dir       string
	Namespace bool  // it is in namespaces of its own and can mount
	Stage     Stage // to be mounted over Dir
	Freeze    bool  // mount everything read-only but Thaw
	Thaw      []string
	Tmp       string   // the private folder for temporary files
	Shared    []string // folders in whose place it is mounted
	Cell      *cell    // nil: it is not confined
}

// cell is a sandbox with all names resolved.
type cell struct {
	Net     bool
	Apart   bool     // it shares no memory and queues with others: it has those of its own
	Read    []string // files and folders
	Write   []string // folders
	Devices []string
}

// init takes over before anything else of the program is set up.
func init() {
	if len(os.Args) < 3 || os.Args[0] != innerName {
		return
	}
	runtime.LockOSThread() // what follows is for this thread and what it runs
	unix.CloseOnExec(reportFD)
	err := become(os.Args[1], os.Args[2:])
	_, _ = unix.Write(reportFD, []byte(err.Error()))
	os.Exit(126)
}

// become does the errand and then runs a program in the place of this one. It
// returns only if it could not. Without a program that is no error.
func become(text string, args []string) error {
	e, err := parseErrand(text)
	if err != nil {
		return fmt.Errorf("read what is to be done: %w", err)
	}
	if e.Namespace {
		if err := e.mount(); err != nil {
			return err
		}
	}
	if err := unix.Chdir(e.Dir); err != nil { // what is mounted there now is another folder
		return fmt.Errorf("enter the folder: %w", err)
	}
	if err := e.dropPrivileges(); err != nil {
		return err
	}
	if e.Cell != nil {
		if err := e.Cell.lock(); err != nil {
			return err
		}
	}
	if args[0] == "" {
		os.Exit(0)
	}
	if err := syscall.Exec(args[0], args[1:], os.Environ()); err != nil {
		return fmt.Errorf("run %s: %w", args[0], err)
	}
	return nil
}

// lock closes the cell, for good.
func (c *cell) lock() error {
	// What the program inherited from whoever started it is not the command's.
	if err := unix.CloseRange(reportFD+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close what is open: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	if err := c.restrict(); err != nil {
		return err
	}
	return install(c.filter())
}

// kept are the capabilities that a confined command of root keeps: over its own
// files only, and where it may write at all.
var kept = []uintptr{unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID}

// dropPrivileges takes what the mounts needed, and from a confined command of root
// whatever it could use to get out.
func (e errand) dropPrivileges() error {
	if e.Cell == nil && !e.Namespace {
		return nil
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	if err := inheritNothing(); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	for c := uintptr(0); c < 64; c++ {
		if e.keeps(c) {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		switch {
		case errors.Is(err, unix.EINVAL): // there are no more
			return nil
		case errors.Is(err, unix.EPERM): // it has none, and a program that would bring some brings none
			return nil
		case err != nil:
			return fmt.Errorf("give up privileges: %w", err)
		}
	}
	return nil
}

// inheritNothing empties the set that root's programs get whatever the bounding set
// says: what the mounts needed is in it.
func inheritNothing() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // 32 capabilities each
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	return unix.Capset(&header, &sets[0])
}

func (e errand) keeps(capability uintptr) bool {
	if e.Cell != nil {
		return slices.Contains(kept, capability)
	}
	return capability != unix.CAP_SYS_ADMIN // with which it could unmount
}

// wrap is the arguments that make the program run another one after an errand. The
// names in it may be any bytes, which JSON would not keep.
func (e errand) wrap(args ...string) ([]string, error) {
	var text strings.Builder
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	if err := errors.Join(gob.NewEncoder(encoder).Encode(e), encoder.Close()); err != nil {
		return nil, err
	}
	return append([]string{innerName, text.String()}, args...), nil
}

func parseErrand(text string) (e errand, err error) {
	err = gob.NewDecoder(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))).Decode(&e)
	return e, err
}

// readReport waits until the new process has become the shell, or says why not.
func readReport(report *os.File) error {
	var said [4096]byte
	n, _ := report.Read(said[:]) // the end of the file is no news
	if n > 0 {
		return errors.New(strings.TrimSpace(string(said[:n])))
	}
	return nil
}
