// Package shell runs commands in the folder.
//
// # The system shell
//
// [Run] gives a line to a real bash (sh, where there is no bash) whose working
// directory is the folder. It is for one command that ends: nobody can type into
// it, and nothing it starts outlives the call (unless Redline itself is killed
// meanwhile).
//
//	Run ── sh: waits at a gate ── exec bash -c LINE ─┬─ make ── cc
//	 │          ▲                                     ├─ server &
//	 │          └ opened once the family is marked    └─ (setsid daemon &)
//	 │
//	 ├── stdout, stderr: own pipes ── whole UTF-8 ── Output, and head and tail
//	 │
//	 └── bash has exited, or timeout, or abort:
//	     a short drain · SIGTERM to the family · grace · SIGKILL until none is left
//
// The command has a session and process group of its own, and so no terminal:
// what asks for a password on /dev/tty fails at once instead of being stopped.
// Its standard input is empty.
//
// # The family
//
// Every descendant belongs to the family, also one that has left the process
// group, lost its parents, or cleared its environment. On Linux a process is
// known by any of
//
//   - its session,
//   - a parent in the family,
//   - the variable REDLINE_COMMAND with the id of this call in its environment,
//   - a limit on real-time CPU that is a number of this call (centuries, so that
//     it limits nothing). Limits are inherited through everything, and can be read
//     where the environment is hidden or overwritten. Where such a limit is set
//     already, or the system is no 64-bit one, this mark is missing.
//
// What another process starts at the command's request (a service manager, a
// container engine, at) is no descendant. What runs as another user can be out of
// reach; [Result.Running] names it.
//
// On other Unix systems the family is the process group and what ps shows below
// the shell while that lives: a daemon that has left both by the time the shell
// exits is not found. On Windows it is a job object, which the shell enters right
// after its start; there is no SIGTERM and no grace.
//
// # The environment
//
// It is the user's own, without every variable whose name ends in _API_KEY (keys
// of models: a command has no business with them), and with what keeps programs
// from expecting a person: TERM=dumb, NO_COLOR=1, PAGER=cat, GIT_PAGER=cat,
// GIT_TERMINAL_PROMPT=0.
//
// # The sandbox
//
// Without a [Sandbox] the command can do what the user can do. With one the program
// starts itself again, and the new process confines itself before it becomes the
// shell; if any step fails, nothing runs.
//
//	Run ── this program again ──────────────────────── exec sh: waits at the gate …
//	        user, mount and IPC namespace: all but folder
//	        and private folder mounted read-only        where the system allows it
//	        capabilities dropped, no new privileges
//	        Landlock: files, signals, abstract sockets
//	        seccomp: sockets, ptrace, mounts, io_uring…
//
// Landlock closes what is read, listed, written, made and removed, but not stat, nor
// the mode, owner and times of a file; those are what the mounts are for. A filter
// for system calls cannot see paths, so that it is all sockets or none.
//
// # The stage
//
// With a [Stage] the command finds a private copy in the place of its folder, or an
// overlay over it, under the folder's own name if the system lets it mount: then
// absolute names lead there too.
package shell
