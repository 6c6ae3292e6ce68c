package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"redline/internal/flock"
)

// The files of a server in the state of its folder.
const (
	lockName   = "server.lock" // locked as long as the server runs; it stays when that has ended
	noteName   = "server.json" // who it is, for others
	socketName = "server.sock" // where it listens, or a link to there
)

// longestSocket is how many bytes the address of a socket may have on every system,
// with room for the name that it has at first.
const longestSocket = 100

// Claim is the right to be the one server of a folder. It ends with the process.
type Claim struct {
	dir    string
	lock   *os.File
	socket string // where it listens; "": it does not
}

// Running is a server as it is noted in the state of its folder.
type Running struct {
	PID   int       `json:"pid"`
	URL   string    `json:"url"`
	Since time.Time `json:"since"`
}

// Taken is the error that another server works on the folder.
type Taken struct{ By Running }

func (t *Taken) Error() string {
	if t.By.URL == "" {
		return "another server is starting on this folder; use that one"
	}
	return fmt.Sprintf("a server works on this folder already, at %s (process %d): use it, or stop it first", t.By.URL, t.By.PID)
}

// NewClaim makes this process the one server of the folder whose state is in dir. If
// there is another, the error is a *Taken. What a killed server has left is in nobody's
// way.
func NewClaim(dir string) (*Claim, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	c := &Claim{dir: dir, lock: lock}
	ok, err := flock.Try(lock)
	switch {
	case err != nil:
		err = &os.PathError{Op: "lock", Path: lock.Name(), Err: err}
	case !ok:
		err = &Taken{c.other()}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	_ = os.Remove(filepath.Join(dir, noteName)) // of a server that was killed
	return c, nil
}

// other is who holds the folder.
func (c *Claim) other() Running {
	var r Running
	note, err := os.ReadFile(filepath.Join(c.dir, noteName))
	if err != nil || json.Unmarshal(note, &r) != nil {
		return Running{}
	}
	return r
}

// Tell notes where the server is, for those who are refused.
func (c *Claim) Tell(url string) error {
	note, err := json.Marshal(Running{PID: os.Getpid(), URL: url, Since: time.Now().UTC().Round(0)})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, noteName), append(note, '\n'), 0o600)
}

// Listen opens the socket, which nobody but the user can connect to. One that was left
// by a killed server is replaced.
func (c *Claim) Listen() (net.Listener, error) {
	place := filepath.Join(c.dir, socketName)
	dir, name := c.dir, socketName
	if len(place) > longestSocket {
		var err error
		if dir, err = runtimeDir(); err != nil {
			return nil, err
		}
		name = filepath.Base(c.dir) + ".sock"
	}
	socket := filepath.Join(dir, name)
	if len(socket) > longestSocket {
		return nil, fmt.Errorf("%s is too long for the address of a socket: set XDG_RUNTIME_DIR to a short path", socket)
	}
	l, err := listenPrivately(dir, socket)
	if err != nil {
		return nil, err
	}
	if socket != place {
		if err := pointTo(place, socket); err != nil {
			return nil, errors.Join(err, l.Close(), os.Remove(socket))
		}
	}
	c.socket = socket
	return l, nil
}

// listenPrivately makes a socket that was never open to others: it gets its permissions
// in a folder that only the user can enter, and then its name.
func listenPrivately(dir, socket string) (net.Listener, error) {
	private, err := os.MkdirTemp(dir, ".")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	temporary := filepath.Join(private, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: temporary, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it has another name then
	err = os.Chmod(temporary, 0o600)
	if err == nil {
		err = os.Rename(temporary, socket)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// pointTo makes place a link to the socket.
func pointTo(place, socket string) error {
	if err := os.Remove(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(socket, place)
}

// runtimeDir is a folder of the user's own with a short name.
func runtimeDir() (string, error) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(base) {
		base = os.TempDir()
	}
	dir := filepath.Join(base, fmt.Sprintf("redline-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir() || !ownAlone(info):
		return "", fmt.Errorf("%s is not a folder of yours alone: remove it, or set XDG_RUNTIME_DIR", dir)
	}
	return dir, nil
}

// Close gives the folder up: its listeners must have ended.
func (c *Claim) Close() error {
	names := []string{filepath.Join(c.dir, noteName)}
	if c.socket != "" {
		names = append(names, c.socket)
		if place := filepath.Join(c.dir, socketName); place != c.socket {
			names = append(names, place)
		}
	}
	var errs []error
	for _, name := range names { // before the lock: afterwards they may be the next server's
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, c.lock.Close())...)
}
