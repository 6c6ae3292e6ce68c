package staged_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/shell/staged"
	"redline/internal/shell/tree"
)

// vault is a folder on the disk with a shell over it. What a command does is brought
// to the disk, as the ledger would.
type vault struct {
	t    testing.TB
	dir  string
	base tree.Base
}

func newVault(t testing.TB, files map[string]string) *vault {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	v := &vault{t: t, dir: dir}
	for name, content := range files {
		v.put(name, content)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	v.base = root.FS().(tree.Base)
	return v
}

func (v *vault) put(name, content string) {
	v.t.Helper()
	file := filepath.Join(v.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		v.t.Fatal(err)
	}
}

func (v *vault) tree() *tree.Tree {
	return tree.New(v.base, filepath.ToSlash(v.dir), tree.Options{Limit: 64 << 20, Most: 50_000})
}

// run runs a line and returns its result and what it did: content by name, "<gone>" and
// "<dir>".
func (v *vault) run(line string) (staged.Result, map[string]string) {
	v.t.Helper()
	t := v.tree()
	r := staged.Run(context.Background(), staged.Command{Line: line, Tree: t})
	did := map[string]string{}
	if r.Cut != "" {
		return r, did
	}
	effects, err := t.Effects()
	if err != nil {
		v.t.Fatal(err)
	}
	for _, e := range effects {
		content := string(e.Data)
		if e.From != "" {
			did[e.From] = "<gone>"
			if !e.Written {
				data, err := t.ReadFile(v.dir + "/" + e.Name)
				if err != nil {
					v.t.Fatal(err)
				}
				content = string(data)
			}
		}
		switch e.After {
		case tree.None:
			content = "<gone>"
		case tree.Dir:
			content = "<dir>"
		}
		did[e.Name] = content
	}
	return r, did
}

func TestGrammar(t *testing.T) {
	files := map[string]string{"a.md": "alpha\nbeta\n", "b.md": "gamma\n", "dir/c d.md": "delta\n"}
	for _, c := range []struct {
		line, stdout string
		status       int
		did          map[string]string
	}{
		{line: `cat a.md`, stdout: "alpha\nbeta\n"},
		{line: `cat a.md | cat -n`, stdout: "     1\talpha\n     2\tbeta\n"},
		{line: `for f in *.md; do echo "$f"; done`, stdout: "a.md\nb.md\n"},
		{line: `echo one > new.md; cat new.md; echo two >> new.md`, stdout: "one\n", did: map[string]string{"new.md": "one\ntwo\n"}},
		{line: `cat < b.md >b2.md && echo ok || echo no`, stdout: "ok\n", did: map[string]string{"b2.md": "gamma\n"}},
		{line: `x=$(cat b.md); echo "${x^^} $((6*7))"`, stdout: "GAMMA 42\n"},
		{line: "cat <<EOF > h.md\nline $((1+1))\nEOF", did: map[string]string{"h.md": "line 2\n"}},
		{line: `f(){ echo "f $1"; return 3; }; f x; echo $?`, stdout: "f x\n3\n"},
		{line: `cat <(cat b.md) <(echo more)`, stdout: "gamma\nmore\n"},
		{line: `while read -r l; do echo "[$l]"; done < <(cat a.md)`, stdout: "[alpha]\n[beta]\n"},
		{line: `cd dir && cat *.md && pwd | cat`, stdout: "delta\n" + "$VAULT/dir\n"},
		{line: `(cd dir; echo x > e.md); cat dir/e.md`, stdout: "x\n", did: map[string]string{"dir/e.md": "x\n"}},
		{line: `if [ -f a.md ] && [[ ! -e zz ]]; then echo yes; fi`, stdout: "yes\n"},
		{line: `echo x > /dev/null; echo y >/dev/stderr`, stdout: ""},
		{line: `echo 'cat b.md' > s.sh; . ./s.sh`, stdout: "gamma\n", did: map[string]string{"s.sh": "cat b.md\n"}},
		{line: `eval 'echo $((1+2))'`, stdout: "3\n"},
		{line: `read -p 'password: ' x; echo got:$x`, stdout: "got:\n"},
		{line: `cat`, stdout: ""},
		{line: `command -v cat; command -v rm`, stdout: "cat\n", status: 1},
		{line: `exit 7`, status: 7},
		{line: `rm a.md`, status: 127},
		{line: `./a.md`, status: 127},
		{line: `echo a; echo b &`, status: 2},
		{line: `echo a; coproc cat`, status: 2},
		{line: `ls &&& cat a.md`, status: 2},
		{line: `exec cat a.md`, status: 1},
		{line: `trap 'cat a.md' EXIT`, status: 1},
		{line: `test -O a.md`, status: 1},
		{line: `cat ../x`, status: 1},
		{line: `echo x > ../x`, status: 1},
		{line: `echo x > dir`, status: 1},
		{line: `set -C; echo x > a.md`, status: 137},
		{line: `for ((i=0; i<5; i++)); do [ $i = 3 ] && continue; [ $i = 2 ]; done; echo $i`, stdout: "5\n"},
		{line: `echo {1..3}{a,b}`, stdout: "1a 1b 2a 2b 3a 3b\n"},
	} {
		v := newVault(t, files)
		r, did := v.run(c.line)
		if got := strings.ReplaceAll(r.Stdout, v.dir, "$VAULT"); got != c.stdout || r.ExitCode != c.status {
			t.Errorf("%s\nstdout %q, want %q\nstatus %d, want %d\nstderr %s", c.line, got, c.stdout, r.ExitCode, c.status, r.Stderr)
		}
		if !maps.Equal(did, c.did) {
			t.Errorf("%s: did %q, want %q", c.line, did, c.did)
		}
	}
}
