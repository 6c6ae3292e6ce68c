//go:build linux && (amd64 || arm64)

package shell

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights on files and folders. Those that a kernel does not know are not asked for:
// rightsOf.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	// fileRights are those that a file can have; the others are of folders.
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockABI is the version of Landlock that the kernel has.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}

// rightsOf is what a version can withhold: rights on files, on the network, and scopes.
func rightsOf(abi int) (files, net, scopes uint64) {
	files = unix.LANDLOCK_ACCESS_FS_TRUNCATE<<1 - 1 // of version 3, the least
	if abi >= 4 {
		net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if abi >= 9 {
		files |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	return files, net, scopes
}

// grant is what is allowed below a path.
type grant struct {
	path   string
	rights uint64
}

// landlock withholds from this thread, and from what it becomes, all that the version
// of the kernel can withhold and the grants do not allow. A path that is not there is
// left out.
func landlock(abi int, network bool, grants []grant) error {
	files, net, scopes := rightsOf(abi)
	if network {
		net = 0
	}
	// struct landlock_ruleset_attr; a kernel that knows less of it takes zeros.
	attributes := [3]uint64{files, net, scopes}
	size := unsafe.Sizeof(attributes)
	switch {
	case abi < 4:
		size = 8
	case abi < 6:
		size = 16
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make the rules: %w", errno)
	}
	defer unix.Close(int(rules))
	for _, g := range grants {
		if err := g.add(int(rules), files); err != nil {
			return fmt.Errorf("allow %s: %w", g.path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return fmt.Errorf("keep to the rules: %w", errno)
	}
	return nil
}

// rulePathBeneath is LANDLOCK_RULE_PATH_BENEATH.
const rulePathBeneath = 1

// add makes the grant one of the rules, which speak of these rights.
func (g grant) add(rules int, handled uint64) error {
	fd, err := unix.Open(g.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	rights := g.rights & handled
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	// struct landlock_path_beneath_attr is packed: eight bytes and four.
	var attributes [12]byte
	binary.NativeEndian.PutUint64(attributes[:], rights)
	binary.NativeEndian.PutUint32(attributes[8:], uint32(fd))
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), rulePathBeneath, uintptr(unsafe.Pointer(&attributes[0])), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
