package session

import (
	"context"
	"slices"

	"redline/internal/wire"
)

// owed is the end of a job that could not be saved, as when the disk is full. Its readers
// have heard of it, without a cursor; nothing else begins before it is saved, because a
// next program would find the job running.
type owed struct {
	job    *JobRecord
	events []wire.JobEvent
}

// over saves and tells the events with which the run of a job has ended.
func (r *room) over(j *JobRecord, events ...wire.JobEvent) {
	err := r.tell(j, events...)
	if err == nil {
		return
	}
	if r.run.broken == nil {
		r.complain(j, err)
	}
	r.owed = append(r.owed, owed{j, events})
	r.host.log.GiveUp(j, slices.Clone(events)...)
}

// pay saves the ends of jobs that could not be saved before, and lets the queue go on.
func (r *room) pay() error {
	if len(r.owed) == 0 {
		return nil
	}
	for len(r.owed) > 0 {
		if err := r.tell(r.owed[0].job, r.owed[0].events...); err != nil {
			return err
		}
		r.owed = r.owed[1:]
	}
	r.advance(context.Background())
	return nil
}
