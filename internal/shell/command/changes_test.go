package command_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/internal/shell/tree"
)

// TestChanges: commands that change the folder do to it what they say, links and
// removals included.
func TestChanges(t *testing.T) {
	files := map[string]string{
		"a.md": "a\n", "b.md": "b\n", "dir/c.md": "c\n", "dir/sub/d.md": "d\n", "void/.keep": "",
		"link": "-> a.md", "linkdir": "-> dir", "dangling": "-> nowhere", "out": "-> /etc", "dir/up": "-> ..",
	}
	for _, c := range []struct{ line, said, did string }{
		{"rm a.md", "", "a.md gone"},
		{"rm nope", "rm: cannot remove 'nope': No such file or directory\n= 1", ""},
		{"rm -f nope", "", ""},
		{"rm dir", "rm: cannot remove 'dir': Is a directory\n= 1", ""},
		{"rm -rv dir/sub", "removed 'dir/sub/d.md'\nremoved directory 'dir/sub'", "dir/sub gone, dir/sub/d.md gone"},
		{"rm -r .", "rm: refusing to remove '.' or '..' directory: skipping '.'\n= 1", ""},
		{"rm -rf ..", "rm: refusing to remove '.' or '..' directory: skipping '..'\n= 1", ""},
		{"rm -rf /", "rm: it is dangerous to operate recursively on '/'\nrm: use --no-preserve-root to override this failsafe\n= 1", ""},
		{"rm -rf /etc", "", ""},
		{"rm -rf /vault", "rm: cannot remove '/vault': Permission denied\n= 1", "a.md gone, b.md gone, dangling gone, dir gone, dir/c.md gone, dir/sub gone, dir/sub/d.md gone, dir/up gone, link gone, linkdir gone, out gone, void gone, void/.keep gone"},
		{"rm link linkdir dangling", "", "dangling gone, link gone, linkdir gone"},
		{"rm -r out", "", "out gone"},
		{"rm -rf out/", "", ""},
		{"rm -i a.md", "rm: remove regular file 'a.md'? ", ""},
		{"rm void", "rm: cannot remove 'void': Is a directory\n= 1", ""},
		{"rm -d dir", "rm: cannot remove 'dir': Directory not empty\n= 1", ""},
		{"rm a.md nope b.md", "rm: cannot remove 'nope': No such file or directory\n= 1", "a.md gone, b.md gone"},
		{"rmdir dir", "rmdir: failed to remove 'dir': Directory not empty\n= 1", ""},
		{"rmdir linkdir", "rmdir: failed to remove 'linkdir': Not a directory\n= 1", ""},
		{"cp link copy", "", "copy=a\n"},
		{"cp -P link copy", "", "copy->a.md"},
		{"cp -a linkdir copy", "", "copy->dir"},
		{"cp -r dir copy", "", "copy dir, copy/c.md=c\n, copy/sub dir, copy/sub/d.md=d\n, copy/up->.."},
		{"cp -rL dir/sub copy", "", "copy dir, copy/d.md=d\n"},
		{"cp -rL dir void", "cp: cannot copy a directory, 'dir/up', into itself, 'void/dir/up'\n= 1", "void/dir dir, void/dir/c.md=c\n, void/dir/sub dir, void/dir/sub/d.md=d\n"},
		{"cp b.md link", "", "a.md=b\n"},
		{"cp b.md dangling", "cp: not writing through dangling symlink 'dangling'\n= 1", ""},
		{"cp out/passwd copy", "cp: cannot stat 'out/passwd': No such file or directory\n= 1", ""},
		{"cp a.md out/x", "cp: cannot create regular file 'out/x': No such file or directory\n= 1", ""},
		{"cp -r out copy", "", "copy->/etc"},
		{"cp a.md linkdir", "", "dir/a.md=a\n"},
		{"mv link copy", "", "link->copy"},
		{"mv a.md link", "", "a.md gone, link=a\n"},
		{"mv link a.md", "mv: 'link' and 'a.md' are the same file\n= 1", ""},
		{"mv linkdir dir", "", "linkdir->dir/linkdir"},
		{"mv dir linkdir", "mv: cannot move 'dir' to a subdirectory of itself, 'linkdir/dir'\n= 1", ""},
		{"mv a.md out", "", "a.md gone, out=a\n"},
		{"mkdir linkdir/new", "", "dir/new dir"},
		{"mkdir -p out/x", "mkdir: cannot create directory*", ""},
		{"touch dangling", "", "nowhere="},
		{"touch ../x /etc/x", "touch: cannot touch '../x': No such file or directory\ntouch: cannot touch '/etc/x': No such file or directory\n= 1", ""},
	} {
		var did string
		r := invocation{base: folder(files), args: strings.Fields(c.line), allow: []string{"rm", "rmdir"},
			after: func(tr *tree.Tree) { did = effects(t, tr) }}.run(t)
		said := r.stdout + r.stderr
		if r.status != 0 {
			said = strings.TrimSuffix(said, "\n") + fmt.Sprintf("\n= %d", r.status)
		}
		if !fits(strings.TrimSuffix(said, "\n"), c.said) || !fits(did, c.did) {
			t.Errorf("$ %s\nsays %q\n     and should say %q\ndoes %q\n     and should do %q", c.line, said, c.said, did, c.did)
		}
	}
}

// fits compares with a text whose end may be left open by a star.
func fits(got, want string) bool {
	head, _, open := strings.Cut(want, "*")
	return got == want || open && strings.HasPrefix(got, head)
}

// effects are what happened to a tree, in a line.
func effects(t *testing.T, tr *tree.Tree) string {
	t.Helper()
	all, err := tr.Effects()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range all {
		switch {
		case e.From != "":
			list = append(list, e.From+"->"+e.Name)
		case e.After == tree.None:
			list = append(list, e.Name+" gone")
		case e.After == tree.Dir:
			list = append(list, e.Name+" dir")
		case e.After == tree.Link:
			list = append(list, e.Name+"->"+string(e.Data))
		default:
			list = append(list, e.Name+"="+string(e.Data))
		}
	}
	return strings.Join(list, ", ")
}
