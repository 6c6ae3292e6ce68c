package ops

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"redline/internal/outline"
	"redline/internal/text"
	"redline/internal/workspace"
)

// TestRelinkLaws moves files of random folders. Afterwards
//   - every link that led to a file leads to the same file, by the resolver below;
//   - every link that led nowhere is what it was;
//   - every byte outside of targets is what it was;
//   - what needed no change has none: the links of a document that stays, to
//     documents that stay, unless another one took their name.
func TestRelinkLaws(t *testing.T) {
	for seed := range uint64(1000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), names: muddled, folders: []string{"", "a", "b", "a/b", "b/a", "č d"}}
		f := g.folder()
		moves := g.moves(f)
		changed, err := relink(t.Context(), f.paths(), f.read, moves)
		if err != nil {
			t.Fatal(err)
		}
		checkMove(t, f, moves, changed)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, describe(f, moves, changed))
		}
	}
}

// TestRelinkThereAndBack: a move and its opposite restore every byte of the
// documents that stay. That holds for links in their plain form:
//   - a name in the case of its file, and nothing escaped that need not be, nor
//     a detour like "a/../b": a name that is replaced is written anew;
//   - no "./" before a Markdown link: if it becomes "../" it does not come back;
//   - a path that is whole, or a name that stays unique: one that had to get the
//     path from the root keeps it. At the root the path is the name alone, so
//     one that led there comes back as a name;
//   - a ".md" that is written, or a file that is Markdown in both places: one that
//     is something else needs its ending, which then stays.
//
// In the moved document itself a link can keep a way around that is right in
// both places.
func TestRelinkThereAndBack(t *testing.T) {
	for seed := range uint64(1000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), folders: []string{"a", "b", "a/b", "b/a", "č d"}, plain: true}
		for i := range 16 {
			g.names = append(g.names, fmt.Sprintf("Name %d č", i))
		}
		f := g.folder()
		moves := g.moves(f)
		there, err := relink(t.Context(), f.paths(), f.read, moves)
		if err != nil {
			t.Fatal(err)
		}
		after := f.moved(moves, there)
		opposite := map[workspace.Path]workspace.Path{}
		for p, q := range moves {
			opposite[q] = p
		}
		back, err := relink(t.Context(), after.paths(), after.read, opposite)
		if err != nil {
			t.Fatal(err)
		}
		for p, data := range after.moved(opposite, back) {
			if _, ok := moves[p]; !ok && !bytes.Equal(data, f[p]) {
				t.Fatalf("seed %d: %s\n got %q\nwant %q\n%s", seed, p, data, f[p], describe(f, moves, there))
			}
		}
	}
}

func checkMove(t *testing.T, f folder, moves map[workspace.Path]workspace.Path, changed []relinked) {
	t.Helper()
	after := f.moved(moves, changed)
	files, then := names(f), names(after)
	now := func(file string) string {
		if q, ok := moves[workspace.MustPath(file)]; ok {
			return q.String()
		}
		return file
	}
	for _, c := range changed {
		if n := differences(t, c); n != c.Links || n == 0 {
			t.Errorf("%s: %d links said to differ, %d do", c.Path, c.Links, n)
		}
	}
	for p, data := range f {
		if path.Ext(p.String()) != ".md" {
			continue
		}
		at := now(p.String())
		old, new := outline.Links(text.New(data)), outline.Links(text.New(after[workspace.MustPath(at)]))
		for i, l := range old {
			was, is := leads(files, l, p.String()), leads(then, new[i], at)
			switch {
			case was == "" && l.Target != new[i].Target:
				t.Errorf("%s: %q led nowhere and became %q", p, l.Target, new[i].Target)
			case was != "" && is != now(was):
				t.Errorf("%s: %v %q led to %s; now %s: %q leads to %q", p, l.Kind, l.Target, was, at, new[i].Target, is)
			case was != "" && at == p.String() && now(was) == was && leads(then, l, at) == was && l.Target != new[i].Target && !rivals(then, was):
				t.Errorf("%s: %q became %q without need", p, l.Target, new[i].Target)
			}
		}
	}
}

// leads is a second, slow and simple implementation of what places.resolve does.
func leads(files []string, l outline.Link, from string) string {
	same := func(a, b string) bool { return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b)) }
	find := func(file string) string {
		if slices.Contains(files, file) {
			return file
		}
		for _, f := range files { // files are sorted
			if same(f, file) {
				return f
			}
		}
		return ""
	}
	if l.Target == "" {
		return ""
	}
	for _, target := range []string{l.Target, l.Target + ".md"} {
		here := path.Join(path.Dir(from), target)
		dots := strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
		var tries []string
		switch {
		case strings.HasPrefix(target, "/"):
			tries = []string{target[1:]}
		case dots:
			tries = []string{here}
		case l.Kind.IsWiki():
			tries = []string{target}
		default:
			tries = []string{here, target}
		}
		for _, file := range tries {
			if f := find(file); f != "" {
				return f
			}
		}
		if dots || strings.HasPrefix(target, "/") {
			continue
		}
		var list []string
		for _, f := range files {
			if n := len(f) - len(target) - 1; n >= 0 && f[n] == '/' && same(f[n+1:], target) {
				list = append(list, f)
			}
		}
		sort.SliceStable(list, func(i, j int) bool {
			a, b := len([]rune(list[i])), len([]rune(list[j]))
			return a < b || a == b && strings.HasSuffix(list[i], target) && !strings.HasSuffix(list[j], target)
		})
		for _, f := range list {
			if path.Dir(from) == "." || strings.HasPrefix(f, path.Dir(from)+"/") {
				return f
			}
		}
		if len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

// rivals tells whether several files have the name of file.
func rivals(files []string, file string) bool {
	n := 0
	for _, f := range files {
		if strings.EqualFold(path.Base(f), path.Base(file)) {
			n++
		}
	}
	return n > 1
}

func names(f folder) []string {
	var list []string
	for p := range f {
		list = append(list, p.String())
	}
	slices.Sort(list)
	return list
}

// muddled are names that are easily taken for each other, or need escapes.
var muddled = []string{"Note", "note", "Note 2", "Noté", "a", "b", "x (1)", "100%", "R&D", "what?", "a&amp;b", "v1.2", "it's", `"q"`, "semi;colon", "20%20", "y(", "_z_ *z*"}

// generator makes random folders.
type generator struct {
	*rand.Rand
	names, folders []string
	plain          bool // one file for each name, links in their plain form
}

func (g *generator) pick(list []string) string { return list[g.IntN(len(list))] }

func (g *generator) folder() folder {
	f := folder{}
	for i := range 4 + g.IntN(8) {
		name := g.pick(g.names)
		if g.plain {
			name = g.names[i]
		}
		f[workspace.MustPath(path.Join(g.pick(g.folders), name+g.pick([]string{".md", ".md", ".md", ".png"})))] = nil
	}
	list := names(f)
	for p := range f {
		f[p] = []byte(g.document(p.String(), list))
	}
	return f
}

func (g *generator) document(file string, files []string) string {
	var b strings.Builder
	if g.IntN(4) == 0 {
		fmt.Fprintf(&b, "---\nup: \"[[%s]]\"\n---\n", g.wiki(file, strings.ReplaceAll(g.pick(files), `"`, "")))
	}
	for range g.IntN(8) {
		b.WriteString(g.link(file, g.pick(files)))
		b.WriteString(g.pick([]string{" ", ", and ", "\n", "\r\n", "\n\n", "\n\n- ", " `[[Note]]` ", "\n\n> ", ". Žluť "}))
	}
	return b.String()
}

func (g *generator) link(file, to string) string {
	tail := g.pick([]string{"", "", "#part"})
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("[[%s%s|alias]]", g.wiki(file, to), tail)
	case 1:
		return fmt.Sprintf("![[%s%s]]", g.wiki(file, to), tail)
	case 2, 3:
		return fmt.Sprintf("[[%s%s]]", g.wiki(file, to), tail)
	case 4:
		return fmt.Sprintf("[t](<%s%s> \"t\")", strings.NewReplacer("%", "%25", "?", "%3F", "&", "&amp;").Replace(g.markdown(file, to)), tail)
	case 5:
		return fmt.Sprintf("\n\n[ref]: %s%s 't'\n\n", encode(g.markdown(file, to)), tail)
	}
	return fmt.Sprintf("[t](%s%s)", encode(g.markdown(file, to)), tail)
}

func encode(s string) string {
	return strings.NewReplacer(" ", "%20", "%", "%25", "?", "%3F", "(", "%28", ")", "%29", "&", "%26", `"`, "%22").Replace(s)
}

// wiki is a target for a wikilink in file that may lead to another file.
func (g *generator) wiki(file, to string) string {
	forms := []string{path.Base(to), to, "/" + to, dotted(between(file, to))}
	if !g.plain {
		forms = append(forms, strings.ToUpper(path.Base(to)), "./"+to, path.Join(path.Base(path.Dir(to)), path.Base(to)), "nowhere/"+to)
	}
	return g.extension(g.pick(forms))
}

func dotted(s string) string {
	if strings.HasPrefix(s, "../") {
		return s
	}
	return "./" + s
}

// markdown is a target for a Markdown link in file that may lead to another file.
func (g *generator) markdown(file, to string) string {
	forms := []string{between(file, to), between(file, to), "/" + to}
	if !g.plain {
		forms = append(forms, dotted(between(file, to)), path.Base(to), to, "a/../"+to, strings.ToLower(between(file, to)), "nowhere/"+to)
	}
	return g.extension(g.pick(forms))
}

func (g *generator) extension(target string) string {
	if g.IntN(3) > 0 {
		return strings.TrimSuffix(target, ".md")
	}
	return target
}

// moves gives some files other paths: free ones, or those of each other.
func (g *generator) moves(f folder) map[workspace.Path]workspace.Path {
	list := f.paths()
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:1+g.IntN(3)]
	moves := map[workspace.Path]workspace.Path{}
	taken := map[workspace.Path]bool{}
	for p := range f {
		taken[p] = true
	}
	for i, p := range list {
		name := g.pick(g.names)
		if g.plain {
			name = fmt.Sprintf("Other (%d) name", i)
		}
		to := workspace.MustPath(path.Join(g.pick(g.folders), g.pick([]string{p.Base(), name + path.Ext(p.Base())})))
		if !taken[to] {
			moves[p], taken[to] = to, true
		}
	}
	if len(list) > 1 && g.IntN(6) == 0 && (!g.plain || path.Ext(list[0].Base()) == path.Ext(list[1].Base())) {
		return map[workspace.Path]workspace.Path{list[0]: list[1], list[1]: list[0]}
	}
	return moves
}

func describe(f folder, moves map[workspace.Path]workspace.Path, changed []relinked) string {
	var b strings.Builder
	for _, p := range f.paths() {
		fmt.Fprintf(&b, "%s: %q\n", p, f[p])
	}
	for p, q := range moves {
		fmt.Fprintf(&b, "move %s -> %s\n", p, q)
	}
	for _, c := range changed {
		fmt.Fprintf(&b, "%s becomes %q\n", c.Path, c.After)
	}
	return b.String()
}

// differences counts the links that differ, and fails if any byte does that is
// not of a target.
func differences(t *testing.T, c relinked) int {
	t.Helper()
	before, after := outline.Links(text.New(c.Before)), outline.Links(text.New(c.After))
	if len(before) != len(after) {
		t.Fatalf("%s: %d links became %d\n%s\n%s", c.Path, len(before), len(after), c.Before, c.After)
	}
	n, at, to := 0, 0, 0
	for i, b := range before {
		a := after[i]
		if !bytes.Equal(c.Before[at:b.Start], c.After[to:a.Start]) {
			t.Fatalf("%s: %q became %q", c.Path, c.Before[at:b.Start], c.After[to:a.Start])
		}
		if a.Kind != b.Kind || a.Anchor != b.Anchor || a.Embed != b.Embed {
			t.Fatalf("%s: %+v became %+v", c.Path, b, a)
		}
		if !bytes.Equal(c.Before[b.Start:b.End], c.After[a.Start:a.End]) {
			n++
		}
		at, to = b.End, a.End
	}
	if !bytes.Equal(c.Before[at:], c.After[to:]) {
		t.Fatalf("%s: the end %q became %q", c.Path, c.Before[at:], c.After[to:])
	}
	return n
}

// TestRelinkNotebook moves each file of the sample notebook, and its folders, and
// holds the same laws.
func TestRelinkNotebook(t *testing.T) {
	f := folder{}
	notebook := os.DirFS("../../examples/notebook")
	err := fs.WalkDir(notebook, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f[workspace.MustPath(name)], err = fs.ReadFile(notebook, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for i, p := range f.paths() {
		elsewhere := workspace.MustPath(fmt.Sprintf("archive/old %d/%s", i, p.Base()))
		renamed := workspace.MustPath(fmt.Sprintf("%s/Renamed (%d)%s", p.Parent(), i, path.Ext(p.Base())))
		for _, to := range []workspace.Path{elsewhere, renamed} {
			links += moveInNotebook(t, f, map[workspace.Path]workspace.Path{p: to})
		}
		if folder := p.Parent(); !folder.IsRoot() {
			moves := map[workspace.Path]workspace.Path{}
			for _, q := range f.paths() {
				if q.Within(folder) {
					moves[q] = q.Rebase(folder, workspace.MustPath("archive/deep/"+folder.Base()))
				}
			}
			links += moveInNotebook(t, f, moves)
		}
	}
	if links < 100 {
		t.Errorf("only %d links followed", links)
	}
}

func moveInNotebook(t *testing.T, f folder, moves map[workspace.Path]workspace.Path) int {
	t.Helper()
	changed, err := relink(t.Context(), f.paths(), f.read, moves)
	if err != nil {
		t.Fatal(err)
	}
	checkMove(t, f, moves, changed)
	if t.Failed() {
		t.Fatal(moves)
	}
	n := 0
	for _, c := range changed {
		n += c.Links
	}
	return n
}
