package session

import (
	"strings"
	"sync"

	"redline/internal/wire"
)

// draft is what is being written. It has a mutex of its own, because readers of the log
// ask for it while nothing can be told.
type draft struct {
	mu   sync.Mutex
	job  string
	said strings.Builder
}

func (d *draft) add(job string, delta wire.Delta) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if delta.Restart || d.job != job {
		d.said.Reset()
	}
	d.job = job
	d.said.WriteString(delta.Text)
}

func (d *draft) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said.Reset()
}

// text is what is being written, or what was said before if that is nothing.
func (d *draft) text(before string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.said.Len() == 0 {
		return before
	}
	return d.said.String()
}

// frame is what is being written, for a reader that comes late; nil if it is nothing, or
// in another job.
func (d *draft) frame(job string) *wire.JobEvent {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.said.Len() == 0 || job != "" && job != d.job {
		return nil
	}
	f := event(wire.FrameDelta, map[string]string{"so_far": d.said.String()})
	if job == "" {
		f.Job = d.job
	}
	return &f
}
