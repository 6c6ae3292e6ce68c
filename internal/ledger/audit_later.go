package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// lateAudit is the entry of the audit log that is being written while other things
// go on. There is one at a time, so that the log keeps its order. The zero lateAudit
// is ready.
type lateAudit struct {
	writing sync.Mutex // held while an entry is written

	mu     sync.Mutex
	failed map[string]error // by turn: what was not written and not yet told
}

// AuditLater adds an entry to the log, as Audit does, while the caller goes on: it
// is for calls that changed nothing. It waits only for the one before it. The next
// Audit, AuditLog, Audited of any turn, the end of any turn and Close wait for it. A
// process that is killed may lose it, and no other. Audited tells whether it was
// written.
func (l *Ledger) AuditLater(ctx context.Context, e AuditEntry) {
	ctx = context.WithoutCancel(ctx)
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	l.late.writing.Lock()
	go func() {
		defer l.late.writing.Unlock()
		if err := l.audit(ctx, e); err != nil {
			l.late.fail(e.Turn, err)
		}
	}()
}

// Audited waits until the entries of a turn that AuditLater took are written, and
// returns what went wrong with them since it was last asked. The end of the turn
// returns it as well.
func (l *Ledger) Audited(turn string) error {
	l.late.wait()
	return l.late.take(turn)
}

// end waits for the entries of a turn that ends.
func (a *lateAudit) end(turn string) error {
	a.wait()
	if err := a.take(turn); err != nil {
		return fmt.Errorf("the audit log could not be written: %w", err)
	}
	return nil
}

func (a *lateAudit) wait() {
	a.writing.Lock()
	defer a.writing.Unlock()
}

func (a *lateAudit) fail(turn string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failed = map[string]error{}
	}
	a.failed[turn] = errors.Join(a.failed[turn], err)
}

func (a *lateAudit) take(turn string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.failed[turn]
	delete(a.failed, turn)
	return err
}

// takeAll is what is left to tell when the ledger is closed.
func (a *lateAudit) takeAll() error {
	a.wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, err := range a.failed {
		errs = append(errs, err)
	}
	a.failed = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the audit log could not be written: %w", err)
	}
	return nil
}
