package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/text"
)

// childEnv makes the test binary play another process: see TestMain.
const childEnv = "REDLINE_SQLITE_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		if err := children[role](os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// children are the parts that another process plays on the database named by
// the first argument, under the name in the second.
var children = map[string]func(path, name string) error{
	"append": childAppends,
	"save":   childSaves,
	"jobs":   childJobs,
}

func child(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// fromEnv is a number of rounds for the long mode.
func fromEnv(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

const childAppendsEach = 40

func childAppends(path, name string) error {
	s, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range childAppendsEach {
		err := s.Append(context.Background(), "audit", link(fmt.Sprint(name, "-", i)))
		for errors.Is(err, ledger.ErrBusy) { // many processes on a slow disk
			err = s.Append(context.Background(), "audit", link(fmt.Sprint(name, "-", i)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestProcessesAppend: processes that append at the same time, to a database
// that none of them finds ready, make one unbroken chain.
func TestProcessesAppend(t *testing.T) {
	processes := 4
	if testing.Short() {
		processes = 2
	}
	path := filepath.Join(t.TempDir(), "redline.db")
	var running []*exec.Cmd
	for i := range processes {
		cmd := child(t, "append", path, fmt.Sprint(i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	wantChain(t, openTest(t, path), processes*childAppendsEach)
}

// killBatch is the batch number i of a process: some contents of its own, some
// that others have as well, and three records that name them.
func killBatch(name string, i int) (b ledger.Batch) {
	for j := range 20 {
		b.Blobs = append(b.Blobs, fmt.Appendf(note(j, 1000+37*j), "%s %d %d", name, i, j))
	}
	b.Blobs = append(b.Blobs, note(i, 5000), noise(i, 3000))
	var hashes []string
	for _, content := range b.Blobs {
		hashes = append(hashes, text.Sum(content).String())
	}
	for j := range 3 {
		r := record(fmt.Sprint("part ", j), fmt.Sprint(name, " ", i))
		r.Body = []byte(strings.Join(hashes, " "))
		b.Records = append(b.Records, r)
	}
	b.Lazy = i%2 == 0
	return b
}

// childSaves saves for ever and tells what was acknowledged.
func childSaves(path, name string) error {
	s, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	if err := s.ReadOnly(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := s.Save(context.Background(), killBatch(name, i)); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// TestKill: a process is killed while it saves, again and again on the same
// file. What it was told is saved is there, and nothing is there by half.
func TestKill(t *testing.T) {
	kills := fromEnv("REDLINE_SQLITE_KILLS", 30)
	if testing.Short() {
		kills = 5
	}
	rng := rand.New(rand.NewPCG(1, 1))
	path := filepath.Join(t.TempDir(), "redline.db")
	acknowledged := 0
	for kill := range kills {
		name := fmt.Sprint("process ", kill)
		last := killOne(t, "save", path, name, rng)
		acknowledged += last + 1

		s := openTest(t, path)
		for i := 0; i <= last; i++ {
			wantWhole(t, s, name, i, true)
		}
		wantWhole(t, s, name, last+1, false)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d acknowledged batches", kills, acknowledged)
}

// killOne returns the last batch that was acknowledged, or -1.
func killOne(t *testing.T, role, path, name string, rng *rand.Rand) (last int) {
	t.Helper()
	cmd := child(t, role, path, name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last = -1
	after := rng.IntN(8) - 1 // acknowledged batches
	if after < 0 {           // or while it opens
		time.Sleep(time.Duration(rng.IntN(20_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
		if last == after {
			time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond)
			_ = cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the process ended by itself: %v", err)
	}
	return last
}

// wantWhole checks that a batch is there, or not at all.
func wantWhole(t *testing.T, s *Store, name string, i int, sure bool) {
	t.Helper()
	batch := killBatch(name, i)
	there := len(load(t, s, ledger.Query{ID: batch.Records[0].ID}))
	if there != 3 && (sure || there != 0) {
		t.Fatalf("%s %d: %d records of 3", name, i, there)
	}
	if there == 0 {
		wantNoBlob(t, s, batch.Blobs[0])
		return
	}
	for _, content := range batch.Blobs {
		wantBlob(t, s, content)
	}
}

// TestKillBesideOthers: the others go on while one is killed.
func TestKillBesideOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redline.db")
	s := openTest(t, path)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 5 {
		done := make(chan error)
		go func() {
			for j := range 20 {
				if err := s.Append(context.Background(), "audit", link(fmt.Sprint(i, " ", j))); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		name := fmt.Sprint("process ", i)
		last := killOne(t, "save", path, name, rng)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		for j := 0; j <= last; j++ {
			wantWhole(t, s, name, j, true)
		}
		wantWhole(t, s, name, last+1, false)
	}
	wantChain(t, s, 100)
}
