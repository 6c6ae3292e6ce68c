package vault_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/toolset/toolsettest"
	"redline/internal/toolset/vault"
)

// The tables in testdata/commands are commands of a vault, with what is around it as
// fixture.txtar has it. Those of ordinary.txt have to work, and the others must have
// no effect but in the vault: whatever they say, they are judged by what became of it.
//
//	@ write "run.sh" 755 "#!/bin/sh\n"   what is there besides: write, fill, link, fifo, remove
//	# unchanged                          directives: see trial.is
//	$ cat notes.md                       the command; {{outside}} and its like are filled in
//	$> …                                 and its further lines
//	| # Notes                            standard output; the last line, if it has no end: "\ text"
//	= 1                                  exit status, if it is not 0; "nonzero" is any other
//	~ new.md                             a file that was written, or a folder: "~ new/"
//	: text                               and its content
//	- old.md                             what is gone
//
// Several commands of one case are calls one after the other.
type trial struct {
	setup      []string
	directives []string
	commands   []string
	stdout     string
	status     string
	did        map[string]string
}

// is tells whether a directive was given, and what is behind it:
//
//	any output     the output does not count
//	has "TEXT"     the output has this, whatever else it has
//	truncated      the output is about as long as it may be, and said to be cut
//	unchanged      nothing in the vault is another
//	without "TEXT" the output does not have this
//	capped         the output is not longer than it may be
func (c trial) is(directive string) (texts []string, ok bool) {
	for _, d := range c.directives {
		rest, found := strings.CutPrefix(d, directive)
		if !found {
			continue
		}
		ok = true
		if text, err := strconv.Unquote(strings.TrimSpace(rest)); err == nil {
			texts = append(texts, text)
		}
	}
	return texts, ok
}

// readTrials reads a table.
func readTrials(t testing.TB, file string) []trial {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []trial
	for part := range strings.SplitSeq(string(data), "\n\n") {
		c := trial{status: "0", did: map[string]string{}}
		written := ""
		for line := range strings.SplitSeq(strings.TrimRight(part, "\n"), "\n") {
			mark, rest, _ := strings.Cut(line, " ")
			switch mark {
			case "@":
				c.setup = append(c.setup, rest)
			case "#":
				c.directives = append(c.directives, rest)
			case "$":
				c.commands = append(c.commands, rest)
			case "$>":
				c.commands[len(c.commands)-1] += "\n" + rest
			case "|":
				c.stdout += rest + "\n"
			case `\`:
				c.stdout += rest
			case "=":
				c.status = rest
			case "~":
				written = rest
				c.did[rest] = ""
			case ":":
				c.did[written] += rest + "\n"
			case "-":
				c.did[rest] = "gone"
			default:
				t.Fatalf("%s: what is %q?", file, line)
			}
		}
		if len(c.commands) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// The tokens that are in the fixture, by where they are.
var (
	outsideTokens = []string{"plover-9d27c4", "dunlin-51e8", "curlew-e0b3a7", "redshank-44fa10"}
	closedTokens  = []string{"sanderling-8b6d2f", "turnstone-c97e30"}
)

const envToken = "sk-greenshank-1f0a6b"

// grounds are a vault and what is around it.
type grounds struct {
	bench  *toolsettest.Bench
	base   string
	places *strings.Replacer
	watch  *watch
}

// fixture is the files of the vault and those around it.
func fixture(t testing.TB) (inside, around map[string]string) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/commands/fixture.txtar")
	if err != nil {
		t.Fatal(err)
	}
	inside, around = map[string]string{}, map[string]string{}
	for _, f := range a.Files {
		name, quoted := strings.CutSuffix(f.Name, " (quoted)")
		content := string(f.Data)
		if quoted {
			if content, err = strconv.Unquote(strings.TrimSpace(content)); err != nil {
				t.Fatal(err)
			}
		}
		if rel, ok := strings.CutPrefix(name, "vault/"); ok {
			inside[rel] = content
		} else {
			around[name] = content
		}
	}
	return inside, around
}

func newGrounds(t testing.TB, o vault.Options, setup []string, port string) *grounds {
	t.Helper()
	inside, around := fixture(t)
	g := &grounds{bench: toolsettest.NewBench(t, kit(o), inside)}
	g.base = filepath.Dir(g.bench.Dir)
	sibling := filepath.Base(g.bench.Dir) + "-other"
	for name, content := range around {
		if rel, ok := strings.CutPrefix(name, "sibling/"); ok {
			name = sibling + "/" + rel
		}
		put(t, filepath.Join(g.base, name), content, 0o644)
	}
	g.places = strings.NewReplacer("{{outside}}", filepath.Join(g.base, "outside"), "{{vault}}", g.bench.Dir, "{{home}}", filepath.Join(g.base, "home"),
		"{{beside}}", g.base, "{{sibling}}", sibling, "{{port}}", port)
	for _, line := range setup {
		g.prepare(t, line)
	}
	g.watch = watchFor(t, filepath.Join(g.base, "outside"), filepath.Join(g.base, "outside/wr"), filepath.Join(g.base, sibling), filepath.Join(g.base, "home"))
	return g
}

func put(t testing.TB, name, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// prepare does a line of the setup.
func (g *grounds) prepare(t testing.TB, line string) {
	t.Helper()
	var words []string
	for rest := line; rest != ""; rest = strings.TrimSpace(rest) {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			word, _ := strconv.Unquote(quoted)
			words, rest = append(words, g.places.Replace(word)), rest[len(quoted):]
			continue
		}
		word, after, _ := strings.Cut(rest, " ")
		words, rest = append(words, word), after
	}
	at := filepath.Join(g.bench.Dir, words[1])
	var err error
	switch words[0] {
	case "write":
		mode := uint64(0o644)
		if len(words) > 3 {
			mode, err = strconv.ParseUint(words[2], 8, 32)
		}
		put(t, at, words[len(words)-1], fs.FileMode(mode))
	case "fill":
		n, _ := strconv.Atoi(words[2])
		put(t, at, strings.Repeat(words[3], n), 0o644)
	case "link":
		err = os.Symlink(words[2], at)
	case "fifo":
		err = makePipe(at)
	case "remove":
		err = os.RemoveAll(at)
	default:
		t.Fatalf("what is %q?", line)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot is all that is below a folder, by its path: content, mode and time.
func snapshot(t testing.TB, dir string, skip ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if slices.Contains(skip, rel) {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			content = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			content, _ = os.Readlink(name)
		}
		all[filepath.ToSlash(rel)] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// closed tells whether a path of the vault is one that tools must not see.
func closed(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != "." || strings.Contains(part, "secret") || strings.Contains(part, "credentials") {
			return true
		}
	}
	return false
}

// answer is what came of a call.
type answer struct {
	text string // all that is told
	run  bool   // it has details of a command
	bashResult
}

// bashResult is the details of a command.
type bashResult struct {
	ExitCode  int
	Truncated bool
	Cut       string
}

// call runs a command as the session does: first it asks what would change.
func (g *grounds) call(t testing.TB, id int, command string) answer {
	t.Helper()
	arguments, _ := json.Marshal(map[string]string{"command": g.places.Replace(command)})
	r := play(t, g.bench, strconv.Itoa(id), "bash", arguments)
	details, _ := json.Marshal(r.Details)
	a := answer{text: r.Output}
	a.run = json.Unmarshal(details, &a.bashResult) == nil
	a.text += "\n" + strings.ReplaceAll(string(details), string(arguments[len(`{"command":`):len(arguments)-1]), "")
	return a
}

// TestOrdinaryCommands: what agents do all day works as with the real tools.
func TestOrdinaryCommands(t *testing.T) {
	for i, c := range readTrials(t, "testdata/commands/ordinary.txt") {
		t.Run(fmt.Sprintf("%d %.40s", i+1, c.commands[0]), func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, vault.Options{}, c.setup, "")
			before := snapshot(t, g.bench.Dir)
			a := g.call(t, 1, c.commands[0])
			c.judge(t, g, a)
			if d := cmp.Diff(g.expected(before, c.did), snapshot(t, g.bench.Dir)); d != "" {
				t.Errorf("the vault (-want +got):\n%s", d)
			}
		})
	}
}

// judge compares what a command said.
func (c trial) judge(t *testing.T, g *grounds, a answer) {
	t.Helper()
	if status := strconv.Itoa(a.ExitCode); status != c.status && !(c.status == "nonzero" && status != "0") {
		t.Errorf("exit status %s, want %s:\n%s", status, c.status, a.text)
	}
	rest := strings.TrimPrefix(a.text, "stdout:\n")
	stdout, _, _ := strings.Cut(rest, "\nstderr:\n")
	if has, ok := c.is("has"); ok {
		for _, text := range has {
			if !strings.Contains(stdout, text) {
				t.Errorf("the output lacks %q:\n%s", text, stdout)
			}
		}
		return
	}
	if _, ok := c.is("truncated"); ok {
		if n := len(stdout); !a.Truncated || n < 1<<19 || n > 1<<20+1<<16 || !utf8.ValidString(stdout) {
			t.Errorf("%d bytes, truncated %v, valid %v", n, a.Truncated, utf8.ValidString(stdout))
		}
		return
	}
	if _, ok := c.is("any output"); ok {
		return
	}
	if d := cmp.Diff(strings.TrimSuffix(g.places.Replace(c.stdout), "\n"), stdout); d != "" {
		t.Errorf("output (-want +got):\n%s\n%s", d, a.text)
	}
}

// expected is a snapshot after what a case says was done.
func (g *grounds) expected(before, did map[string]string) map[string]string {
	want := maps.Clone(before)
	for name, content := range did {
		switch dir, isDir := strings.CutSuffix(name, "/"); {
		case isDir:
			want[dir] = "drwxr-xr-x "
		case content == "gone":
			delete(want, name)
		default:
			want[name] = "-rw-r--r-- " + content
		}
	}
	return want
}

// TestHostileCommands: whatever a command tries, nothing outside of the vault is read,
// changed or reached, nor what is closed in it, and it ends.
func TestHostileCommands(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", envToken)
	files, err := filepath.Glob("testdata/commands/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if name == "ordinary" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, c := range readTrials(t, file) {
				t.Run(fmt.Sprintf("%d %.40s", i+1, c.commands[len(c.commands)-1]), func(t *testing.T) { c.hold(t) })
			}
		})
	}
}

// hold runs the commands of a hostile case and looks at everything they must not do.
func (c trial) hold(t *testing.T) {
	visited, port := listen(t)
	g := newGrounds(t, vault.Options{Timeout: patience}, c.setup, port)
	around, inside := snapshot(t, g.base, filepath.Base(g.bench.Dir), "state"), snapshot(t, g.bench.Dir)
	g.watch.begin()
	for i, command := range c.commands {
		a := g.call(t, i+1, command)
		c.tell(t, g, a)
	}
	if seen := g.watch.end(); seen != "" {
		t.Errorf("outside was opened: %s", seen)
	}
	if d := cmp.Diff(around, snapshot(t, g.base, filepath.Base(g.bench.Dir), "state")); d != "" {
		t.Errorf("around the vault (-before +after):\n%s", d)
	}
	after := snapshot(t, g.bench.Dir)
	if _, ok := c.is("unchanged"); ok {
		if d := cmp.Diff(inside, after); d != "" {
			t.Errorf("the vault (-before +after):\n%s", d)
		}
	}
	g.keepsClosed(t, inside, after)
	if visited() {
		t.Error("the network was reached")
	}
	if a := g.call(t, 99, "echo still here"); !strings.Contains(a.text, "still here") {
		t.Errorf("the next command: %s", a.text)
	}
}

// tell looks for what no answer may have.
func (c trial) tell(t *testing.T, g *grounds, a answer) {
	t.Helper()
	hidden := slices.Concat(outsideTokens, closedTokens, []string{envToken})
	without, _ := c.is("without")
	for _, token := range append(hidden, without...) {
		if strings.Contains(a.text, g.places.Replace(token)) {
			t.Errorf("the answer has %q:\n%.2000s", token, a.text)
		}
	}
	if n := len(a.text); n > 1<<20+1<<16 {
		t.Errorf("the answer has %d bytes", n)
	}
	if _, ok := c.is("capped"); ok && !a.Truncated && a.Cut == "" {
		t.Errorf("the output is not said to be cut")
	}
}

// keepsClosed: files that are closed are what they were, there are no new ones, and
// nothing of them or of outside is in another.
func (g *grounds) keepsClosed(t *testing.T, before, after map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, is := before[name], after[name]
		if closed(name) {
			if was != is {
				t.Errorf("the closed file %s was %q and is %q", name, was, is)
			}
			continue
		}
		for _, token := range slices.Concat(outsideTokens, closedTokens) {
			if was != is && strings.Contains(is, token) {
				t.Errorf("%s has %q now", name, token)
			}
		}
	}
	for name := range before {
		if _, ok := after[name]; closed(name) && !ok {
			t.Errorf("the closed file %s is gone", name)
		}
	}
}

// patience is how long a hostile command may run. It is less than it is by default,
// so that the test ends.
const patience = 3 * time.Second

// listen opens a port for TCP and UDP, and returns what tells whether somebody came.
func listen(t *testing.T) (visited func() bool, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	u, err := net.ListenPacket("udp", "127.0.0.1:"+port)
	if err != nil {
		t.Skip("the port is not free for UDP: ", err)
	}
	t.Cleanup(func() { l.Close(); u.Close() })
	return func() bool {
		past := time.Now().Add(-time.Second)
		l.(*net.TCPListener).SetDeadline(past)
		u.SetReadDeadline(past)
		_, errTCP := l.Accept()
		_, _, errUDP := u.ReadFrom(make([]byte, 1))
		return errTCP == nil || errUDP == nil
	}, port
}

// TestTablesAreFull: every kind of attack has its table, and the tables have their
// commands.
func TestTablesAreFull(t *testing.T) {
	files, _ := filepath.Glob("testdata/commands/*.txt")
	total := 0
	for _, f := range files {
		total += len(readTrials(t, f))
	}
	if total < 223 {
		t.Errorf("%d cases", total)
	}
	data, _ := os.ReadFile("testdata/commands/fixture.txtar")
	for _, token := range slices.Concat(outsideTokens, closedTokens) {
		if !bytes.Contains(data, []byte(token)) {
			t.Errorf("the fixture lacks %s, so nothing would be found", token)
		}
	}
}
