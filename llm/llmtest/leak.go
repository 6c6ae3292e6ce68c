package llmtest

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// patience is how long something that must happen may take before the test says
// that it did not. It is no measure of speed.
var patience = 30 * time.Second

// noneLeft asserts that when the test has ended, and what it registered for
// cleanup after this call has run, no goroutine is left that was not there
// before.
func noneLeft(t *testing.T) {
	t.Helper()
	before := goroutines()
	t.Cleanup(func() {
		var left []string
		for began, rest := time.Now(), time.Millisecond; time.Since(began) < patience; rest = min(2*rest, 100*time.Millisecond) {
			left = nil
			for id, stack := range goroutines() {
				if before[id] == "" {
					left = append(left, stack)
				}
			}
			if len(left) == 0 {
				return
			}
			time.Sleep(rest) // they may be on their way out
		}
		t.Errorf("%d goroutines are left:\n\n%s", len(left), strings.Join(left, "\n\n"))
	})
}

// goroutines returns the stacks of all goroutines by their ids.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	found := map[string]string{}
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		id, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		found[id] = stack
	}
	return found
}
