package redline_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// room is one package of the house: what it may import of the others. Floors
// are drawn in docs/architecture.md.
type room struct {
	floor   int
	imports []string // other rooms; "llm/*" stands for all below llm
	never   []string // standard packages it has no business with
}

// house is the import table. A package that is not in it fails the test.
var house = map[string]room{
	// 0: leaves
	"llm":                {0, nil, nil},
	"internal/text":      {0, nil, []string{"os", "net"}},
	"internal/diff":      {0, []string{"internal/text"}, []string{"os", "net", "io/fs"}},
	"internal/flock":     {0, nil, []string{"net"}},
	"internal/workspace": {0, []string{"internal/text", "internal/flock"}, []string{"net", "os/exec", "database/sql"}},
	"internal/wire":      {0, nil, nil},
	"internal/config":    {0, nil, nil},

	// 1: parts
	"tool":             {1, []string{"llm"}, []string{"os", "net"}},
	"llm/openai":       {1, []string{"llm"}, nil},
	"llm/anthropic":    {1, []string{"llm"}, nil},
	"llm/google":       {1, []string{"llm"}, nil},
	"llm/offline":      {1, []string{"llm"}, []string{"net", "net/http"}},
	"llm/scripted":     {1, []string{"llm"}, []string{"net", "net/http"}},
	"llm/llmtest":      {1, []string{"llm"}, nil},
	"llm/route":        {1, []string{"llm"}, []string{"net", "net/http"}},
	"llm/app":          {1, []string{"llm"}, nil},
	"internal/ledger":  {1, []string{"internal/text", "internal/diff", "internal/workspace"}, []string{"net", "os/exec"}},
	"internal/search":  {1, []string{"internal/text", "internal/workspace"}, []string{"os/exec"}},
	"internal/outline": {1, []string{"internal/text", "internal/workspace"}, []string{"os", "net"}},
	"internal/convert": {1, []string{"internal/text"}, []string{"net"}},

	// 2: engines
	"agent":                  {2, []string{"llm", "tool"}, []string{"os", "database/sql", "net", "net/http"}},
	"internal/ops":           {2, []string{"internal/text", "internal/diff", "internal/workspace", "internal/ledger", "internal/search", "internal/outline", "internal/convert", "internal/wire"}, []string{"net", "os/exec"}},
	"internal/tabs":          {2, []string{"internal/ops", "internal/ledger", "internal/text"}, []string{"os", "net"}},
	"internal/shell":         {2, []string{"internal/ledger", "internal/workspace", "internal/text", "internal/diff", "internal/search"}, nil},
	"internal/shell/regex":   {0, nil, []string{"os", "net", "os/exec"}},
	"internal/shell/tree":    {0, nil, []string{"net", "os/exec"}},
	"internal/shell/command": {1, []string{"internal/shell/tree", "internal/shell/regex", "internal/text", "internal/diff"}, []string{"os", "net", "os/exec"}},
	"internal/shell/staged":  {2, []string{"internal/shell", "internal/shell/tree", "internal/shell/command", "internal/text"}, []string{"net", "os/exec"}},

	// 3: tools
	"internal/toolset":           {3, []string{"tool", "internal/ops"}, []string{"os", "net"}},
	"internal/toolset/documents": toolset, "internal/toolset/project": toolset, "internal/toolset/tabs": toolset,
	"internal/toolset/vault": toolset, "internal/toolset/coding": toolset,
	"internal/toolset/toolsettest": {5, []string{"tool", "llm", "internal/ops", "internal/ledger", "internal/text", "internal/workspace", "internal/session", "internal/store/sqlite"}, nil},
	"internal/longdoc":             {3, []string{"agent", "llm", "tool", "internal/ops"}, []string{"os", "net"}},

	// 4: joining
	"internal/session": {4, []string{"agent", "llm", "tool", "internal/ledger", "internal/wire"}, []string{"net/http", "database/sql"}},

	// 5: edges
	"internal/client":         {5, []string{"internal/wire"}, nil},
	"internal/store/sqlite":   {5, []string{"internal/session", "internal/ledger", "internal/text", "internal/wire", "llm"}, nil},
	"internal/store/jsonl":    {5, []string{"internal/session", "internal/ledger", "internal/text", "internal/flock", "agent", "llm"}, nil},
	"internal/store/postgres": {5, []string{"internal/session", "internal/ledger", "internal/text", "llm"}, nil},

	// 6: front ends
	"internal/tui":     {6, []string{"internal/client", "internal/wire"}, nil},
	"internal/console": {6, []string{"internal/client", "internal/wire"}, nil},
	"internal/server":  {6, []string{"internal/flock", "internal/session", "internal/ledger", "internal/ops", "internal/tabs", "internal/diff", "internal/wire"}, nil},
	"internal/mcp":     {6, []string{"tool", "internal/session"}, nil},
	"internal/acp":     {6, []string{"tool", "internal/session"}, nil},
	"internal/eval":    {6, []string{"internal/session", "internal/ledger", "llm"}, nil},

	// 7 and 8: composition and wiring
	".":           {7, []string{"*"}, nil},
	"cmd/redline": {8, []string{"*"}, nil},

	// Beside the house: programs for those who work on it.
	"bench":                   {8, []string{"*"}, nil},
	"examples/novel/generate": {0, nil, nil},
}

var toolset = room{3, []string{"tool", "internal/toolset", "internal/ops", "internal/tabs", "internal/shell", "internal/shell/staged", "internal/longdoc"}, []string{"os", "net", "os/exec"}}

// faces are what the root package, which is a library, must not draw in.
var faces = []string{"internal/tui", "internal/console", "internal/client", "cmd/redline"}

// ownState lists who may call the writing functions of os, and why. Everybody
// else changes the user's folder through internal/ledger, and only that calls
// internal/workspace to write.
var ownState = map[string]string{
	"internal/workspace":           "it is the door to the user's folder",
	"internal/store/sqlite":        "Redline's own state: the database file",
	"internal/store/jsonl":         "Redline's own state: session files",
	"internal/server":              "Redline's own state: the socket of a server, and who has it",
	"internal/console":             "the file that the user's editor opens, in the system's folder for temporary files",
	"bench":                        "makes its corpora in its own folder",
	"llm/llmtest":                  "the golden requests of a test, with -update",
	"internal/toolset/toolsettest": "folders of tests, and their golden files with -update",
	"examples/novel/generate":      "writes the sample novel that is committed here",
}

// osWriters are the functions of os that change a file system.
var osWriters = []string{
	"Chmod", "Chown", "Chtimes", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "OpenRoot",
	"Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile", "CopyFS",
}

type listedPackage struct {
	ImportPath, Dir, Doc             string
	GoFiles, Imports, IgnoredGoFiles []string
}

func packages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports,IgnoredGoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listedPackage
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// local is the package's name in the table.
func local(importPath string) (string, bool) {
	if importPath == "redline" {
		return ".", true
	}
	return strings.CutPrefix(importPath, "redline/")
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := local(p.ImportPath)
		r, ok := house[name]
		if !ok {
			t.Errorf("%s is not in the import table", name)
			continue
		}
		for _, imp := range p.Imports {
			other, ours := local(imp)
			switch {
			case ours && name == "." && slices.Contains(faces, other):
				t.Errorf("the library must not import %s", other)
			case ours && !mayImport(r, other):
				t.Errorf("%s must not import %s", name, other)
			case !ours && slices.Contains(r.never, imp):
				t.Errorf("%s must not import %s", name, imp)
			}
		}
	}
}

func mayImport(r room, other string) bool {
	return slices.ContainsFunc(r.imports, func(pattern string) bool {
		if pattern == "*" {
			return true
		}
		ok, _ := path.Match(pattern, other)
		return ok
	})
}

// TestTable: a room imports only from its own floor or from below.
func TestTable(t *testing.T) {
	for name, r := range house {
		for _, imp := range r.imports {
			if imp == "*" {
				continue
			}
			other, ok := house[imp]
			if !ok {
				t.Errorf("%s may import %s, which is not in the table", name, imp)
			} else if other.floor > r.floor {
				t.Errorf("%s, floor %d, may import %s, floor %d", name, r.floor, imp, other.floor)
			}
		}
	}
}

// TestSentences: every package opens with one sentence of its own.
func TestSentences(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := local(p.ImportPath)
		if len(p.GoFiles) == 0 {
			continue // tests only
		}
		first, _, _ := strings.Cut(p.Doc, "\n")
		if !strings.HasPrefix(first, "Package ") && !strings.HasPrefix(first, "Command ") || !strings.HasSuffix(strings.TrimSpace(first), ".") {
			t.Errorf("%s: the package comment does not open with one sentence: %q", name, first)
		}
	}
}

// TestWritersOfOS: only the named packages change a file system.
func TestWritersOfOS(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := local(p.ImportPath)
		if _, ok := ownState[name]; ok {
			continue
		}
		for _, file := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, call := range osWrites(t, filepath.Join(p.Dir, file)) {
				t.Errorf("%s: %s calls os.%s; write through internal/ledger, or give the reason in ownState", name, file, call)
			}
		}
	}
	for name := range ownState {
		if _, ok := house[name]; !ok {
			t.Errorf("ownState names %s, which is not in the table", name)
		}
	}
}

func osWrites(t *testing.T, file string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(osWriters, sel.Sel.Name) {
			found = append(found, sel.Sel.Name)
		}
		return true
	})
	return found
}

// TestDependenciesHaveReasons: every required module says in go.mod what it is
// for.
func TestDependenciesHaveReasons(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	above := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		module, comment, _ := strings.Cut(line, "//")
		isModule := strings.Contains(module, ".") && strings.Contains(module, " v")
		if isModule && comment == "" && !strings.HasPrefix(above, "//") { // "// indirect" is reason enough
			t.Errorf("go.mod: no reason for %s", strings.TrimSpace(module))
		}
		above = line
	}
}
