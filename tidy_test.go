package redline

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/llm"
)

// TestTidy: what is beyond the retention is forgotten once a day, also if nobody
// has accepted it.
func TestTidy(t *testing.T) {
	ctx := context.Background()
	f, err := Open(ctx, t.TempDir(), Options{State: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 5 {
		turn, err := f.Begin(ctx, TurnOptions{Session: "s", Review: "optimistic"})
		if err != nil {
			t.Fatal(err)
		}
		r := turn.Run(ctx, llm.ToolCall{ID: "c", Name: "create_document", Arguments: fmt.Appendf(nil, `{"name": "n%d"}`, i)})
		if r.IsError || turn.End(ctx, false) != nil {
			t.Fatal(r.Output)
		}
	}
	left := func() int {
		records, err := f.ledger.Records(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		return len(records)
	}
	keep := ledger.Retention{Turns: 2}
	f.ledger.Close() // everything synced
	f.tidy(ctx, keep)
	if n := left(); n != 5 {
		t.Errorf("a new folder was tidied: %d turns are left", n)
	}
	for r, err := range f.store.Load(ctx, ledger.Query{Kind: tidyRecords}) {
		if err != nil {
			t.Fatal(err)
		}
		r.Time = time.Now().Add(-2 * tidyEvery)
		if err := f.store.Save(ctx, ledger.Batch{Records: []ledger.Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
	more := 0
	also := func(context.Context) error { more++; return nil }
	f.tidy(ctx, keep, also)
	if n := left(); n != 2 || more != 1 {
		t.Errorf("%d turns are left, want 2; %d others were told, want 1", n, more)
	}
	f.tidy(ctx, ledger.Retention{Turns: 1}, also)
	if n := left(); n != 2 || more != 1 {
		t.Errorf("it was tidied twice in a day: %d turns are left, %d others were told", n, more)
	}
}
