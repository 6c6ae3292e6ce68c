package app_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/llm/app"
)

func TestUsage(t *testing.T) {
	price := 0.5
	var usage app.Usage
	var group sync.WaitGroup
	for _, r := range []app.Record{
		{Account: "anna", Stop: llm.StopEnd, Usage: llm.Usage{Input: 1, Output: 2}, CostUSD: &price, Took: time.Second},
		{Account: "anna", Stop: llm.StopError, Usage: llm.Usage{Input: 1}, CostUSD: &price, Took: time.Second},
		{Account: "anna", Stop: llm.StopAborted, Took: time.Second},
		{Account: "ben", Stop: llm.StopToolUse, CostUSD: new(float64)},
	} {
		group.Go(func() { usage.Track(r) })
	}
	group.Wait()
	want := map[string]app.Total{
		"anna": {Requests: 3, Failed: 1, Aborted: 1, Usage: llm.Usage{Input: 2, Output: 2}, CostUSD: 1, Unpriced: 1, Took: 3 * time.Second},
		"ben":  {Requests: 1},
	}
	if d := cmp.Diff(want, usage.Accounts()); d != "" {
		t.Errorf("accounts (-want +got):\n%s", d)
	}
	if d := cmp.Diff(app.Total{}, usage.Account("carl")); d != "" {
		t.Errorf("an account that never asked: %s", d)
	}
}
