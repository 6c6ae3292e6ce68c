package sqlite

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// stride is how many indexes a worker takes at a time.
const stride = 16

// inParallel calls f with 0 to n-1 on all cores and returns when they are done,
// or early if ctx ends.
func inParallel(ctx context.Context, n int, f func(int)) error {
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			end := int(next.Add(stride))
			if end-stride >= n {
				return
			}
			for i := end - stride; i < min(end, n); i++ {
				f(i)
			}
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+stride-1)/stride) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return ctx.Err()
}
