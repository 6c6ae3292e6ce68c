package shell

import "golang.org/x/sys/unix"

const (
	nativeArch = unix.AUDIT_ARCH_X86_64
	x32        = 0x40000000 // calls from here on are the same ones by other numbers
)

// closedHere are those that other processors do not have.
var closedHere = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_NFSSERVCTL,
}
