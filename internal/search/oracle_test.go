package search_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/search"
	"redline/internal/workspace"
)

// ripgrep runs rg in dir and returns what it prints, sorted.
func ripgrep(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("rg", append([]string{"--no-config", "--no-require-git", "--no-ignore-global", "--no-ignore-parent", "-n", "--no-heading", "--color=never"}, args...)...)
	cmd.Dir = dir
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("rg %q: %v: %s", args, err, &stderr)
	}
	found := []string{}
	for s := bufio.NewScanner(&out); s.Scan(); {
		found = append(found, s.Text())
	}
	slices.Sort(found)
	return found
}

// printed writes a result as ripgrep does.
func printed(r *search.Result) []string {
	found := []string{}
	for _, f := range r.Files {
		for _, h := range f.Hits {
			for _, l := range h.Lines {
				found = append(found, fmt.Sprintf("%s:%d:%s", f.Path, l.Number, l.Text))
			}
		}
	}
	slices.Sort(found)
	return found
}

// rgArgs are the flags of rg for a query.
func rgArgs(q search.Query, pattern string) []string {
	var args []string
	if !q.Regexp {
		args = append(args, "-F")
	}
	switch q.Case {
	case search.Insensitive:
		args = append(args, "-i")
	case search.Smart:
		args = append(args, "-S")
	}
	if q.Word {
		args = append(args, "-w")
	}
	for _, g := range q.Include {
		args = append(args, "-g", g)
	}
	for _, g := range q.Exclude {
		args = append(args, "-g", "!"+g)
	}
	return append(args, "-e", pattern, ".")
}

func write(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func openFolder(t testing.TB, dir string) *workspace.Folder {
	t.Helper()
	f, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// corpus is a folder of random texts with what ripgrep passes over: hidden,
// ignored and binary files.
func corpus(t *testing.T, r *rand.Rand) string {
	dir := t.TempDir()
	for i := range 40 {
		name := fmt.Sprintf("%s%s%d.%s", []string{"", "", "a/", "a/b/", "c/", "journal/2024/"}[r.IntN(6)], []string{"n", "note", "x"}[r.IntN(3)], i, []string{"md", "txt", "md"}[r.IntN(3)])
		data := randomText(r, []string{"\n"})
		if r.IntN(10) == 0 {
			data = append([]byte("\ufeff"), data...)
		}
		write(t, dir, name, data)
	}
	write(t, dir, "large.md", bytes.Repeat(randomText(r, []string{"\n", "\n\n"}), 2000))
	write(t, dir, ".hidden/a.md", []byte("the fox a\n"))
	write(t, dir, ".gitignore", []byte("c/\n*0.txt\n"))
	write(t, dir, "a/.gitignore", []byte("!*0.txt\nx*\n"))
	write(t, dir, "binary.dat", []byte("\x00the fox a b k s\n"))
	write(t, dir, "empty.md", nil)
	return dir
}

// TestLikeRipgrep: the same lines as ripgrep, for random folders, patterns and
// flags.
func TestLikeRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(8, 8))
	folders, queries := 4, 50
	if testing.Short() {
		folders, queries = 2, 30
	}
	globs := []string{"*.md", "*.txt", "a/**", "**/b/*", "n*", "journal/", "{a,c}/**", "*[0-5].md", "a/*.md", "journal/**/*.md", "?1.md"}
	excluded := []string{"a", "*.txt", "a/b", "**/b", "journal/2024/n*", "x?.*"}
	for range folders {
		dir := corpus(t, r)
		view := search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments()}
		// A glob makes ripgrep look at ignored files too; these are not among them.
		listed := ripgrep(t, dir, "--files")
		for range queries {
			p, rg := randomPattern(r)
			q := search.Query{Pattern: p, MaxLine: 1 << 20}
			q.Word = r.IntN(4) == 0
			for range r.IntN(3) {
				if g := globs[r.IntN(len(globs))]; g != "journal/" { // which means nothing to ripgrep
					q.Include = append(q.Include, g)
				}
			}
			for range r.IntN(2) {
				q.Exclude = append(q.Exclude, excluded[r.IntN(len(excluded))])
			}
			result, err := search.Content(context.Background(), view, q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			var want []string
			for _, line := range ripgrep(t, dir, rgArgs(q, rg)...) {
				line = strings.TrimPrefix(line, "./")
				if name, _, _ := strings.Cut(line, ":"); slices.Contains(listed, name) {
					want = append(want, line)
				}
			}
			slices.Sort(want)
			if got := printed(result); !slices.Equal(want, got) {
				t.Fatalf("%+v, rg %q\n(-rg +search)\n%s", q, rg, cmp.Diff(want, got))
			}
		}
	}
}

// TestSmartCaseLikeRipgrep: which capitals count is what ripgrep says.
func TestSmartCaseLikeRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	write(t, dir, "a.md", []byte("fox\nFox\nFOX\nf\nF\n12\n\u00e9\n\u00c9\n"))
	view := search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments()}
	for _, p := range []string{"fox", "Fox", "f.x", "F.x", `\Sox`, `\pLox`, `\p{Lu}ox`, `[F]ox`, `[[:alpha:]]ox`, `(?P<Name>f)ox`, `\x66ox`, "\u00e9", "\u00c9", `f\Dx`, `^f`, `(?:F|f)ox`} {
		q := search.Query{Pattern: search.Pattern{Text: p, Regexp: true, Case: search.Smart}}
		result, err := search.Content(context.Background(), view, q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ripgrep(t, dir, "-S", "-e", p, "a.md", "--with-filename"), printed(result)); diff != "" {
			t.Errorf("%s (-rg +search)\n%s", p, diff)
		}
	}
}
