package diff

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"redline/internal/text"
)

// triple is a base and two edited copies of it.
type triple struct{ base, ours, theirs string }

// scatter is how many triples of each kind are tried; DIFF_ORACLE=100000 tries
// more.
func scatter(t *testing.T, usual int) int {
	if s := os.Getenv("DIFF_ORACLE"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if testing.Short() {
		return usual / 10
	}
	return usual
}

// editor makes random edits of a list of lines.
type editor struct {
	r     *rand.Rand
	fresh func() string // a line to put in
	moves bool
	edits int // at most; 0 is a few
}

func (e editor) edit(lines []string) []string {
	out := append([]string(nil), lines...)
	for range e.r.IntN(max(e.edits, 3) + 1) {
		at := e.r.IntN(len(out) + 1)
		n := min(e.r.IntN(3), len(out)-at)
		var in []string
		for range e.r.IntN(3) {
			in = append(in, e.fresh())
		}
		if e.moves && e.r.IntN(3) == 0 {
			in = append(in, lines[min(at, len(lines)):min(at+2, len(lines))]...)
			at = e.r.IntN(len(out) + 1)
			n = min(n, len(out)-at)
		}
		out = append(out[:at:at], append(in, out[at+n:]...)...)
	}
	return out
}

// file joins lines; now and then the last one has no terminator.
func file(r *rand.Rand, lines []string, eol string) string {
	s := strings.Join(lines, eol)
	if len(lines) > 0 && r.IntN(6) > 0 {
		s += eol
	}
	return s
}

// kinds of documents, by how their lines are made.
var kinds = []struct {
	name     string
	distinct bool // no line occurs twice or moves: the result must be git's
	doc      func(r *rand.Rand) (lines []string, e editor, eol string)
}{
	{"distinct", true, func(r *rand.Rand) ([]string, editor, string) {
		// Both sides draw from the same pool, so that they make equal changes too.
		n := 0
		pool := r.Perm(12)
		return numbered("line", 1+r.IntN(12)), editor{r: r, fresh: func() string {
			n++
			return fmt.Sprintf("fresh %d", pool[n%12])
		}}, "\n"
	}},
	{"distinct CRLF", true, func(r *rand.Rand) ([]string, editor, string) {
		n := 0
		return numbered("line", 1+r.IntN(12)), editor{r: r, fresh: func() string {
			n++
			return fmt.Sprintf("fresh %d", n)
		}}, "\r\n"
	}},
	{"moves", false, func(r *rand.Rand) ([]string, editor, string) {
		n := 0
		return numbered("line", 2+r.IntN(20)), editor{r: r, moves: true, fresh: func() string {
			n++
			return fmt.Sprintf("fresh %d", n)
		}}, "\n"
	}},
	{"paragraphs", false, func(r *rand.Rand) ([]string, editor, string) {
		var lines []string
		for _, l := range numbered("paragraph", 1+r.IntN(20)) {
			lines = append(lines, l, "")
		}
		n := 0
		return lines, editor{r: r, fresh: func() string {
			if n++; r.IntN(2) == 0 {
				return ""
			}
			return fmt.Sprintf("fresh %d", n)
		}}, "\n"
	}},
	{"few lines", false, func(r *rand.Rand) ([]string, editor, string) {
		letters := 1 + r.IntN(6)
		fresh := func() string { return string(rune('a' + r.IntN(letters))) }
		var lines []string
		for range r.IntN(24) {
			lines = append(lines, fresh())
		}
		return lines, editor{r: r, moves: true, fresh: fresh}, "\n"
	}},
	{"blanks and words", false, func(r *rand.Rand) ([]string, editor, string) {
		word := func() string {
			if r.IntN(3) > 0 {
				return []string{"", "", "}", "end"}[r.IntN(4)]
			}
			return fmt.Sprintf("word %d", r.IntN(40))
		}
		var lines []string
		for range r.IntN(70) {
			lines = append(lines, word())
		}
		return lines, editor{r: r, moves: true, fresh: word}, "\n"
	}},
	{"chapters", false, func(r *rand.Rand) ([]string, editor, string) {
		n := 0
		line := func() string {
			switch n++; r.IntN(10) {
			case 0, 1, 2, 3:
				return ""
			case 4:
				return []string{"* * *", "---", "## Notes"}[r.IntN(3)]
			case 5:
				return fmt.Sprintf("refrain %d", r.IntN(20))
			}
			return fmt.Sprintf("sentence %d", n)
		}
		var lines []string
		for range r.IntN(200) {
			lines = append(lines, line())
		}
		return lines, editor{r: r, moves: true, fresh: line, edits: 12}, "\n"
	}},
	{"rewritten", false, func(r *rand.Rand) ([]string, editor, string) {
		// Next to nothing but blank lines stays, and git passes over these.
		n := 0
		fresh := func() string {
			if n++; r.IntN(5) < 3 {
				return ""
			}
			return fmt.Sprintf("fresh %d", n)
		}
		var lines []string
		for range r.IntN(50) {
			lines = append(lines, fresh())
		}
		return lines, editor{r: r, moves: true, fresh: fresh, edits: 30}, "\n"
	}},
}

func numbered(word string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s %d", word, i)
	}
	return out
}

// TestMergeOracle compares Merge3 with git merge-file. Where lines are distinct
// both must agree to the byte, conflicts included. Elsewhere Merge3 may see a
// conflict where git sees none, but never the other way round, and where both
// are clean they must agree. In plain prose it must rarely be that cautious.
func TestMergeOracle(t *testing.T) {
	git := newGitMerge(t)
	for k, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(k)))
			n := scatter(t, 250)
			cautious, merged := 0, 0
			var triples []triple
			for range n {
				lines, e, eol := kind.doc(r)
				ours := e.edit(lines)
				if kind.distinct {
					ours = distinct(ours)
				}
				theirs := e.edit(lines)
				if kind.distinct {
					theirs = distinct(theirs)
				}
				triples = append(triples, triple{file(r, lines, eol), file(r, ours, eol), file(r, theirs, eol)})
			}
			for i, got := range git.merge(t, triples) {
				tr := triples[i]
				m := Merge3(text.FromString(tr.base), text.FromString(tr.ours), text.FromString(tr.theirs))
				marked := m.Marked(Labels{"ours", "base", "theirs"})
				if !got.clean { // git ends its markers in LF where a side has no line to go by
					marked, got.diff3 = bytes.ReplaceAll(marked, []byte("\r"), nil), bytes.ReplaceAll(got.diff3, []byte("\r"), nil)
				}
				switch {
				case kind.distinct && (!bytes.Equal(marked, got.diff3) || m.Clean() != got.clean):
					t.Fatalf("%q\nwe  %q\ngit %q", tr, marked, got.diff3)
				case m.Clean() && !got.clean:
					t.Fatalf("%q\nmerged to %q, but git has a conflict:\n%s", tr, m.Result, got.diff3)
				case m.Clean() && !bytes.Equal(m.Result.Bytes(), got.diff3):
					t.Fatalf("%q\nwe  %q\ngit %q", tr, m.Result, got.diff3)
				}
				if got.clean {
					merged++
				}
				if got.clean && !m.Clean() {
					cautious++
				}
			}
			if kind.name == "paragraphs" && cautious*8 > merged {
				t.Errorf("too cautious: git merged %d, and we saw a conflict in %d of them", merged, cautious)
			}
			t.Logf("%d triples, git merged %d, of which we saw a conflict in %d", n, merged, cautious)
		})
	}
}

// distinct drops lines that were there before.
func distinct(lines []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range lines {
		if !seen[l] {
			out = append(out, l)
		}
		seen[l] = true
	}
	return out
}

// gitMerge runs git merge-file.
type gitMerge struct{ path string }

type gitResult struct {
	diff3 []byte
	clean bool
}

func newGitMerge(t *testing.T) gitMerge {
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	return gitMerge{path}
}

func (g gitMerge) merge(t *testing.T, triples []triple) []gitResult {
	t.Helper()
	out := make([]gitResult, len(triples))
	errs := make([]error, len(triples))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		dir := t.TempDir()
		wg.Go(func() {
			for i := w; i < len(triples); i += workers {
				out[i], errs[i] = g.one(dir, triples[i])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return out
}

func (g gitMerge) one(dir string, tr triple) (gitResult, error) {
	for name, s := range map[string]string{"ours": tr.ours, "base": tr.base, "theirs": tr.theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o666); err != nil {
			return gitResult{}, err
		}
	}
	out, conflicts, err := g.run(dir, "-p", "--diff3")
	if err != nil || conflicts == 0 {
		return gitResult{out, true}, err
	}
	// With --diff3 git also reports changes that are equal in both, but not made
	// in the same way. What it thinks of them shows without.
	plain, conflicts, err := g.run(dir, "-p")
	if conflicts == 0 {
		out = plain
	}
	return gitResult{out, conflicts == 0}, err
}

func (g gitMerge) run(dir string, flags ...string) (out []byte, conflicts int, err error) {
	args := append([]string{"merge-file", "-q", "-L", "ours", "-L", "base", "-L", "theirs"}, flags...)
	cmd := exec.Command(g.path, append(args, "ours", "base", "theirs")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 128 {
		return out, exit.ExitCode(), nil
	}
	return out, 0, err
}
