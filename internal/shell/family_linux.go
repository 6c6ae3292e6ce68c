package shell

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// kin recognises the members of a family in /proc.
type kin struct {
	shell int
	born  uint64 // when the shell was started: nobody of the family is older
	id    []byte // in the environment of members
	limit []byte // in the limits of members; nil if it could not be set
	known map[identity]bool
}

func newKin(shell int, id string) *kin {
	k := &kin{shell: shell, id: []byte(id), known: map[identity]bool{}}
	if s, ok := readStat(shell); ok {
		k.born = s.born
	}
	// The real-time limit counts microseconds, and only for a process that the
	// real-time scheduler runs without a pause: 2^62 and more is forever.
	var now unix.Rlimit
	if unix.Prlimit(shell, unix.RLIMIT_RTTIME, nil, &now) != nil || now.Cur != unix.RLIM_INFINITY || now.Max != unix.RLIM_INFINITY {
		return k
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	number := 1<<62 | binary.NativeEndian.Uint64(random[:])>>2
	if unix.Prlimit(shell, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: number, Max: number}, nil) == nil {
		k.limit = []byte(" " + strconv.FormatUint(number, 10) + " ")
	}
	return k
}

// awaitExit returns when the process has exited, and leaves it to be reaped.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// members are the living processes of the family.
func (k *kin) members() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	family := map[int]bool{}
	var others []stat
	var members []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		s, ok := readStat(pid)
		switch {
		case !ok || s.born < k.born:
		case pid == k.shell || s.session == k.shell || k.known[s.identity()] || k.marked(pid):
			family[pid] = true
			members = append(members, s)
		default:
			others = append(others, s)
		}
	}
	for found := true; found; {
		found = false
		for _, s := range others {
			if family[s.parent] && !family[s.pid] {
				family[s.pid], found = true, true
				members = append(members, s)
			}
		}
	}
	var living []process
	for _, s := range members {
		k.known[s.identity()] = true
		if !s.ended {
			living = append(living, process{s.identity(), s.parent, s.group, s.commandLine()})
		}
	}
	return living, nil
}

// marked tells whether a process has inherited one of the marks. The limits of
// any process can be read, its environment only by its user and only while it has
// one.
func (k *kin) marked(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	if k.limit != nil {
		if limits, err := os.ReadFile(dir + "/limits"); err == nil && bytes.Contains(limits, k.limit) {
			return true
		}
	}
	environ, err := os.ReadFile(dir + "/environ")
	return err == nil && bytes.Contains(environ, k.id)
}

// signal reaches the process that was seen, never a later one with its id.
func (k *kin) signal(p process, s syscall.Signal) error {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return err
	}
	defer handle.Release()
	if now, ok := readStat(p.pid); !ok || now.identity() != p.identity {
		return os.ErrProcessDone
	}
	return handle.Signal(s)
}

// stat is a line of /proc/PID/stat.
type stat struct {
	pid, parent, group, session int
	name                        string
	born                        uint64 // in ticks since the system was started
	ended                       bool
}

func readStat(pid int) (stat, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// The name stands in brackets and may hold brackets and spaces of its own.
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) < 20 {
		return stat{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	s := stat{pid: pid, parent: number(1), group: number(2), session: number(3), name: string(data[open+1 : end])}
	s.born, _ = strconv.ParseUint(fields[19], 10, 64)
	// A process whose first thread has exited looks dead, but is not.
	s.ended = fields[0] == "X" || fields[0] == "Z" && number(17) <= 1
	return s, true
}

func (s stat) identity() identity { return identity{s.pid, strconv.FormatUint(s.born, 10)} }

// commandLine is what was run, or the name of a process that has no arguments.
func (s stat) commandLine() string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/cmdline")
	if line := strings.TrimSpace(string(bytes.ReplaceAll(data, []byte{0}, []byte{' '}))); err == nil && line != "" {
		return line
	}
	return s.name
}
