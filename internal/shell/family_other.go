//go:build unix && !linux

package shell

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// kin recognises the members of a family in the list of ps: the process group,
// what descends from a member, and who was a member before.
type kin struct {
	shell int
	known map[identity]bool
}

func newKin(shell int, _ string) *kin {
	return &kin{shell: shell, known: map[identity]bool{}}
}

// awaitExit says that the shell cannot be watched without reaping it.
func awaitExit(int) bool { return false }

func (k *kin) members() ([]process, error) {
	ps := exec.Command("ps", "-axo", "pid=,ppid=,pgid=,stat=,command=")
	ps.Env = append(os.Environ(), "LC_ALL=C")
	out, err := ps.Output()
	if err != nil {
		return nil, err
	}
	var others, living []process
	family := map[int]bool{}
	for line := range strings.Lines(string(out)) {
		p, ok := parse(line)
		switch {
		case !ok:
		case p.group == k.shell || k.known[p.identity]:
			family[p.pid] = true
			living = append(living, p)
		default:
			others = append(others, p)
		}
	}
	for found := true; found; {
		found = false
		for _, p := range others {
			if family[p.parent] && !family[p.pid] {
				family[p.pid], found = true, true
				living = append(living, p)
			}
		}
	}
	for _, p := range living {
		k.known[p.identity] = true
	}
	return living, nil
}

// parse reads a line of ps. A process that has ended, and waits for its parent to
// notice, is none. Who it is shows in its command: ps has no finer time than a
// second.
func parse(line string) (process, bool) {
	fields := strings.Fields(line)
	if len(fields) < 5 || strings.HasPrefix(fields[3], "Z") {
		return process{}, false
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return process{}, false
		}
		numbers[i] = n
	}
	command := strings.Join(fields[4:], " ")
	return process{identity{numbers[0], command}, numbers[1], numbers[2], command}, true
}

func (k *kin) signal(p process, s syscall.Signal) error { return syscall.Kill(p.pid, s) }
