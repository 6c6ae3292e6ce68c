package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
)

// slowLog is a store whose audit log waits to be let on.
type slowLog struct {
	*sqlite.Store
	on     chan struct{}
	broken error
}

func (s *slowLog) Append(ctx context.Context, kind string, next func(ledger.Record) (ledger.Record, error)) error {
	<-s.on
	if s.broken != nil {
		return s.broken
	}
	return s.Store.Append(ctx, kind, next)
}

// onSlowLog opens the ledger of a desk again, on a slow log.
func (d *desk) onSlowLog(broken error) *slowLog {
	d.t.Helper()
	log := &slowLog{d.store, make(chan struct{}), broken}
	must(d.t, d.Ledger.Close())
	var err error
	d.Ledger, _, err = ledger.Open(ctx, d.folder, log, ledger.Options{})
	must(d.t, err)
	return log
}

func (d *desk) audited() []string {
	d.t.Helper()
	var lines []string
	for r, err := range d.store.Load(ctx, ledger.Query{Kind: "audit"}) { // not through the ledger, which waits
		must(d.t, err)
		action := strings.SplitAfterN(string(r.Body), `"action":"`, 2)[1]
		lines = append(lines, action[:strings.IndexByte(action, '"')])
	}
	return lines
}

// TestAuditLater: whoever needs the log, or ends what it tells of, waits for an entry
// that is being written.
func TestAuditLater(t *testing.T) {
	read := ledger.AuditEntry{Action: "read", Result: ledger.AuditSuccess}
	for name, next := range map[string]func(*desk, *ledger.Turn) error{
		"Audit": func(d *desk, _ *ledger.Turn) error {
			return d.Audit(ctx, ledger.AuditEntry{Action: "write", Result: ledger.AuditSuccess})
		},
		"AuditLater": func(d *desk, _ *ledger.Turn) error {
			d.AuditLater(ctx, ledger.AuditEntry{Action: "write", Result: ledger.AuditSuccess})
			return d.Audited("")
		},
		"Audited":     func(d *desk, turn *ledger.Turn) error { return d.Audited(turn.ID()) },
		"VerifyAudit": func(d *desk, _ *ledger.Turn) error { return d.VerifyAudit(ctx) },
		"End":         func(_ *desk, turn *ledger.Turn) error { _, err := turn.End(ctx); return err },
		"Discard":     func(_ *desk, turn *ledger.Turn) error { _, err := turn.Discard(ctx); return err },
		"Close":       func(d *desk, _ *ledger.Turn) error { return d.Ledger.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "a.md", "a\n")
			log := d.onSlowLog(nil)
			turn := d.begin(ledger.Auto)
			read.Turn = turn.ID()
			gone, cancel := context.WithCancel(ctx)
			d.AuditLater(gone, read)
			cancel() // it is written even so
			go func() {
				for range 1000 { // so that one who does not wait is seen
					runtime.Gosched()
				}
				close(log.on)
			}()
			must(t, next(d, turn))
			want := []string{"read"}
			if strings.HasPrefix(name, "Audit") && name != "Audited" {
				want = append(want, "write")
			}
			if diff := cmp.Diff(want, d.audited()); diff != "" {
				t.Error(diff)
			}
			must(t, d.VerifyAudit(ctx))
		})
	}
}

// TestAuditLaterThatFails: an entry that could not be written is told once, to the
// turn that it is of or at the very end, and the turn has ended all the same.
func TestAuditLaterThatFails(t *testing.T) {
	full := errors.New("disk full")
	for name, tell := range map[string]func(*desk, *ledger.Turn) error{
		"Audited": func(d *desk, turn *ledger.Turn) error { return d.Audited(turn.ID()) },
		"End": func(d *desk, turn *ledger.Turn) error {
			rec, err := turn.End(ctx)
			if rec == nil || rec.Status != ledger.Empty {
				return fmt.Errorf("the turn came back as %+v", rec)
			}
			return err
		},
		"Discard": func(_ *desk, turn *ledger.Turn) error { _, err := turn.Discard(ctx); return err },
		"Close":   func(d *desk, _ *ledger.Turn) error { return d.Ledger.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			close(d.onSlowLog(full).on)
			turn := d.begin(ledger.Auto)
			d.AuditLater(ctx, ledger.AuditEntry{Turn: turn.ID(), Action: "read", Result: ledger.AuditSuccess})
			if err := d.Audited("turn_of_another"); err != nil {
				t.Errorf("another turn is told %v", err)
			}
			if err := tell(d, turn); !errors.Is(err, full) {
				t.Errorf("told %v", err)
			}
			if err := errors.Join(d.Audited(turn.ID()), d.Ledger.Close()); err != nil {
				t.Errorf("told again: %v", err)
			}
		})
	}
}
