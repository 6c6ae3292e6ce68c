package session

import (
	"sync"
	"time"
)

// window is the time that a rate looks back.
const window = time.Minute

// Rate remembers how many files destructive calls took within the last minute.
// The requests of a session share one. The zero Rate is ready.
type Rate struct {
	mu    sync.Mutex
	taken []take
}

type take struct {
	at time.Time
	n  int
}

// wait is the time until another call may run: 0 while fewer than limit files
// were taken in the last minute, or if there is no limit.
func (r *Rate) wait(limit int) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left(limit, time.Now())
}

// take notes that a call takes n files, unless it has to wait.
func (r *Rate) take(limit, n int) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	wait := r.left(limit, now)
	if wait == 0 && limit > 0 {
		r.taken = append(r.taken, take{now, n})
	}
	return wait
}

func (r *Rate) left(limit int, now time.Time) time.Duration {
	for len(r.taken) > 0 && now.Sub(r.taken[0].at) >= window {
		r.taken = r.taken[1:]
	}
	if limit <= 0 {
		return 0
	}
	sum := 0
	for _, t := range r.taken {
		sum += t.n
	}
	for _, t := range r.taken {
		if sum < limit {
			break
		}
		if sum -= t.n; sum < limit {
			return t.at.Add(window).Sub(now)
		}
	}
	return 0
}
