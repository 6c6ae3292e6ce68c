//go:build unix

package ledger_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"redline/internal/ledger"
)

// auditForever writes every third entry at once and the others behind, and says
// each number when that has returned.
func auditForever(l *ledger.Ledger) error {
	for n := 1; ; n++ {
		e := ledger.AuditEntry{Action: fmt.Sprint("call", n), Result: ledger.AuditSuccess}
		if n%3 != 0 {
			l.AuditLater(ctx, e)
		} else if err := l.Audit(ctx, e); err != nil {
			return err
		}
		fmt.Println("wrote", n)
	}
}

// TestKillAudit: a kill leaves the log whole, and takes at most the one entry that
// was being written behind.
func TestKillAudit(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 4
	}
	lost := 0
	for kill := range kills {
		d := newDesk(t)
		d.close()
		cmd := (&scene{desk: d, op: "audit"}).child(0)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		lines.Scan() // ready
		go func() {
			time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond) // a random moment, not a synchronisation
			cmd.Process.Kill()
		}()
		told := 0
		for lines.Scan() { // until the process is dead
			fmt.Sscanf(lines.Text(), "wrote %d", &told)
		}
		cmd.Wait()
		d.open()
		must(t, d.VerifyAudit(ctx))
		least := told
		if told%3 != 0 {
			least-- // it was written behind
		}
		entries := d.audited()
		if len(entries) < least || len(entries) > 0 && !strings.HasSuffix(entries[len(entries)-1], fmt.Sprint("call", len(entries))) {
			t.Fatalf("kill %d: %d entries after %d calls, the last is %v", kill, len(entries), told, entries[max(0, len(entries)-1):])
		}
		lost += max(0, told-len(entries))
	}
	t.Logf("survived %d kills, of which %d took an entry", kills, lost)
}
