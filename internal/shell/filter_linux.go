//go:build linux && (amd64 || arm64)

package shell

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// closed are the system calls that no command needs and that lead out of a sandbox,
// or into the kernel: into other processes, other namespaces, mounts, keys, handles
// of files, and asynchronous calls, which no filter sees.
var closed = append([]uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_LOOKUP_DCOOKIE,
}, closedHere...)

// shares are the ways to memory and queues that belong to no process and are found by
// a number or a name: those of the user's other programs, too.
var shares = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// terminalInput are the calls of ioctl that type into a terminal.
var terminalInput = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// families are the kinds of sockets that a command with a network may have: no raw
// packets, no other machines' buses.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// Where a filter finds what is called: the number, the architecture, and the lower
// halves of the arguments (of 64 bits, in the order of the processor, which is
// little-endian).
const (
	atNumber  = 0
	atArch    = 4
	atArg     = 16
	argLength = 8
)

// program is a filter for system calls in the making.
type program []unix.SockFilter

func (p *program) load(at uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at})
}

func (p *program) answer(a uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: a})
}

// on answers if the comparison of what is loaded with a value is true.
func (p *program) on(comparison uint16, value, answer uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jf: 1, K: value})
	p.answer(answer)
}

// of decides about one system call by an argument: then must answer in every case.
// Behind it the number is still loaded for the next.
func (p *program) of(number uint32, argument uint32, then func(*program)) {
	var body program
	body.load(atArg + argLength*argument)
	then(&body)
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(len(body)), K: number})
	*p = append(*p, body...)
}

func fails(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// filter is the program for a cell.
func (c *cell) filter() []unix.SockFilter {
	var p program
	deny, allow := fails(unix.EPERM), uint32(unix.SECCOMP_RET_ALLOW)
	p.load(atArch)
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: nativeArch})
	p.answer(unix.SECCOMP_RET_KILL_PROCESS) // calls of another architecture have other numbers
	p.load(atNumber)
	p.on(unix.BPF_JGE, x32, fails(unix.ENOSYS))
	for _, number := range closed {
		p.on(unix.BPF_JEQ, number, deny)
	}
	if !c.Apart {
		for _, number := range shares {
			p.on(unix.BPF_JEQ, number, deny)
		}
	}
	// Its flags are out of sight. A program that cannot have it takes clone.
	p.on(unix.BPF_JEQ, unix.SYS_CLONE3, fails(unix.ENOSYS))
	p.of(unix.SYS_CLONE, 0, func(p *program) {
		p.on(unix.BPF_JSET, newNamespaces, deny)
		p.answer(allow)
	})
	p.of(unix.SYS_IOCTL, 1, func(p *program) {
		for _, call := range terminalInput {
			p.on(unix.BPF_JEQ, call, deny)
		}
		p.answer(allow)
	})
	p.of(unix.SYS_SOCKET, 0, func(p *program) {
		for _, family := range families {
			if c.Net {
				p.on(unix.BPF_JEQ, family, allow)
			}
		}
		p.answer(deny)
	})
	p.of(unix.SYS_SOCKETPAIR, 1, func(p *program) {
		if !c.Net { // datagrams, whose bit this is, can be sent to anybody who has an address
			p.on(unix.BPF_JSET, 2, deny)
		}
		p.answer(allow)
	})
	p.answer(allow)
	return p
}

// install puts the filter on this thread, and on what it will run.
func install(filter []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("confine the system calls of the command: %w", errno)
	}
	return nil
}
