package shell_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"redline/internal/shell"
)

// prison is a folder whose commands are confined, and a world around it that they
// must not reach: a home, Redline's state, a shared folder for temporary files.
type prison struct {
	t       *testing.T
	dir     string
	outside string
	sandbox shell.Sandbox
}

// imprison makes the world, with secrets in it.
func imprison(t *testing.T) *prison {
	t.Helper()
	if _, err := shell.Confinement(); err != nil {
		t.Skip(err)
	}
	outside := t.TempDir()
	p := &prison{t: t, outside: outside, dir: filepath.Join(outside, "home", "project")}
	for _, name := range []string{"home/project", "home/.ssh", "home/.config/redline", "state", "tmp", "private"} {
		if err := os.MkdirAll(filepath.Join(outside, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"home/project/own", "home/.ssh/id", "home/.gitconfig", "home/.config/redline/config.toml", "state/ledger.db", "tmp/other"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("secret\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(outside, "home"))
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("TEST_SECRET_API_KEY", "sk-secret") // in the environment of this process
	p.sandbox = shell.Sandbox{Private: filepath.Join(outside, "private"), Hidden: []string{filepath.Join(outside, "state")}}
	return p
}

// run runs a line in the sandbox. OUT is the world around it.
func (p *prison) run(line string) shell.Result {
	p.t.Helper()
	return run(p.t, shell.Command{Line: "OUT='" + p.outside + "'\n" + line, Dir: p.dir, Sandbox: &p.sandbox})
}

// world is all that can be seen of the world, with contents, modes and times.
func (p *prison) world() string {
	p.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.outside, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == p.dir || strings.HasPrefix(path, p.dir+"/") || d.Name() == "private" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(path)
		if d.IsDir() {
			fmt.Fprintf(&b, "%s %v\n", path, info.Mode())
		} else {
			fmt.Fprintf(&b, "%s %v %v %q\n", path, info.Mode(), info.ModTime(), data)
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return b.String()
}

// TestSandboxOpen: what a command needs works.
func TestSandboxOpen(t *testing.T) {
	p := imprison(t)
	for _, test := range []struct{ name, line string }{
		{"the folder", `cat own && echo new > new && mkdir -p a/b && mv new a/b/ && ln -s own link && cat link && cp own copy && chmod 700 copy && rm copy && cat "$PWD/own" && cat "$OUT/home/project/own"`},
		{"moving between folders", `mkdir x y && echo 1 > x/f && mv x/f y/g && ln y/g x/h && rm -r x y`},
		{"temporary files", `f=$(mktemp) && echo 1 > "$f" && cat "$f" && test "${f#"$TMPDIR"}" != "$f" && mkdir "$TMPDIR/d"`},
		{"a home of its own", `cd && pwd && echo 1 > .file && test "$HOME" != "$OUT/home"`},
		{"programs", `ls /usr/bin >/dev/null && sort </etc/passwd >/dev/null && env | grep -q PATH && test -r /proc/self/status && head -c 4 /dev/urandom >/dev/null && echo x >/dev/null`},
		{"a shell in a shell", `bash -c 'bash -c "sh -c \"echo deep > deep\"" && cat deep'`},
		{"pipes and substitutions", `cat <(echo 1) | tee >(cat >/dev/null) | grep -q 1 && cat <<< here && cat <<END
here
END`},
		{"processes of its own", `sleep 1000 & kill $! && ! wait $!; (sleep 1000 & kill -9 $!)`},
		{"threads", `seq 100000 | sort --parallel=4 -n | tail -1`},
		{"git", `command -v git >/dev/null || exit 0; git init -q . && git add own && git -c user.name=a -c user.email=a@b commit -qm one && git status --short && git log --oneline`},
		{"a C compiler", `command -v cc >/dev/null || exit 0; printf '#include <stdio.h>\nint main(void){puts("compiled");return 0;}' > c.c && cc -o c c.c && ./c`},
		{"make", `command -v make >/dev/null || exit 0; printf 'all:\n\techo made > made\n' > Makefile && make -j2 && cat made`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.t = t
			if r := p.run("set -e\n" + test.line); r.ExitCode != 0 {
				t.Errorf("exit code %d\n%s%s", r.ExitCode, r.Stdout, r.Stderr)
			}
		})
	}
}

// TestSandboxNames: the folder may have any name.
func TestSandboxNames(t *testing.T) {
	p := imprison(t)
	for _, name := range []string{"caf\xe9", "a, b: c\\d", "\"'$x", "line\nline"} {
		p.dir = filepath.Join(p.outside, name)
		copied := t.TempDir()
		if err := os.Mkdir(p.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		p.run("echo 1 > file")
		if _, err := os.Stat(filepath.Join(p.dir, "file")); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		run(t, shell.Command{Line: "echo 1 > staged", Dir: p.dir, Stage: shell.Stage{Copy: copied}})
		if _, err := os.Stat(filepath.Join(copied, "staged")); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestSandboxPrivileges: a command has at most power over its own files, by whomever
// it is run.
func TestSandboxPrivileges(t *testing.T) {
	p := imprison(t)
	r := p.run(`grep -E '^Cap(Inh|Prm|Eff|Amb):' /proc/self/status`)
	const own = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
	sets := 0
	for line := range strings.Lines(r.Stdout) {
		var name string
		var set uint64
		if _, err := fmt.Sscanf(line, "%s %x", &name, &set); err != nil {
			t.Fatal(err)
		}
		sets++
		if set&^own != 0 {
			t.Errorf("%s has more than it needs: %x", name, set)
		}
	}
	if sets != 4 {
		t.Errorf("%d sets in %q %q", sets, r.Stdout, r.Stderr)
	}
}

// TestSandboxGo: a Go program is built, with the cache in the private home.
func TestSandboxGo(t *testing.T) {
	p := imprison(t)
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOCACHE", "")
	t.Setenv("GOPATH", "")
	t.Setenv("GOMODCACHE", "")
	r := p.run("printf 'package main\\nfunc main(){println(1)}' > main.go && printf 'module m\\n' > go.mod && go build -o m . && ./m")
	if r.ExitCode != 0 {
		t.Errorf("exit code %d\n%s%s", r.ExitCode, r.Stdout, r.Stderr)
	}
}

// TestSandboxClosed: what is outside is neither seen nor touched, whichever way a
// command takes. Each line must fail, say nothing of what is outside, and change
// nothing there.
func TestSandboxClosed(t *testing.T) {
	p := imprison(t)
	for _, link := range [][2]string{{p.outside + "/home", "out"}, {p.outside + "/home/.ssh/id", "key"}, {"/", "root"}} {
		if err := os.Symlink(link[0], filepath.Join(p.dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	parent := fmt.Sprint(os.Getpid())
	before := p.world()
	for _, test := range []struct{ name, line string }{
		{"read the home", `cat "$OUT/home/.ssh/id"`},
		{"list the home", `ls -a "$OUT/home"`},
		{"read the parent", `ls ..; cat ../.gitconfig`},
		{"the configuration", `cat "$OUT/home/.config/redline/config.toml"`},
		{"the state", `cat "$OUT/state/ledger.db"`},
		{"write the state", `echo x > "$OUT/state/ledger.db"`},
		{"root's home", `ls /root`},
		{"all homes", `ls /home`},
		{"a link out", `cat out/.ssh/id`},
		{"a link to a file", `cat key`},
		{"a link of its own", `ln -s "$OUT/home/.ssh" own-link; cat own-link/id`},
		{"write by a link", `ln -s "$OUT/tmp/other" w; echo x > w`},
		{"a hard link", `ln "$OUT/tmp/other" hard && cat hard`},
		{"a rename", `mv "$OUT/tmp/other" stolen; cat stolen`},
		{"a rename out", `mv own "$OUT/tmp/own"`},
		{"the root of a process", `cat "/proc/self/root$OUT/home/.ssh/id"`},
		{"the folder of a process", `cat "/proc/self/cwd/../.ssh/id"`},
		{"the root by a link", `cat "root$OUT/home/.ssh/id"`},
		{"truncate", `truncate -s 0 "$OUT/tmp/other"`},
		{"append", `echo x >> "$OUT/tmp/other"`},
		{"create", `echo x > "$OUT/tmp/new"`},
		{"delete", `rm -f "$OUT/tmp/other"; test -e "$OUT/tmp/other" && false`},
		{"a folder", `mkdir "$OUT/tmp/d"`},
		{"the shared folder", `echo x > /tmp/redline-test-escape`},
		{"settings of the system", `echo x > /etc/redline-test-escape`},
		{"programs of the system", `echo x > /usr/bin/redline-test-escape`},
		{"settings of the kernel", `cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern`},
		{"a device", `mknod disk b 8 0`},
		{"a device of the system", `for d in /dev/[shv]d? /dev/mem /dev/kmsg; do head -c 1 "$d" && exit 0; done; exit 1`},
		{"the environment of its parent", `tr '\0' '\n' < /proc/` + parent + `/environ`},
		{"the memory of its parent", `head -c 1 /proc/` + parent + `/mem; cat /proc/` + parent + `/maps`},
		{"the files of its parent", `ls -l /proc/` + parent + `/fd/; cat /proc/` + parent + `/root"$OUT"/home/.ssh/id`},
		{"a signal to its parent", `kill -0 ` + parent},
		{"a namespace", `unshare -Ur true || unshare -m true`},
		{"a process in a namespace", `[ "$(uname -m)" = x86_64 ] && command -v perl >/dev/null || exit 1; perl -e 'my $p = syscall(56, 0x10000000|17, 0, 0, 0, 0); exit($p < 0 ? 1 : 0)'`},
		{"a mount", `mount -t tmpfs none "$PWD" || umount "$PWD"`},
		{"a debugger", `command -v strace >/dev/null || exit 1; strace -o /dev/null true`},
		{"another root", `chroot / true`},
		{"another time", `date -s 2001-01-01`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.t = t
			r := p.run(test.line)
			if r.ExitCode == 0 || strings.Contains(r.Stdout+r.Stderr, "secret") {
				t.Errorf("exit code %d\n%s%s", r.ExitCode, r.Stdout, r.Stderr)
			}
			if after := p.world(); after != before {
				t.Errorf("the world was\n%s\nand is\n%s", before, after)
				before = after
			}
		})
	}
	for _, name := range []string{"/tmp", "/etc", "/usr/bin"} {
		if os.Remove(filepath.Join(name, "redline-test-escape")) == nil {
			t.Errorf("something was written to %s", name)
		}
	}
}

// TestSandboxShared: in the place of folders that everybody writes to, a command finds
// its private one or, where it cannot mount that, a closed door.
func TestSandboxShared(t *testing.T) {
	p := imprison(t)
	missing, _ := shell.Confinement()
	private := !strings.Contains(strings.Join(missing, " "), "namespaces")
	for _, place := range []string{"/var/tmp", "/dev/shm"} {
		if info, err := os.Lstat(place); err != nil || !info.IsDir() || strings.HasPrefix(p.outside, place+"/") {
			continue
		}
		name := filepath.Join(place, "redline-test-escape")
		r := p.run("echo mine > " + name + " && cat " + name + ` && test -e "$TMPDIR/redline-test-escape"`)
		if (r.ExitCode == 0) != private {
			t.Errorf("%s: got %+v", place, r)
		}
		if os.Remove(name) == nil {
			t.Errorf("something was written to %s", place)
		}
		theirs := filepath.Join(place, fmt.Sprintf("redline-test-%d", os.Getpid()))
		if err := os.WriteFile(theirs, []byte("secret\n"), 0o666); err != nil {
			continue
		}
		if r := p.run("ls " + place + "; cat " + theirs); strings.Contains(r.Stdout, "secret") || strings.Contains(r.Stdout, "redline-test") {
			t.Errorf("%s: got %+v", place, r)
		}
		os.Remove(theirs)
	}
}

// TestSandboxAttributes: where commands can have namespaces, not even the mode and
// the times of a file outside change.
func TestSandboxAttributes(t *testing.T) {
	p := imprison(t)
	missing, _ := shell.Confinement()
	if strings.Contains(strings.Join(missing, " "), "mode, owner") {
		t.Skip("no namespaces")
	}
	before := p.world()
	for _, line := range []string{`chmod 777 "$OUT/home/.ssh/id"`, `touch -d 2001-01-01 "$OUT/tmp/other"`, `chown 1:1 "$OUT/tmp/other"`, `chmod 000 "$OUT/home"`} {
		if r := p.run(line); r.ExitCode == 0 {
			t.Errorf("%s: exit code 0", line)
		}
	}
	if after := p.world(); after != before {
		t.Errorf("the world was\n%s\nand is\n%s", before, after)
	}
}

// TestSandboxMounts: what is mounted in the folder belongs to it. What is read-only
// stays so.
func TestSandboxMounts(t *testing.T) {
	p := imprison(t)
	for _, test := range []struct {
		name     string
		readOnly bool
	}{{"writable", false}, {"read-only", true}} {
		t.Run(test.name, func(t *testing.T) {
			p.t = t
			inner := filepath.Join(p.dir, test.name)
			if err := os.Mkdir(inner, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := unix.Mount(t.TempDir(), inner, "", unix.MS_BIND, ""); err != nil {
				t.Skip(err)
			}
			defer unix.Unmount(inner, 0)
			if test.readOnly {
				if err := unix.Mount("", inner, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
					t.Fatal(err)
				}
			}
			r := p.run("echo 1 > own && echo 1 > " + test.name + "/file")
			if (r.ExitCode == 0) == test.readOnly {
				t.Errorf("got %+v", r)
			}
			if data, err := os.ReadFile(filepath.Join(p.dir, "own")); string(data) != "1\n" {
				t.Errorf("the folder itself: %q, %v", data, err)
			}
		})
	}
}

// TestSandboxNet: without a network a listener hears nothing; with one it does.
func TestSandboxNet(t *testing.T) {
	p := imprison(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	heard := make(chan bool, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(heard)
				return
			}
			heard <- true
			c.Close()
		}
	}()
	path := filepath.Join(p.dir, "socket") // where the command may write, but a service of somebody else listens
	u, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	port := l.Addr().(*net.TCPAddr).Port
	tcp := fmt.Sprintf("exec 5<>/dev/tcp/127.0.0.1/%d", port)
	for _, line := range []string{
		tcp, fmt.Sprintf("echo x > /dev/udp/127.0.0.1/%d", port),
		fmt.Sprintf("command -v curl >/dev/null || exit 1; curl -s --max-time 5 http://127.0.0.1:%d/", port),
		"command -v curl >/dev/null || exit 1; curl -s --max-time 5 --unix-socket socket http://x/",
		`command -v perl >/dev/null || exit 1; perl -MSocket -e 'for (AF_INET, AF_INET6, AF_UNIX, 16, 17, 38, 40) { exit 0 if socket(my $s, $_, SOCK_STREAM, 0) || socket($s, $_, SOCK_DGRAM, 0) || socket($s, $_, SOCK_RAW, 0) } exit 0 if socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0); exit 1'`,
	} {
		if r := p.run(line); r.ExitCode == 0 {
			t.Errorf("%s: exit code 0\n%s%s", line, r.Stdout, r.Stderr)
		}
	}
	if len(heard) > 0 {
		t.Fatal("somebody has connected")
	}
	p.sandbox.Net = true
	if r := p.run(tcp); r.ExitCode != 0 {
		t.Errorf("with a network: %s", r.Stderr)
	}
	if !<-heard {
		t.Error("nobody has connected")
	}
}

// TestSandboxEnds: daemons end with the command, and the private folder is gone.
func TestSandboxEnds(t *testing.T) {
	p := imprison(t)
	for _, escape := range escapes {
		t.Run(escape.name, func(t *testing.T) {
			p.t = t
			skipWithoutMark(t, escape.name)
			n := number()
			c := shell.Command{Dir: p.dir, Sandbox: &p.sandbox, Line: escaping(escape.name, escape.line, n) + "until [ -e go ]; do sleep 0.01; done; rm go; exit 5"}
			c.Output = func(string, []byte) {
				awaitSleeper(t, n)
				if err := os.WriteFile(filepath.Join(p.dir, "go"), nil, 0o666); err != nil {
					t.Error(err)
				}
			}
			r := run(t, c)
			if r.ExitCode != 5 || r.Stdout != "ready\n" {
				t.Errorf("got %+v", r)
			}
			checkGone(t, n, r)
			if entries, err := os.ReadDir(p.sandbox.Private); err != nil || len(entries) > 0 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

// TestSandboxShares: memory that other processes share is not the command's, with
// namespaces or without.
func TestSandboxShares(t *testing.T) {
	p := imprison(t)
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip(err)
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
	if err != nil {
		t.Skip(err)
	}
	defer unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	memory, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.SysvShmDetach(memory)
	copy(memory, "secret")
	r := p.run(fmt.Sprintf(`perl -e 'shmread(%d, $v, 0, 6) and print $v; shmwrite(%[1]d, "broken", 0, 6)'`, id))
	if r.Stdout != "" || string(memory[:6]) != "secret" {
		t.Errorf("read %q, and left %q", r.Stdout, memory[:6])
	}
}

// TestSandboxSignals: where the kernel can keep a command from it, it sends no signal
// to others.
func TestSandboxSignals(t *testing.T) {
	p := imprison(t)
	missing, _ := shell.Confinement()
	if strings.Contains(strings.Join(missing, " "), "signals") {
		t.Skip("the kernel lets signals through")
	}
	victim := exec.Command("sleep", "1000000")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	if r := p.run(fmt.Sprintf("kill -9 %d", victim.Process.Pid)); r.ExitCode == 0 {
		t.Errorf("it could: %+v", r)
	}
	if err := victim.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other process: %v", err)
	}
}

// TestSandboxEnvironment: what leads to the user, or says that it is a secret, is gone.
func TestSandboxEnvironment(t *testing.T) {
	p := imprison(t)
	for _, name := range []string{"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "db_password", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "secret")
	}
	t.Setenv("PLAIN", "told")
	r := p.run("env")
	if strings.Contains(r.Stdout, "secret") || !strings.Contains(r.Stdout, "PLAIN=told\n") || !strings.Contains(r.Stdout, "\nREDLINE_COMMAND=") {
		t.Errorf("got\n%s", r.Stdout)
	}
}

// TestSandboxInherited: what this process has inherited from its own parent, and
// would hand on, is closed.
func TestSandboxInherited(t *testing.T) {
	p := imprison(t)
	file, err := os.Open(filepath.Join(p.outside, "home/.ssh/id"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	open, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD, 200) // not closed on exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(open)
	line := fmt.Sprintf("cat <&%d", open)
	if r := run(t, shell.Command{Line: line, Dir: p.dir}); r.Stdout != "secret\n" {
		t.Fatalf("it is not inherited: %+v", r)
	}
	if r := p.run(line); r.ExitCode == 0 || strings.Contains(r.Stdout, "secret") {
		t.Errorf("got %+v", r)
	}
}

// TestSandboxForeign: a program of another architecture, whose system calls have
// other numbers, does not run.
func TestSandboxForeign(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs amd64")
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output() // the user's own, before there is another home
	if err != nil {
		t.Skip(err)
	}
	p := imprison(t)
	source := filepath.Join(p.dir, "main.go")
	if err := os.WriteFile(source, []byte(`package main
import "syscall"
func main() { if _, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0); err != nil { panic(err) }; println("a socket") }
`), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(p.dir, "foreign"), source)
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0", "GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, out)
	}
	if r := run(t, shell.Command{Line: "./foreign", Dir: p.dir}); r.ExitCode != 0 {
		t.Skipf("this system does not run it at all: %+v", r)
	}
	if r := p.run("./foreign"); r.ExitCode == 0 || strings.Contains(r.Stderr, "a socket") {
		t.Errorf("got %+v", r)
	}
}

// TestSandboxRefused: if a step of the confinement fails, nothing runs.
func TestSandboxRefused(t *testing.T) {
	p := imprison(t)
	tools := filepath.Join(p.outside, "home", "bin") // the only shell is in the home
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "bash"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(filepath.Join(tools, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools)
	_, err := shell.Run(t.Context(), shell.Command{Line: "echo > ran", Dir: p.dir, Sandbox: &p.sandbox})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "ran")); err == nil {
		t.Error("it ran")
	}
	if entries, err := os.ReadDir(p.sandbox.Private); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestSandboxHome: a folder that holds what is to be hidden is refused, and so is
// one that holds the home; the home itself is a folder like any other.
func TestSandboxHome(t *testing.T) {
	p := imprison(t)
	_, err := shell.Run(t.Context(), shell.Command{Line: "touch ran", Dir: p.outside, Sandbox: &p.sandbox})
	if err == nil || !strings.Contains(err.Error(), "cannot hide") {
		t.Errorf("got %v", err)
	}
	p.dir = filepath.Join(p.outside, "home")
	if r := p.run("cat .gitconfig"); r.Stdout != "secret\n" {
		t.Errorf("got %+v", r)
	}
	p.sandbox.Hidden = append(p.sandbox.Hidden, filepath.Join(p.dir, ".ssh"))
	if _, err := shell.Run(t.Context(), shell.Command{Line: "touch ran", Dir: p.dir, Sandbox: &p.sandbox}); err == nil || !strings.Contains(err.Error(), "cannot hide") {
		t.Errorf("got %v", err)
	}
}

// TestSandboxHidden: programs outside the home can be used, but not what is hidden
// among them, nor a home that is in a place of the system.
func TestSandboxHidden(t *testing.T) {
	p := imprison(t)
	for _, name := range []string{"tools", "closed", "home/bin"} {
		dir := filepath.Join(p.outside, name)
		if err := os.MkdirAll(filepath.Join(dir, "own"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "tool-"+filepath.Base(name)), []byte("#!/bin/sh\necho used\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", os.Getenv("PATH")+":"+dir)
	}
	p.sandbox.Hidden = append(p.sandbox.Hidden, filepath.Join(p.outside, "closed", "own"))
	for _, test := range []struct {
		line string
		want bool
	}{{"tool-tools", true}, {"tool-closed", false}, {"tool-bin", false}, {`PATH=$PATH:; case "$PATH" in *home/bin*|*closed*) ;; *) echo used;; esac`, true}} {
		if r := p.run(test.line); (r.Stdout == "used\n") != test.want {
			t.Errorf("%s: got %+v", test.line, r)
		}
	}
	const place = "/usr/share/doc"
	if entries, err := os.ReadDir(place); err != nil || len(entries) == 0 {
		t.Skip("no " + place)
	}
	t.Setenv("HOME", place)
	if r := p.run("ls " + place); r.ExitCode == 0 {
		t.Errorf("got %+v", r)
	}
	if r := p.run("ls /usr/bin >/dev/null && ls /usr/lib >/dev/null && sort /etc/passwd >/dev/null"); r.ExitCode != 0 {
		t.Errorf("got %+v", r)
	}
}
