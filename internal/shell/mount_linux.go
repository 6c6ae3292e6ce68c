//go:build linux && (amd64 || arm64)

package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// mount gives the command its own view of the files: the stage in the place of the
// folder and, if it is to be confined, everything else read-only, so that not even the mode or the
// times of a file outside can be changed.
func (e errand) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("mount apart from the system: %w", err)
	}
	if err := e.Stage.mount(e.Dir); err != nil {
		return err
	}
	if !e.Freeze {
		return nil
	}
	for _, dir := range e.Thaw {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	for _, place := range e.Shared {
		if err := unix.Mount(e.Tmp, place, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount a private folder as %s: %w", place, err)
		}
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("make the system read-only: %w", err)
	}
	for _, dir := range slices.Concat(e.Thaw, e.Shared) {
		if err := thaw(dir); err != nil {
			return fmt.Errorf("make %s writable: %w", dir, err)
		}
	}
	return nil
}

// thaw makes a folder writable, with what is mounted in it. If there is something
// that was read-only before, the folder alone is.
func thaw(dir string) error {
	writable := &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	err := unix.MountSetattr(unix.AT_FDCWD, dir, unix.AT_RECURSIVE, writable)
	if errors.Is(err, unix.EPERM) {
		err = unix.MountSetattr(unix.AT_FDCWD, dir, 0, writable)
	}
	return err
}

// mount puts the stage over a folder.
func (s Stage) mount(dir string) error {
	switch {
	case s.Copy != "":
		if err := unix.Mount(s.Copy, dir, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount the copy of the folder: %w", err)
		}
	case s.Upper != "":
		var option strings.Builder
		for i, dir := range []string{dir, s.Upper, s.Work} {
			fmt.Fprintf(&option, "%s=%s,", []string{"lowerdir", "upperdir", "workdir"}[i], escapeOption.Replace(dir))
		}
		option.WriteString("userxattr")
		if err := unix.Mount("overlay", dir, "overlay", 0, option.String()); err != nil {
			return fmt.Errorf("mount an overlay: %w", err)
		}
	}
	return nil
}

// escapeOption keeps a name from ending an option, or its list of layers.
var escapeOption = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `:`, `\:`)

// namespaced makes a command start in a user and a mount namespace of its own, as
// the same user, with the privileges to mount there. One that is confined gets its own
// shared memory and queues as well, which end with it.
func (e errand) namespaced(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	if e.Freeze {
		attr.Cloneflags |= unix.CLONE_NEWIPC
	}
	uid, gid, size := os.Getuid(), os.Getgid(), 1
	if uid == 0 { // root keeps its power over the files of others
		uid, gid, size = 0, 0, 1<<32-1
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: size}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: size}}
	attr.GidMappingsEnableSetgroups = os.Getuid() == 0
	// The privileges of whoever mounts an overlay are those it works with.
	attr.AmbientCaps = []uintptr{
		unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH,
		unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_MKNOD,
	}
}

// Mount tells whether a command can find a stage under the name of its folder: it
// tries.
func Mount(dir string, s Stage) error {
	if err := namespaces(); err != nil {
		return err
	}
	if s.Upper != "" && mountedBelow(dir) {
		return errors.New("an overlay would not show what is mounted in the folder")
	}
	return try(errand{Dir: dir, Namespace: true, Stage: s})
}

// mountedBelow tells whether something is mounted in a folder, or that cannot be told.
func mountedBelow(dir string) bool {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) > 4 && strings.HasPrefix(unescapeMount.Replace(fields[4]), dir+"/") {
			return true
		}
	}
	return false
}

// unescapeMount reads a name in a list of mounts.
var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// namespaces tells why commands cannot have their own view of the files, if so: a
// system may forbid that to its users, or to the container.
var namespaces = sync.OnceValue(func() error {
	return try(errand{Dir: "/", Namespace: true, Freeze: true})
})

// try does the mounts of an errand in a process that then ends.
func try(e errand) error {
	args, err := e.wrap("")
	if err != nil {
		return err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: args, Env: []string{}, ExtraFiles: []*os.File{nil, in}, SysProcAttr: &syscall.SysProcAttr{}}
	e.namespaced(cmd.SysProcAttr)
	err = cmd.Start()
	in.Close()
	if err != nil {
		return fmt.Errorf("have namespaces of its own: %w", err)
	}
	said := readReport(out)
	if err := cmd.Wait(); err != nil && said == nil {
		return err
	}
	return said
}
