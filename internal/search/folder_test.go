package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"redline/internal/search"
	"redline/internal/workspace"
)

func content(t testing.TB, view search.View, q search.Query) *search.Result {
	t.Helper()
	r, err := search.Content(context.Background(), view, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var samePath = cmp.Comparer(func(a, b workspace.Path) bool { return a == b })

func literal(s string) search.Query { return search.Query{Pattern: search.Pattern{Text: s}} }

func expr(s string) search.Query {
	return search.Query{Pattern: search.Pattern{Text: s, Regexp: true}}
}

// TestOrder: what is found, and what a limit leaves of it, does not depend on
// how many work on it.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		name := fmt.Sprintf("%c%s/%c/n%03d.md", 'a'+rune(r.IntN(5)), []string{"", " x", "-x"}[r.IntN(3)], 'a'+rune(r.IntN(3)), i)
		write(t, dir, name, []byte(strings.Repeat("a line\nwith a fox\n", r.IntN(4))))
		if i%50 == 0 {
			write(t, dir, name+".bin", []byte("\x00fox"))
		}
	}
	for i := range 200 { // many in one folder
		write(t, dir, fmt.Sprintf("flat/%03d.md", i), []byte("fox\n"))
	}
	view := search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments()}
	for i := range 30 {
		view.Changes = append(view.Changes, change(fmt.Sprintf("c/new%d.md", i), "staged fox\n"))
	}
	all := content(t, view, literal("fox"))
	if !slices.IsSortedFunc(all.Files, func(a, b search.File) int { return a.Path.Compare(b.Path) }) {
		t.Error("the files are not in order")
	}
	total := 0
	for _, f := range all.Files {
		total += len(f.Hits)
	}
	if all.More || total < 500 || len(all.Skipped) != 8 {
		t.Fatalf("%d hits, %d skipped, more: %v", total, len(all.Skipped), all.More)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, most := range []int{0, 1, 2, 20, 300, total - 1, total, total + 1} {
		want := shown(firstHits(all, most))
		for _, workers := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(workers)
			q := literal("fox")
			q.MaxHits = most
			if got := shown(content(t, view, q)); got != want {
				t.Fatalf("%d hits, %d workers:\n%s", most, workers, cmp.Diff(want, got))
			}
		}
	}
}

func shown(r *search.Result) string {
	var b strings.Builder
	writeResult(&b, r)
	return b.String()
}

// TestEnough: files that a limit leaves out are not read once that is known.
func TestEnough(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		write(t, dir, fmt.Sprintf("%03d/a.md", i), []byte("fox\n"))
	}
	q := literal("fox")
	q.MaxHits = 1
	told := 0
	q.Found = func(search.File) { told++ }
	content(t, search.View{Folder: openFolder(t, dir)}, q)
	if most := 2 * workspace.Workers(); told > most { // two hits are enough, and each may be at one more
		t.Errorf("%d files were searched, want %d at most", told, most)
	}
}

// firstHits is what a limit leaves of a result.
func firstHits(all *search.Result, most int) *search.Result {
	r := &search.Result{Searched: all.Searched, Skipped: all.Skipped}
	var last workspace.Path
	for _, f := range all.Files {
		for i := range f.Hits {
			if most > 0 && most == hits(r) { // the first one too many
				r.More, r.Searched, last = true, 0, f.Path
				r.Skipped = slices.DeleteFunc(slices.Clone(r.Skipped), func(s search.Skipped) bool { return s.Path.Compare(last) > 0 })
				if i > 0 {
					r.Files[len(r.Files)-1].More = true
				}
				return r
			}
			if i == 0 {
				r.Files = append(r.Files, search.File{Path: f.Path})
			}
			file := &r.Files[len(r.Files)-1]
			file.Hits = append(file.Hits, f.Hits[i])
		}
	}
	return r
}

func hits(r *search.Result) int {
	n := 0
	for _, f := range r.Files {
		n += len(f.Hits)
	}
	return n
}

// TestParts: a file that is read in parts gives what it gives in one piece,
// context across the parts included.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	dir := t.TempDir()
	for i := range 6 {
		var b bytes.Buffer
		end := []string{"\n", "\r\n"}[i%2]
		for b.Len() < 1<<20+r.IntN(2<<20) {
			switch n := r.IntN(1000); {
			case n < 40:
				b.WriteString("the needle 7" + end)
			case n < 41:
				b.WriteString(strings.Repeat("long ", r.IntN(200_000)) + end)
			case n < 60:
				b.WriteString(end + end + "needle" + end)
			default:
				b.WriteString(strings.Repeat("word ", r.IntN(60)) + end)
			}
		}
		b.WriteString("the last needle")
		data := b.Bytes()
		if i == 2 {
			data = append([]byte("\ufeffneedle"+end), data...)
		}
		write(t, dir, fmt.Sprintf("%d.md", i), data)
	}
	view := search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments()}
	for _, q := range []search.Query{literal("needle"), expr(`^needle|[0-9]$`), expr(`\bneed[a-z]+$`), expr(`^$`)} {
		for _, context := range []int{0, 2, 9} {
			q.Context, q.MaxPerFile = context, []int{0, 5}[context%2]
			for _, f := range content(t, view, q).Files {
				data, err := os.ReadFile(filepath.Join(dir, f.Path.String()))
				if err != nil {
					t.Fatal(err)
				}
				want, err := search.Text(t.Context(), data, q)
				if err != nil {
					t.Fatal(err)
				}
				f.Path = workspace.Path{}
				if diff := cmp.Diff(want.Files, []search.File{f}, samePath); diff != "" {
					t.Fatalf("%s, context %d: %.2000s", q.Text, context, diff)
				}
			}
		}
	}
}

// TestLongContext: lines around a match that are too long to be kept across the
// parts of a file are left out, and no match is.
func TestLongContext(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for i := range 30 {
		b.WriteString("needle\n")
		for k := range 6 {
			b.WriteString(strings.Repeat("x", 66_000+700*(i+k)) + "\n")
		}
	}
	write(t, dir, "a.md", []byte(b.String()))
	q := literal("needle")
	q.Context = 4
	r := content(t, search.View{Folder: openFolder(t, dir)}, q)
	last, matches := 0, 0
	for _, h := range r.Files[0].Hits {
		for _, l := range h.Lines {
			if l.Number <= last {
				t.Errorf("line %d behind line %d", l.Number, last)
			}
			last = l.Number
			if l.Matches() {
				matches++
			}
		}
	}
	if matches != 30 {
		t.Errorf("%d matches", matches)
	}
}

// TestHugeLine: a line larger than the buffers is found and cut; one that is
// not held in memory is told.
func TestHugeLine(t *testing.T) {
	dir := t.TempDir()
	huge := bytes.Repeat([]byte("abcdefghi "), 400_000)
	copy(huge[3_000_000:], "needle 42")
	write(t, dir, "huge.json", huge)
	view := search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments()}
	for _, q := range []search.Query{literal("needle"), expr(`needle \d`), expr(`[m-o]eedle`), {Pattern: search.Pattern{Text: "NEEDLE", Case: search.Insensitive, Word: true}}} {
		q.MaxLine = 30
		r := content(t, view, q)
		if len(r.Files) != 1 {
			t.Fatalf("%s: not found", q.Text)
		}
		l := r.Files[0].Hits[0].Lines[0]
		if l.Number != 1 || l.Size != len(huge) || l.Spans[0].Start != 3_000_000 || l.Text != "defghi needle 42 abcdefghi abc" {
			t.Errorf("%s: %+v", q.Text, l)
		}
	}
	if testing.Short() {
		return
	}
	write(t, dir, "larger.json", append([]byte("a needle\n"), bytes.Repeat([]byte("0123456789"), 7_000_000)...))
	r := content(t, view, literal("needle"))
	if want := []search.Skipped{{Path: workspace.MustPath("larger.json"), Reason: search.LongLine}}; !slices.Equal(r.Skipped, want) || hits(r) != 2 {
		t.Errorf("skipped %v, %d hits", r.Skipped, hits(r))
	}
}

// TestTooManyStates: an expression whose automaton does not fit is right all the
// same, also when that shows in the middle of a character, and so is one whose
// needle is in every line.
func TestTooManyStates(t *testing.T) {
	for _, letters := range []string{"ab", "яж", "界国"} {
		r := rand.New(rand.NewPCG(6, 6))
		a := []rune(letters)
		var b strings.Builder
		for range 300 {
			for range 100 + r.IntN(100) {
				b.WriteRune(a[r.IntN(2)])
			}
			b.WriteString(" needle " + strings.Repeat("x", r.IntN(5)) + "\n")
		}
		data := []byte(b.String())
		for _, p := range []string{`a[ab]{14}bb[ab]{20}aab`, `(a[ab]{11}a|b[ab]{13}b)bbbabab`, `needle x{4}$`} {
			if !strings.Contains(p, "needle") {
				p = strings.NewReplacer("a", string(a[0]), "b", string(a[1])).Replace(p)
			}
			q := search.Pattern{Text: p, Regexp: true}
			got, want := lines(t, data, q), plainly(t, data, q)
			if len(want) == 0 || len(want) == 300 {
				t.Errorf("%s: %d lines tell nothing", p, len(want))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %.1000s", p, diff)
			}
		}
	}
}

// TestFound: every file with hits is told as it comes, one at a time.
func TestFound(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		write(t, dir, fmt.Sprintf("%d/%d.md", i%7, i), []byte("fox\nfox\n"))
	}
	q := literal("fox")
	var inside atomic.Int32
	told := map[string]int{}
	q.Found = func(f search.File) {
		if inside.Add(1) > 1 {
			t.Error("two at once")
		}
		told[f.Path.String()] += len(f.Hits)
		inside.Add(-1)
	}
	r := content(t, search.View{Folder: openFolder(t, dir)}, q)
	want := map[string]int{}
	for _, f := range r.Files {
		want[f.Path.String()] = len(f.Hits)
	}
	if diff := cmp.Diff(want, told); diff != "" || len(told) != 300 {
		t.Error(diff)
	}
}

// TestCancel: a search ends at once when its context does, and leaves nothing
// running.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	for i := range 1000 {
		write(t, dir, fmt.Sprintf("%d.md", i), []byte("fox\n"))
	}
	folder := openFolder(t, dir)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := literal("fox")
		told := 0
		q.Found = func(search.File) {
			told++
			cancel()
		}
		_, err := search.Content(ctx, search.View{Folder: folder}, q)
		if !errors.Is(err, context.Canceled) || told > workspace.Workers() { // each was at one file
			t.Errorf("%v after %d files", err, told)
		}
		if _, _, err := search.Names(ctx, search.View{Folder: folder}, q.Pattern, q.Scope, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("names: %v", err)
		}
	})
}

// countdown is a context that ends once it has been asked so often.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelInside: the context is asked within one text, however it is
// searched.
func TestCancelInside(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	large := make([]byte, 8<<20)
	for i := range large {
		large[i] = "ab"[r.IntN(2)]
	}
	for name, p := range map[string]search.Pattern{
		"states": {Text: `(a[ab]{300}b[ab]{300}a|b[ab]{350}a)c`, Regexp: true},
		"places": {Text: `[ab]+b`, Regexp: true},
		"words":  {Text: `[ab]+b?`, Regexp: true, Word: true},
	} {
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(20)
		if _, err := search.Text(ctx, large, search.Query{Pattern: p}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnreadable: what cannot be read is told, and the rest is searched.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", []byte("fox\n"))
	write(t, dir, "closed.md", []byte("fox\n"))
	write(t, dir, "folder/b.md", []byte("fox\n"))
	view := search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments(), Changes: []search.Change{{
		Path: workspace.MustPath("lost.md"), Read: func(context.Context) ([]byte, error) { return nil, errors.New("the store is gone") },
	}, {
		Path: workspace.MustPath("staged.bin"), Read: func(context.Context) ([]byte, error) { return []byte("fox\x00"), nil },
	}}}
	want := []search.Skipped{{Path: workspace.MustPath("lost.md"), Reason: search.Unreadable}, {Path: workspace.MustPath("staged.bin"), Reason: search.Binary}}
	found := 3
	if os.Geteuid() > 0 { // nothing is closed to root
		os.Chmod(filepath.Join(dir, "closed.md"), 0)
		os.Chmod(filepath.Join(dir, "folder"), 0)
		defer os.Chmod(filepath.Join(dir, "folder"), 0o755)
		want = append(want, search.Skipped{Path: workspace.MustPath("closed.md"), Reason: search.Unreadable}, search.Skipped{Path: workspace.MustPath("folder"), Reason: search.Unreadable})
		slices.SortFunc(want, func(a, b search.Skipped) int { return a.Path.Compare(b.Path) })
		found = 1
	}
	r := content(t, view, literal("fox"))
	if !slices.Equal(r.Skipped, want) || hits(r) != found {
		t.Errorf("skipped %v, want %v; %d hits", r.Skipped, want, hits(r))
	}
}

// TestLinks: a symbolic link is not followed, so that nothing is found twice or
// outside.
func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, "out.md", []byte("fox\n"))
	write(t, dir, "in.md", []byte("fox\n"))
	for name, target := range map[string]string{"out": outside, "out.md": filepath.Join(outside, "out.md"), "again.md": "in.md", "loop": "."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	r := content(t, search.View{Folder: openFolder(t, dir), Policy: workspace.ForDocuments()}, literal("fox"))
	if len(r.Files) != 1 || r.Files[0].Path.String() != "in.md" {
		t.Errorf("found in %+v", r.Files)
	}
}
