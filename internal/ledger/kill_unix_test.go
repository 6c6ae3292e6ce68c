//go:build unix

package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
)

// The kill test ends a child process in the middle of a commit, half of the
// times at a named point and half at a random moment, and then looks at the
// folder and the database alone: laws 5 and 6.
//
// REDLINE_KILLS says how many kills; the default is 100.

const (
	killEnv   = "REDLINE_LEDGER_CHILD" // the operation that the child carries out
	killAtEnv = "REDLINE_LEDGER_KILL"  // the fault point at which it ends itself
)

func TestMain(m *testing.M) {
	if op := os.Getenv(killEnv); op != "" {
		if err := killChild(op, os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// operations are what can be cut off. Each has a turn prepared for it.
var operations = map[string]struct {
	review ledger.Review
	ready  func(d *desk, rec *ledger.TurnRecord) // what comes before the child
	run    func(l *ledger.Ledger, turn string) error
}{
	"accept": {ledger.WholeTurn, nil, func(l *ledger.Ledger, turn string) error { return l.Accept(ctx, turn) }},
	"apply": {ledger.Hunks, func(d *desk, rec *ledger.TurnRecord) {
		must(d.t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
	}, func(l *ledger.Ledger, turn string) error { _, err := l.Apply(ctx, "s1"); return err }},
	"undo": {ledger.Auto, nil, func(l *ledger.Ledger, turn string) error {
		_, err := l.Undo(ctx, ledger.UndoRequest{Turn: turn})
		return err
	}},
	"redo": {ledger.Auto, func(d *desk, rec *ledger.TurnRecord) {
		_, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
		must(d.t, err)
	}, func(l *ledger.Ledger, turn string) error {
		_, err := l.Redo(ctx, ledger.UndoRequest{Turn: turn})
		return err
	}},
	"rollback": {ledger.Optimistic, nil, func(l *ledger.Ledger, turn string) error {
		_, err := l.Rollback(ctx, "cp_"+turn, ledger.HardAll, nil)
		return err
	}},
}

func killChild(op, dir, db, turn string) error {
	folder, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, db)
	if err != nil {
		return err
	}
	points, killAt := 0, 0
	if s := os.Getenv(killAtEnv); s != "" {
		if killAt, err = strconv.Atoi(s); err != nil {
			return err
		}
	}
	l, _, err := ledger.Open(ctx, folder, store, ledger.Options{Fault: func(string) {
		if points++; points == killAt {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if op == "audit" {
		return auditForever(l)
	}
	if err := operations[op].run(l, turn); err != nil {
		return err
	}
	l.Close()
	fmt.Println("points", points)
	return nil
}

// scene is a desk with an operation ready to be carried out.
type scene struct {
	*desk
	op, turn      string
	before, after map[string]string
}

func newScene(t *testing.T, op string, n int) *scene {
	d := newDesk(t, mixedFiles(n)...)
	s := &scene{desk: d, op: op}
	turn := d.begin(operations[op].review)
	mixedTurn(d, turn, n)
	rec := d.end(turn)
	s.turn = rec.ID
	if operations[op].ready != nil {
		operations[op].ready(d, rec)
	}
	d.close()
	s.before = d.tree()
	return s
}

func (s *scene) child(killAt int) *exec.Cmd {
	cmd := exec.Command(os.Args[0], s.dir, s.db, s.turn)
	cmd.Env = append(os.Environ(), killEnv+"="+s.op)
	if killAt > 0 {
		cmd.Env = append(cmd.Env, killAtEnv+"="+strconv.Itoa(killAt))
	}
	return cmd
}

func TestKill(t *testing.T) {
	kills := 100
	if s := os.Getenv("REDLINE_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		kills = n
	} else if testing.Short() {
		kills = 12
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var ops []string
	for op := range operations {
		ops = append(ops, op)
	}
	type size struct {
		op string
		n  int
	}
	points, took, after := map[size]int{}, map[size]time.Duration{}, map[size]map[string]string{}
	survived, finished, takenOut := 0, 0, 0
	for i := 0; survived < kills; i++ {
		op, n := ops[i%len(ops)], []int{1, 10, 10, 1, 10, 200}[r.IntN(6)]
		key := size{op, n}
		if points[key] == 0 { // a run that is let through tells how many points there are
			s := newScene(t, op, n)
			start := time.Now()
			out, err := s.child(0).Output()
			if err != nil {
				t.Fatalf("%s of %d files: %v", op, n, err)
			}
			took[key] = time.Since(start)
			n := 0
			fmt.Sscanf(string(out), "ready\npoints %d", &n)
			points[key] = n
			after[key] = s.tree()
		}
		s := newScene(t, op, n)
		s.after = after[key]
		if survived%2 == 0 {
			s.child(1 + r.IntN(points[key])).Run()
		} else {
			cmd := s.child(0)
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			out.Read(make([]byte, 6)) // ready
			time.Sleep(time.Duration(r.Int64N(int64(took[key]/2) + 1)))
			cmd.Process.Kill()
			cmd.Wait()
		}
		if s.check() {
			finished++
		} else {
			takenOut++
		}
		survived++
		if t.Failed() {
			t.Fatalf("kill %d: %s of %d files", survived, op, n)
		}
	}
	t.Logf("survived %d kills: %d came out wholly done, %d wholly undone", survived, finished, takenOut)
}

// check looks at the folder and the database as the next start finds them.
func (s *scene) check() (done bool) {
	s.t.Helper()
	recovery := s.open()
	defer s.close()
	if len(recovery.Left) > 0 {
		s.t.Errorf("left in conflict: %+v", recovery.Left)
	}
	now := s.tree()
	switch show(now) {
	case show(s.after):
		done = true
	case show(s.before):
	default:
		s.t.Errorf("neither before nor behind:\n%s\nbefore\n%s\nbehind\n%s", show(now), show(s.before), show(s.after))
	}
	for name := range now {
		if strings.HasPrefix(filepath.Base(name), ".redline-") {
			s.t.Errorf("left behind: %s", name)
		}
	}
	s.agrees(done)
	// And it can go on: undo and redo lead to the same two states.
	return done
}

// agrees makes sure that the ledger says what the disk shows.
func (s *scene) agrees(done bool) {
	s.t.Helper()
	rec, err := s.Turn(ctx, s.turn)
	must(s.t, err)
	want := map[string][2]ledger.Status{
		"accept": {ledger.Pending, ledger.Accepted},
		"apply":  {ledger.Pending, ledger.Accepted},
		"undo":   {ledger.Accepted, ledger.Undone},
		"redo":   {ledger.Undone, ledger.Accepted},
	}
	if pair, ok := want[s.op]; ok {
		status := pair[0]
		if done {
			status = pair[1]
		}
		if rec.Status != status {
			s.t.Errorf("the turn is %s, but the disk says %s", rec.Status, status)
		}
	}
	// What was cut off can be done again, or done once more.
	switch {
	case s.op == "accept" && !done:
		must(s.t, s.Accept(ctx, s.turn))
		s.same(s.after, "accepted after the crash")
	case s.op == "undo" && done:
		_, err := s.Redo(ctx, ledger.UndoRequest{Turn: s.turn})
		must(s.t, err)
		s.same(s.before, "redone after the crash")
	case s.op == "accept" || s.op == "apply" && done:
		_, err := s.Undo(ctx, ledger.UndoRequest{Turn: s.turn})
		must(s.t, err)
		s.same(s.before, "undone after the crash")
	}
}
