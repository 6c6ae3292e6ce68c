package shell

import "golang.org/x/sys/unix"

const (
	nativeArch = unix.AUDIT_ARCH_AARCH64
	x32        = 1 << 31 // no call has such a number
)

// closedHere are those that other processors do not have.
var closedHere = []uint32{unix.SYS_NFSSERVCTL}
