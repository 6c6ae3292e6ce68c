package staged_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

var (
	record = flag.String("record", "", "write the table of this command, or of all, anew from the real tools")
	oracle = flag.Bool("oracle", false, "compare the tables with the real tools, whatever their versions are")
)

// The tables in testdata/oracle say what the real tools do: one case after the other,
// with an empty line between.
//
//	# sorted          directives: see oracleCase
//	$ grep -c b *     the command, in a copy of fixture.txtar
//	$> -h             and its further lines
//	| a.md:1          standard output; the last line, if it has no end: "\ text";
//	" "a\x00"         or all of it, quoted
//	! grep: …         standard error
//	= 1               exit status, if it is not 0
//	~ new.md          a file that was written,
//	: text            and its content (":\ text", `:" "quoted"`)
//	~ new/            a folder that was made
//	- old.md          what is gone
type oracleCase struct {
	directives []string
	line       string
	want       outcome
}

// outcome is what a command did.
type outcome struct {
	stdout, stderr string
	status         int
	did            map[string]string
}

// is tells whether a directive was given:
//
//	sorted      the order of the lines of the output does not count
//	any stderr  the words of the messages do not count
//	any status  only whether it is 0 counts
//	ours: why   the real tools do something else, or are not everywhere the same
func (c *oracleCase) is(directive string) bool {
	return slices.ContainsFunc(c.directives, func(d string) bool { return strings.HasPrefix(d, directive) })
}

// TestOracle runs the tables with our shell, and with the real tools where those are
// the ones that the tables were made with.
func TestOracle(t *testing.T) {
	names, err := filepath.Glob("testdata/oracle/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := txtar.ParseFile("testdata/oracle/fixture.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range fixture.Files {
		data := string(f.Data)
		if quoted, ok := strings.CutPrefix(data, "quoted: "); ok { // CRLF, NUL, no newline at the end
			if data, err = strconv.Unquote(strings.TrimSpace(quoted)); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
		files[f.Name] = data
	}
	versions := strings.TrimSpace(string(fixture.Comment))
	real := *oracle || toolVersions() == versions
	if !real {
		t.Logf("the tables were made with other tools than are installed here, and are not compared with those:\n%s\n%s", versions, toolVersions())
	}
	total := 0
	for _, file := range names {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		cases := readOracle(t, file)
		total += len(cases)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *record == name || *record == "all" {
				for i := range cases {
					if !cases[i].is("ours") {
						cases[i].want = reality(t, files, cases[i].line)
					}
				}
				writeOracle(t, file, cases)
			}
			for i := range cases {
				c := &cases[i]
				if c.is("ours") && *record == name {
					c.want = ours(t, files, c.line)
					writeOracle(t, file, cases)
				}
				c.compare(t, "our shell", ours(t, files, c.line))
				if real && !c.is("ours") && !testing.Short() {
					c.compare(t, "the real tools", reality(t, files, c.line))
				}
			}
		})
	}
	t.Logf("%d commands", total)
}

// toolVersions names the tools that decide.
func toolVersions() string {
	var out []string
	for _, tool := range []string{"bash", "grep", "sed", "sort", "find", "diff"} {
		line, _ := exec.Command(tool, "--version").Output()
		first, _, _ := strings.Cut(string(line), "\n")
		out = append(out, first)
	}
	return strings.Join(out, "\n")
}

func (c *oracleCase) compare(t *testing.T, who string, got outcome) {
	t.Helper()
	want := c.want
	if c.is("sorted") {
		got.stdout, want.stdout = sortedLines(got.stdout), sortedLines(want.stdout)
	}
	if c.is("any stderr") {
		got.stderr, want.stderr = "", ""
	}
	if c.is("any status") {
		got.status, want.status = min(got.status, 1), min(want.status, 1)
	}
	if got.stdout != want.stdout || got.stderr != want.stderr || got.status != want.status || !maps.Equal(got.did, want.did) {
		t.Errorf("$ %s\n--- the table:\n%s--- %s:\n%s", c.line, want, who, got)
	}
}

func sortedLines(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// epoch is when the files of the fixture were written, and when the commands run.
var epoch = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

func oracleVault(t testing.TB, files map[string]string) *vault {
	v := newVault(t, files)
	err := filepath.WalkDir(v.dir, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(name, epoch, epoch))
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ours runs a line with our shell.
func ours(t testing.TB, files map[string]string, line string) outcome {
	v := oracleVault(t, files)
	r, did := v.run(line)
	return outcome{
		stdout: strings.ReplaceAll(r.Stdout, v.dir, "$VAULT"), stderr: strings.ReplaceAll(r.Stderr, v.dir, "$VAULT"),
		status: r.ExitCode, did: did,
	}
}

// reality runs a line with bash and the tools of the system.
func reality(t testing.TB, files map[string]string, line string) outcome {
	v := oracleVault(t, files)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line, "bash")
	cmd.Dir = v.dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=" + os.Getenv("PATH"), "HOME=" + v.dir}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() < 0) {
		t.Fatalf("%s: %v", line, err)
	}
	clean := func(s string) string {
		s = strings.ReplaceAll(s, v.dir, "$VAULT")
		s = strings.ReplaceAll(s, "bash: line 1: ", "bash: ")
		return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
	}
	out := outcome{stdout: clean(stdout.String()), stderr: clean(stderr.String()), status: cmd.ProcessState.ExitCode(), did: map[string]string{}}
	after := v.disk()
	before := map[string]string{}
	for name, content := range files {
		before[name] = content
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			before[dir] = "<dir>"
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			out.did[name] = "<gone>"
		}
	}
	for name, content := range after {
		if was, ok := before[name]; !ok || was != content {
			out.did[name] = content
		}
	}
	return out
}

// disk is what is in the folder.
func (v *vault) disk() map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(v.dir, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(v.dir, name)
		switch {
		case err != nil || rel == ".":
			return err
		case e.IsDir():
			found[rel] = "<dir>"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			found[rel] = target
			return err
		default:
			data, err := os.ReadFile(name)
			found[rel] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return found
}

func (o outcome) String() string {
	var b strings.Builder
	writeText(&b, "", '|', o.stdout)
	for _, line := range strings.Split(strings.TrimSuffix(o.stderr, "\n"), "\n") {
		if o.stderr != "" {
			fmt.Fprintf(&b, "! %s\n", line)
		}
	}
	if o.status != 0 {
		fmt.Fprintf(&b, "= %d\n", o.status)
	}
	for _, name := range slices.Sorted(maps.Keys(o.did)) {
		switch content := o.did[name]; content {
		case "<gone>":
			fmt.Fprintf(&b, "- %s\n", name)
		case "<dir>":
			fmt.Fprintf(&b, "~ %s/\n", name)
		default:
			fmt.Fprintf(&b, "~ %s\n", name)
			writeText(&b, ":", ' ', content)
		}
	}
	return b.String()
}

// writeText writes a text line by line, or quoted if that would not show it.
func writeText(b *strings.Builder, prefix string, mark byte, text string) {
	if text == "" {
		return
	}
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\x1b\a\b\v\f") {
		fmt.Fprintf(b, "%s\" %s\n", prefix, strconv.Quote(text))
		return
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		switch whole, ok := strings.CutSuffix(line, "\n"); {
		case ok && prefix == "":
			fmt.Fprintf(b, "%c %s\n", mark, whole)
		case ok:
			fmt.Fprintf(b, "%s %s\n", prefix, whole)
		case line != "":
			fmt.Fprintf(b, "%s\\ %s\n", prefix, line)
		}
	}
}

func writeOracle(t *testing.T, file string, cases []oracleCase) {
	var b strings.Builder
	for i, c := range cases {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, d := range c.directives {
			fmt.Fprintf(&b, "# %s\n", d)
		}
		fmt.Fprintf(&b, "$ %s\n%s", strings.ReplaceAll(c.line, "\n", "\n$> "), c.want)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readOracle(t *testing.T, file string) []oracleCase {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []oracleCase
	for _, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		c := oracleCase{want: outcome{did: map[string]string{}}}
		last := ""
		for _, line := range strings.Split(block, "\n") {
			if err := c.read(line, &last); err != nil {
				t.Fatalf("%s: %q: %v", file, line, err)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// read takes a line of a case; last is the file that the contents are of.
func (c *oracleCase) read(line string, last *string) error {
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "#":
		c.directives = append(c.directives, rest)
	case "$":
		c.line = rest
	case "$>":
		c.line += "\n" + rest
	case "|":
		c.want.stdout += rest + "\n"
	case "\\":
		c.want.stdout += rest
	case "!":
		c.want.stderr += rest + "\n"
	case "=":
		status, err := strconv.Atoi(rest)
		c.want.status = status
		return err
	case "~":
		if dir, ok := strings.CutSuffix(rest, "/"); ok {
			c.want.did[dir] = "<dir>"
			return nil
		}
		*last = rest
		c.want.did[rest] = ""
	case "-":
		c.want.did[rest] = "<gone>"
	case ":":
		c.want.did[*last] += rest + "\n"
	case ":\\":
		c.want.did[*last] += rest
	case "\"", ":\"":
		text, err := strconv.Unquote(rest)
		if mark == "\"" {
			c.want.stdout = text
		} else {
			c.want.did[*last] = text
		}
		return err
	default:
		return errors.New("not a line of a table")
	}
	return nil
}
