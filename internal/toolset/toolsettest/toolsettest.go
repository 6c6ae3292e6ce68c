package toolsettest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
	"redline/tool"
)

// Update makes tests write their golden files anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Kit is a toolset as it is played.
type Kit struct {
	Policy *workspace.Policy // nil: workspace.ForDocuments
	Review ledger.Review     // of cases that do not say; "": optimistic
	// Tools makes the tools of one case, over b.Desk.
	Tools func(b *Bench) ([]tool.Tool, error)
	// Mask, if set, replaces what is never the same twice, such as a duration,
	// in a result.
	Mask func(string) string
}

// Run plays the cases in the files that the pattern names.
func Run(t *testing.T, pattern string, kit Kit) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, file, kit)
		})
	}
}

// Golden compares got with a file, or writes the file with -update.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got, renew with -update):\n%s", file, d)
	}
}

// Bench is the folder of one case with its ledger and the turn that runs.
type Bench struct {
	Dir    string // the folder
	Folder *workspace.Folder
	Ledger *ledger.Ledger
	User   *User  // nil if nobody is there who answers
	Open   string // the document that the user has open

	t       testing.TB
	kit     Kit
	review  ledger.Review
	told    ops.Told
	turn    *ledger.Turn
	desk    *ops.Desk
	records []*ledger.TurnRecord // of the turns that have ended
}

// NewBench makes a folder of files, by path, and begins a turn in it.
func NewBench(t testing.TB, kit Kit, files map[string]string) *Bench {
	t.Helper()
	var list []file
	for name, content := range files {
		list = append(list, file{name: name, data: []byte(content)})
	}
	return newBench(t, kit, list)
}

func newBench(t testing.TB, kit Kit, files []file) *Bench {
	t.Helper()
	ctx := context.Background()
	base := t.TempDir()
	b := &Bench{t: t, kit: kit, review: kit.Review, Dir: filepath.Join(base, "folder")}
	if b.review == "" {
		b.review = ledger.Optimistic
	}
	b.must(os.Mkdir(b.Dir, 0o755))
	for _, f := range files {
		b.must(f.write(b.Dir))
	}
	var err error
	b.Folder, err = workspace.Open(b.Dir)
	b.must(err)
	b.Dir = b.Folder.Name()
	store, err := sqlite.Open(ctx, filepath.Join(base, "state", "redline.db"))
	b.must(err)
	b.Ledger, _, err = ledger.Open(ctx, b.Folder, store, ledger.Options{})
	b.must(err)
	t.Cleanup(func() {
		b.Ledger.Close()
		store.Close()
		b.Folder.Close()
	})
	return b
}

func (b *Bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

const session = "session_1"

// Desk is the desk of the turn that runs; the first call begins one.
func (b *Bench) Desk(ctx context.Context) *ops.Desk {
	b.t.Helper()
	if b.desk == nil {
		var err error
		b.turn, err = b.Ledger.Begin(ctx, ledger.TurnRequest{Session: session, Message: "a case", Review: b.review})
		b.must(err)
		b.desk = ops.New(b.Folder, b.turn, ops.Options{Policy: b.kit.Policy, Told: &b.told})
	}
	return b.desk
}

// EndTurn ends the turn and returns its record. The next call of a tool begins
// another.
func (b *Bench) EndTurn() *ledger.TurnRecord {
	b.t.Helper()
	b.Desk(context.Background())
	r, err := b.turn.End(context.Background())
	b.must(err)
	b.turn, b.desk = nil, nil
	b.records = append(b.records, r)
	return r
}

// Set makes the tools of the kit.
func (b *Bench) Set() tool.Set {
	b.t.Helper()
	tools, err := b.kit.Tools(b)
	b.must(err)
	set, err := tool.NewSet(tools...)
	b.must(err)
	return set
}
