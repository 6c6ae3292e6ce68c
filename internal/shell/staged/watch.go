package staged

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// glance is how often the memory is looked at.
const glance = 2 * time.Millisecond

// watch ends the command if the program grows too much meanwhile: the shell has no
// process of its own that could be limited. It returns what ends the watch.
func (r *run) watch() (end func()) {
	before, goroutines := inUse(), runtime.NumGoroutine()
	over := make(chan struct{})
	var wg sync.WaitGroup
	var tooLarge bool
	wg.Go(func() {
		tick := time.NewTicker(glance)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if runtime.NumGoroutine() > goroutines+mostParts {
				r.cancel(errParts)
				return
			}
			// Some of it is garbage, but never much more than what is in use.
			if inUse() > before+mostMemory {
				tooLarge = true
				r.cancel(errMemory)
				return
			}
		}
	})
	return func() {
		close(over)
		wg.Wait()
		if tooLarge {
			debug.FreeOSMemory()
		}
	}
}

// inUse is the memory of objects and stacks.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
