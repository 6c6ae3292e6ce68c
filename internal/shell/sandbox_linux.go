//go:build linux && (amd64 || arm64)

package shell

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"redline/internal/workspace"
)

// leastABI is the first version of Landlock that keeps what a sandbox promises of
// files: before it, those outside could be emptied.
const leastABI = 3

// Confinement tells whether commands can be confined here, and what of a [Sandbox]
// is missing.
func Confinement() (missing []string, err error) {
	abi, err := landlockABI()
	switch {
	case err != nil:
		return nil, errors.New("--sandbox needs Linux 6.2 or later with Landlock, and this kernel has none (or it is switched off at boot, see lsm=): leave it out only if you trust what will be run")
	case abi < leastABI:
		return nil, fmt.Errorf("--sandbox needs Linux 6.2 or later, and the Landlock of this kernel (ABI %d) cannot keep a command from emptying files: leave it out only if you trust what will be run", abi)
	}
	if abi < 5 {
		missing = append(missing, "a command can use ioctl on the devices that it can open, such as /dev/null")
	}
	if abi < 6 {
		missing = append(missing, "a command can send signals to your other processes")
	}
	if namespaces() != nil {
		missing = append(missing, "a command can change the mode, owner, times and attributes of your files outside the folder, though not their content, because it cannot have namespaces of its own")
	}
	return missing, nil
}

// system are the places that every program may need.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap", "/proc", "/sys",
}

// devices are those that hold nothing and do nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// shared are folders that everybody writes to. A confined command that can have
// mounts of its own finds its private folder there.
var shared = []string{"/tmp", "/var/tmp", "/dev/shm"}

// homes are closed even where the system has programs in them.
var homes = []string{"/root", "/home"}

// cellOf resolves the names of a sandbox for a command in dir, and makes sure that
// what is to stay hidden does.
func (s *Sandbox) cellOf(dir string, private ...string) (*cell, error) {
	hidden := s.hidden()
	for _, h := range hidden {
		if h != dir && inside(h, dir) {
			return nil, fmt.Errorf("--sandbox cannot hide %s, which is inside of the folder %s: open a folder that does not hold it", h, dir)
		}
	}
	c := &cell{Net: s.Net, Write: append([]string{dir}, private...), Devices: devices}
	for _, place := range system {
		if place, err := filepath.EvalSymlinks(place); err == nil {
			c.Read = append(c.Read, without(place, hidden)...)
		}
	}
	for _, place := range filepath.SplitList(os.Getenv("PATH")) {
		if place, err := filepath.EvalSymlinks(place); err == nil && filepath.IsAbs(place) && !touches(place, append(hidden, homes...)) {
			c.Read = append(c.Read, place)
		}
	}
	if name, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && s.Net {
		c.Read = append(c.Read, name)
	}
	slices.Sort(c.Read)
	c.Read = slices.Compact(c.Read)
	return c, nil
}

// hidden are the user's home, what there may be of it elsewhere, and what the caller
// wants to hide, with links resolved.
func (s *Sandbox) hidden() []string {
	places := slices.Clone(s.Hidden)
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		places = append(places, os.Getenv(name))
	}
	if u, err := user.Current(); err == nil {
		places = append(places, u.HomeDir)
	}
	var hidden []string
	for _, place := range places {
		if !filepath.IsAbs(place) {
			continue
		}
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		if place = filepath.Clean(place); place != "/" { // the home of a user who has none
			hidden = append(hidden, place)
		}
	}
	return hidden
}

// without is a place but for what is hidden in it: rules can only open. What has no
// rule stays closed, also what comes later.
func without(place string, hidden []string) []string {
	if slices.ContainsFunc(hidden, func(h string) bool { return inside(place, h) }) {
		return nil
	}
	if !touches(place, hidden) {
		return []string{place}
	}
	entries, err := os.ReadDir(place)
	if err != nil {
		return nil
	}
	var open []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 { // where a link leads has a rule, or none
			open = append(open, without(filepath.Join(place, e.Name()), hidden)...)
		}
	}
	return open
}

// inside tells whether a path is another one or below it.
func inside(path, place string) bool {
	return path == place || strings.HasPrefix(path, strings.TrimSuffix(place, "/")+"/")
}

// touches tells whether a place is in one of those that are hidden, or holds one.
func touches(place string, hidden []string) bool {
	return slices.ContainsFunc(hidden, func(h string) bool { return inside(place, h) || inside(h, place) })
}

// unused are those of some folders that hold nothing that the cell opens.
func (c *cell) unused(places []string) []string {
	var list []string
	for _, place := range places {
		if real, err := filepath.EvalSymlinks(place); err != nil || real != place {
			continue
		}
		if !touches(place, c.Write) && !touches(place, c.Read) {
			list = append(list, place)
		}
	}
	return list
}

// restrict has Landlock allow what the cell opens, and nothing else, as far as this
// kernel goes.
func (c *cell) restrict() error {
	abi, err := landlockABI()
	if err != nil || abi < leastABI {
		return fmt.Errorf("confine the command: Landlock has ABI %d, and %v", abi, err)
	}
	var grants []grant
	for _, path := range c.Write {
		grants = append(grants, grant{path, readRights | writeRights})
	}
	for _, path := range c.Read {
		grants = append(grants, grant{path, readRights})
	}
	for _, path := range c.Devices {
		grants = append(grants, grant{path, (readRights | writeRights) & fileRights})
	}
	if err := landlock(abi, c.Net, grants); err != nil {
		return fmt.Errorf("confine the files of the command: %w", err)
	}
	return nil
}

// Variables that a confined command does not get: those that lead to the user's home,
// desktop and agents, and those whose names say that they hold a secret.
var (
	withheld = []string{
		"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST",
	}
	secretive = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "_KEY"}
)

// sandboxed is the environment of a confined command, whose home is a private folder.
func (c *cell) sandboxed(env []string, home, tmp string) []string {
	own := []string{"HOME=" + home, "TMPDIR=" + tmp, "TMP=" + tmp, "TEMP=" + tmp, "PATH=" + c.path()}
	kept := slices.DeleteFunc(env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		return strings.HasPrefix(name, "XDG_") || slices.Contains(withheld, name) ||
			slices.ContainsFunc(secretive, func(word string) bool { return strings.Contains(upper, word) }) ||
			slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(kept, own...)
}

// path is where programs are looked for: a closed folder would only be in the way of
// the next one that has the program.
func (c *cell) path() string {
	list := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(place string) bool {
		real, err := filepath.EvalSymlinks(place)
		return err != nil || !slices.ContainsFunc(slices.Concat(c.Read, c.Write), func(open string) bool { return inside(real, open) })
	})
	return strings.Join(list, string(filepath.ListSeparator))
}

// private makes the folders of a sandbox that are removed after the command.
func (s *Sandbox) private() (p *workspace.Private, home, tmp string, err error) {
	if p, err = workspace.MakePrivate(s.Private); err != nil {
		return nil, "", "", fmt.Errorf("make a private folder for the command: %w", err)
	}
	home, err = p.Make("home")
	if err == nil {
		tmp, err = p.Make("tmp")
	}
	if err != nil {
		return nil, "", "", errors.Join(err, p.Close())
	}
	return p, home, tmp, nil
}
