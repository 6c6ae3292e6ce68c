package jsonl_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/internal/store/jsonl"
	"redline/llm"
)

// childEnv makes the test binary play another process: see TestMain.
const childEnv = "REDLINE_JSONL_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		if err := children[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// children are the parts that another process plays.
var children = map[string]func(args []string) error{
	"hold":  holdSession,
	"write": writeSession,
}

func startChild(t *testing.T, role string, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func holdSession(args []string) error {
	if _, _, err := jsonl.Open(args[0], nil).Resume(args[1]); err != nil {
		return err
	}
	fmt.Println("held")
	select {}
}

// TestLockAcrossProcesses: the one who holds a session is named, readers are
// not kept out, and the holder's death frees it at once.
func TestLockAcrossProcesses(t *testing.T) {
	d := newDesk(t)
	session := d.begin(user("one"))
	session.Close()
	cmd, out := startChild(t, "hold", d.root, session.Path())
	if !out.Scan() || out.Text() != "held" {
		t.Fatalf("the child said %q", out.Text())
	}
	_, _, err := d.Resume(session.Path())
	var locked *jsonl.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("got %v", err)
	}
	host, err := os.Hostname()
	must(t, err)
	if h := locked.Holder; h.PID != cmd.Process.Pid || h.Host != host || time.Since(h.Since) > time.Minute {
		t.Errorf("the holder is %+v", h)
	}
	for _, want := range []string{fmt.Sprint(cmd.Process.Pid), host, session.Path(), "fork"} {
		if !strings.Contains(locked.Error(), want) {
			t.Errorf("%q does not say %q", locked, want)
		}
	}
	if record, err := d.Read(session.Path()); err != nil || len(record.Messages) != 1 {
		t.Errorf("a reader got %v", err)
	}
	fork, _, err := d.Fork(session.Path(), 0)
	must(t, err)
	fork.Close()
	cmd.Process.Kill()
	cmd.Wait()
	again, _, err := d.Resume(session.Path())
	if err != nil {
		t.Fatalf("after the holder's death: %v", err)
	}
	again.Close()
}

// writeSession appends messages for ever and says each index when Append has
// returned. The text of a message is its index and a body of one letter, whose
// length follows from the index: a torn one could not pass for whole.
func writeSession(args []string) error {
	session, record, err := jsonl.Open(args[0], nil).Resume(args[1])
	if err != nil {
		return err
	}
	fmt.Println("open", len(record.Messages))
	for {
		index, err := session.Append(numbered(session.Len()))
		if err != nil {
			return err
		}
		fmt.Println("wrote", index)
	}
}

func numbered(i int) agent.Message {
	body := fmt.Sprintf("%d:%s", i, strings.Repeat(string(rune('a'+i%26)), i*792_137%2_000_000))
	switch i % 3 {
	case 0:
		return user(body)
	case 1:
		return assistant(llm.Text{Text: body})
	}
	// Not synced: the death of the process alone must not lose it either.
	return agent.Message{Message: llm.Answer(llm.ToolResult{CallID: "c", Output: body})}
}

// TestKill ends a writer at random moments: the file loads, and every message
// whose Append had returned is there, wholly. REDLINE_KILLS says how many kills.
func TestKill(t *testing.T) {
	kills := 20
	if s := os.Getenv("REDLINE_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		kills = n
	}
	d := newDesk(t)
	session := d.begin(numbered(0))
	session.Close()
	torn := 0
	for kill := range kills {
		if kill%4 == 3 { // a new one, so that files stay small
			session = d.begin(numbered(0))
			session.Close()
		}
		cmd, out := startChild(t, "write", d.root, session.Path())
		acknowledged := -1
		go func() {
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // a random moment, not a synchronisation
			cmd.Process.Kill()
		}()
		for out.Scan() { // until the process is dead
			fmt.Sscanf(out.Text(), "wrote %d", &acknowledged)
		}
		cmd.Wait()
		again, record, err := d.Resume(session.Path())
		must(t, err)
		must(t, again.Close())
		if record.Torn != "" {
			torn++
		}
		if len(record.Messages) <= acknowledged || len(record.Problems) > 0 {
			t.Fatalf("kill %d: %d messages after %d were acknowledged, %v", kill, len(record.Messages), acknowledged+1, record.Problems)
		}
		for i, m := range record.Messages {
			want := numbered(i)
			if r, ok := m.ToolResult(); ok && r.Output != want.Content[0].(llm.ToolResult).Output || !ok && m.Text() != want.Text() {
				t.Fatalf("kill %d: message %d is not whole", kill, i)
			}
		}
	}
	t.Logf("survived %d kills, %d of them in the middle of a line", kills, torn)
}
