package toolsettest

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/ledger"
)

//go:embed story/*.txtar
var stories embed.FS

// Reviews are all there are.
var Reviews = []ledger.Review{ledger.Optimistic, ledger.Hunks, ledger.WholeTurn, ledger.Auto}

// Story tells the story of story/story.txtar through a toolset, once for each
// review (none named: for all). story/<name>.txtar translates it: a section for
// each step with the calls that do it. A toolset that has no tool for a step
// leaves the section out.
//
// story.txtar has the folder at the start as before/, and for each step what it
// changes in the folder: STEP/path with the new content, or "STEP/path (gone)";
// and as "STEP output" the lines that the model has to be shown.
//
// Where the review writes at once the folder is compared after each step, where
// it does not, the folder must not change before the end. Then everything is
// accepted and compared, and then taken back.
func Story(t *testing.T, name string, kit Kit, reviews ...ledger.Review) {
	t.Helper()
	if len(reviews) == 0 {
		reviews = Reviews
	}
	for _, review := range reviews {
		t.Run(string(review), func(t *testing.T) {
			t.Parallel()
			kit := kit // of this review alone
			kit.Review = review
			tell(t, kit, archive(t, "story"), archive(t, name))
		})
	}
}

func archive(t testing.TB, name string) *txtar.Archive {
	t.Helper()
	data, err := stories.ReadFile("story/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(data)
}

// steps of the story, in order.
var steps = []string{"create", "read", "edit", "search", "move", "delete"}

func tell(t *testing.T, kit Kit, story, translation *txtar.Archive) {
	t.Helper()
	calls := map[string][]string{}
	for _, f := range translation.Files {
		calls[f.Name] = lines(f.Data)
	}
	want := map[string]string{}
	apply(t, want, story, "before")
	p := newPlayer(t, kit, filesOf(t, story, "before"), nil)
	start := folderOf(t, p.bench.Dir)
	for _, step := range steps {
		if len(calls[step]) == 0 {
			continue
		}
		apply(t, want, story, step)
		p.step(step, calls[step], wordsOf(story, step))
		if t.Failed() {
			t.Fatalf("the story ends at step %q:\n%s", step, p.results.String())
		}
		if p.bench.onDisk() {
			same(t, "after "+step, want, folderOf(t, p.bench.Dir))
		} else {
			same(t, "before the review, after "+step, start, folderOf(t, p.bench.Dir))
		}
	}
	record := p.bench.EndTurn()
	p.bench.accept(record)
	same(t, "at the end", want, folderOf(t, p.bench.Dir))
	report, err := p.bench.Ledger.Undo(context.Background(), ledger.UndoRequest{Turn: record.ID})
	if err != nil || !report.Clean() {
		t.Errorf("undo: %v %+v", err, report.Files)
	}
	same(t, "after the undo", start, folderOf(t, p.bench.Dir))
}

// step makes the calls of a step, which all have to succeed, and looks for the
// lines that the model has to be shown.
func (p *player) step(name string, calls, shown []string) {
	p.t.Helper()
	output := ""
	for _, line := range calls {
		r := p.line(line)
		if r.IsError {
			p.t.Errorf("%s: %s failed", name, line)
			return
		}
		output += r.Output + "\n"
	}
	for _, line := range shown {
		if !strings.Contains(output, line) {
			p.t.Errorf("%s: the model is not shown %q but\n%s", name, line, output)
		}
	}
}

// accept takes over everything that a turn did.
func (b *Bench) accept(r *ledger.TurnRecord) {
	b.t.Helper()
	ctx := context.Background()
	switch b.review {
	case ledger.Hunks:
		b.must(b.Ledger.DecideAll(ctx, session, ledger.Path{}, true))
		_, err := b.Ledger.Apply(ctx, session)
		b.must(err)
	case ledger.WholeTurn, ledger.Optimistic:
		b.must(b.Ledger.Accept(ctx, r.ID))
	}
}

const gone = " (gone)"

// apply brings a folder to where a step of the story leaves it.
func apply(t testing.TB, folder map[string]string, story *txtar.Archive, step string) {
	t.Helper()
	for _, f := range story.Files {
		name, ok := strings.CutPrefix(f.Name, step+"/")
		if !ok {
			continue
		}
		if n, ok := strings.CutSuffix(name, gone); ok {
			if _, ok := folder[n]; !ok {
				t.Fatalf("story: %s cannot go in step %s: it is not there", n, step)
			}
			delete(folder, n)
			continue
		}
		folder[name] = string(f.Data)
	}
}

func filesOf(t testing.TB, story *txtar.Archive, step string) []file {
	t.Helper()
	var list []file
	for _, f := range story.Files {
		if name, ok := strings.CutPrefix(f.Name, step+"/"); ok {
			parsed, err := parseFile(name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, parsed)
		}
	}
	return list
}

func wordsOf(story *txtar.Archive, step string) []string {
	for _, f := range story.Files {
		if f.Name == step+" output" {
			return lines(f.Data)
		}
	}
	return nil
}

// folderOf is what is in the files of a folder; empty folders do not count.
func folderOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, f := range tree(t, dir) {
		switch {
		case strings.HasSuffix(f.name, "/"):
		case f.target != "":
			m[f.name] = fmt.Sprintf("link to %s", f.target)
		default:
			m[f.name] = string(f.data)
		}
	}
	return m
}

func same(t testing.TB, when string, want, got map[string]string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s the folder is another one (-want +got):\n%s", when, d)
	}
}
