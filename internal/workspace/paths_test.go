package workspace

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tree is the folder that most tests open. The folders beside it hold what must
// never be seen.
var tree = map[string]string{
	"folder/notes.md":                  "# Notes\n\nTODO: buy milk\n",
	"folder/empty.md":                  "",
	"folder/crlf.md":                   "one\r\ntwo\r\n",
	"folder/journal/2024-01-01.md":     "# 2024-01-01\nmood: good\n",
	"folder/journal/2024-01-02.md":     "# 2024-01-02\nmood: tired\n",
	"folder/projects/alpha/readme.md":  "# alpha\n",
	"folder/my notes/meeting notes.md": "agenda\n",
	"folder/unicode/héllo.md":          "grüß dich\n",
	"folder/.env":                      "API_KEY=SENSITIVE\n",
	"folder/config/credentials.json":   "{\"k\":\"SENSITIVE\"}\n",
	"folder/secret-plans.md":           "plan SENSITIVE\n",
	"folder/.git/config":               "[core] SENSITIVE\n",
	"outside/canary.txt":               "CANARY\n",
	"outside/wr/keep":                  "",
	"folder-evil/canary.txt":           "CANARY\n",
}

// newTree makes the tree and opens folder; out is the folder beside it.
func newTree(t testing.TB) (f *Folder, out string) {
	t.Helper()
	base := t.TempDir()
	for name, content := range tree {
		full := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(filepath.Join(base, "folder"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, filepath.Join(base, "outside")
}

// disk is the name of p for the tests' own use of os.
func disk(f *Folder, p string) string { return filepath.Join(f.Name(), filepath.FromSlash(p)) }

func TestPaths(t *testing.T) {
	f, out := newTree(t)
	policy := ForDocuments()
	file, err := os.Open("testdata/paths.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		verdict, rest, _ := strings.Cut(line, " ")
		quoted, err := strconv.QuotedPrefix(strings.TrimSpace(rest))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		name, _ := strconv.Unquote(quoted)
		want := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), quoted))
		if want == "" {
			want = name
		}
		name = strings.NewReplacer("$FOLDER", f.Name(), "$OUT", out).Replace(name)
		for _, access := range []Access{Reading, Writing} {
			got, err := f.Resolve(name, policy, access)
			switch {
			case verdict != "ok":
				if !errors.Is(err, Code(verdict)) {
					t.Errorf("%s: got %q, %v", line, got, err)
				}
			case err != nil:
				t.Errorf("%s: %v", line, err)
			case got.String() != want:
				t.Errorf("%s: leads to %q", line, got)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	f, _ := newTree(t)
	longest := strings.Repeat("n", 252) + ".md"
	p, err := f.Resolve(longest, ForDocuments(), Writing)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Create(p, []byte("x\n"), 0); err != nil {
		t.Errorf("a name of 255 bytes: %v", err)
	}
	if s, err := f.Read(p); err != nil || string(s.Data) != "x\n" {
		t.Errorf("read back: %v", err)
	}
	if _, err := f.Replace(p, []byte("y\n"), mustRead(t, f, longest).Hash); err != nil {
		t.Errorf("replace: %v", err)
	}
	for _, name := range []string{
		"n" + longest,
		strings.Repeat("ü", 128),
		strings.Repeat("d/", 2100) + "x.md",
	} {
		if _, err := f.Resolve(name, nil, Writing); !errors.Is(err, TooLong) {
			t.Errorf("a path of %d bytes: %v", len(name), err)
		}
	}
	noTemporaries(t, f)
}

// TestSameAnswerIfAbsent: a refusal does not tell whether the file exists.
func TestSameAnswerIfAbsent(t *testing.T) {
	f, _ := newTree(t)
	_, there := f.Resolve(".env", ForDocuments(), Reading)
	_, absent := f.Resolve(".env.absent", ForDocuments(), Reading)
	if strings.ReplaceAll(there.Error(), ".env:", "") != strings.ReplaceAll(absent.Error(), ".env.absent:", "") {
		t.Errorf("%v\n%v", there, absent)
	}
}

func TestRefusalNamesRuleAndKey(t *testing.T) {
	f, _ := newTree(t)
	_, err := f.Resolve("config/credentials.json", ForDocuments(), Reading)
	const want = `config/credentials.json: closed to tools (rule "*credentials*" of paths.sensitive)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestCodePolicy(t *testing.T) {
	f, _ := newTree(t)
	policy := ForCode()
	for _, tt := range []struct {
		name        string
		read, write string
	}{
		{"notes.md", "ok", "ok"},
		{".github/workflows/ci.yml", "ok", "ask"},
		{".gitignore", "ok", "ask"},
		{"sub/.hidden/x.md", "ok", "ask"},
		{".DS_Store", "ok", "ask"},
		{".env", "sensitive_path", "sensitive_path"},
		{".ssh/id", "sensitive_path", "sensitive_path"},
		{"a/secret.txt", "sensitive_path", "sensitive_path"},
		{".git/config", "internal_path", "internal_path"},
		{".redline/config.toml", "internal_path", "internal_path"},
	} {
		for access, want := range map[Access]string{Reading: tt.read, Writing: tt.write} {
			p, err := f.Resolve(tt.name, policy, access)
			got := string(CodeOf(err))
			switch {
			case err == nil:
				got = "ok"
			case Asks(err):
				got = "ask"
				if p.String() != tt.name {
					t.Errorf("%s: asked, and the path is %q", tt.name, p)
				}
			}
			if got != want {
				t.Errorf("%s, access %d: %s (%v), want %s", tt.name, access, got, err, want)
			}
		}
	}
}

func TestPolicyExceptions(t *testing.T) {
	policy, err := NewPolicy([]Rule{internalRule, sensitiveRule, hiddenRule}, []string{".obsidian/**", "docs/secret-santa.md", ".git/**"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Verdict{
		".obsidian/app.json":   Allow,
		".obsidian":            Allow,
		"docs/secret-santa.md": Allow,
		"secret-santa.md":      Deny,
		".hidden":              Deny,
		".git/config":          Deny, // never opened by an exception
	} {
		if got, _ := policy.Check(MustPath(name), Writing); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// An exception for a hidden folder opens no repository inside it.
	nested, err := NewPolicy([]Rule{internalRule, sensitiveRule, hiddenRule}, []string{".config/**"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := nested.Check(MustPath(".config/nvim/.git/hooks/pre-commit"), Writing); got != Deny || !errors.Is(err, Internal) {
		t.Errorf("a repository in an excepted folder: %v, %v", got, err)
	}
	for _, bad := range [][]Rule{{{Key: "k", Patterns: []string{"["}}}, {{Key: "k", Patterns: []string{"a/b"}}}} {
		if _, err := NewPolicy(bad, nil); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if _, err := NewPolicy(nil, []string{"["}); err == nil {
		t.Error("a bad exception is accepted")
	}
}

func TestDisplay(t *testing.T) {
	for in, want := range map[string]string{
		"plain.md":           "plain.md",
		"rtl\u202egnp.md":    `rtl\u202egnp.md`,
		"a\x1b[2Jb":          `a\u001b[2Jb`,
		"":                   `""`,
		"日本語 with spaces.md": "日本語 with spaces.md",
	} {
		if got := Display(in); got != want {
			t.Errorf("Display(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPathMethods(t *testing.T) {
	a, ab, b := MustPath("a"), MustPath("a/b"), MustPath("a.b")
	if !ab.Within(a) || !a.Within(a) || b.Within(a) || !a.Within(Path{}) || a.Within(ab) {
		t.Error("Within")
	}
	if ab.Parent() != a || a.Parent() != (Path{}) || !a.Parent().IsRoot() {
		t.Error("Parent")
	}
	if !(a.Compare(ab) < 0 && ab.Compare(b) < 0) { // by component, not by byte
		t.Error("Compare")
	}
	var paths []Path
	for _, s := range []string{"", "a", "a/b", "a/b/c", "a/bc", "a-b", "a.b", "a b", "ab", "ab/c", "a/-", "b", "\u00e9/a", "\u00e9"} {
		paths = append(paths, Path{s})
	}
	for _, p := range paths {
		for _, q := range paths {
			if got, want := p.Compare(q), slices.Compare(p.components(), q.components()); got != want {
				t.Errorf("%s and %s: %d, want %d", p, q, got, want)
			}
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a/b", "../x", "a/../../b", "/etc", "a\x00", "..\u202e", ".env", "....//x", "C:/x", "file:///x"} {
		f.Add(s)
	}
	folder, _ := newTree(f)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := folder.Path(s)
		if err != nil {
			return
		}
		if !p.IsRoot() && !filepath.IsLocal(p.String()) {
			t.Fatalf("%q became %q, which is not local", s, p)
		}
		again, err := ParsePath(p.String())
		if err != nil || again != p {
			t.Fatalf("%q became %q, which parses to %q, %v", s, p, again, err)
		}
		for _, name := range p.components() {
			if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
				t.Fatalf("%q has the component %q", s, name)
			}
		}
	})
}

func mustRead(t testing.TB, f *Folder, name string) *Snapshot {
	t.Helper()
	s, err := f.Read(MustPath(name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// noTemporaries fails if one of our temporary files is anywhere in the folder.
func noTemporaries(t testing.TB, f *Folder) {
	t.Helper()
	_ = filepath.WalkDir(f.Name(), func(p string, d os.DirEntry, err error) error {
		if err == nil && isTempName(d.Name()) {
			t.Errorf("left behind: %s", p)
		}
		return nil
	})
}

func TestPathAsText(t *testing.T) {
	for _, name := range []string{".", "a/b.md", "a\nb", "bad\xff/\xc3.md", "�.md"} {
		var given Path
		if err := given.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		var got Path
		if err := json.Unmarshal(data, &got); err != nil || got != given {
			t.Errorf("%q became %s, and then %q: %v", name, data, got, err)
		}
	}
	for _, text := range []string{`"\u0000zz"`, `"\u00002e2e"`, `"\u0000"`, `"a\u0000b"`} {
		var p Path
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s is taken for the path %q", text, p)
		}
	}
}
