package client

import "redline/internal/wire"

// eventLog is the events of a conversation that have not been taken, and some that
// have: a front end that stops in the middle goes on behind what it has dealt with.
type eventLog struct {
	events []wire.Event
	first  int           // the cursor of events[0]
	keep   int           // how many that were taken are kept
	done   int           // the cursor that was taken last
	news   chan struct{} // closed when something has changed
}

// newEventLog makes a log. Lines are large, and read by one reader to the end.
func newEventLog(lines bool) eventLog {
	l := eventLog{first: 1, keep: 64, news: make(chan struct{})}
	if lines {
		l.keep = 1
	}
	return l
}

func (l *eventLog) wake() {
	close(l.news)
	l.news = make(chan struct{})
}

// add numbers an event and tells of it.
func (l *eventLog) add(e wire.Event) {
	e.Cursor = l.first + len(l.events)
	l.events = append(l.events, e)
	l.wake()
}

// behind is the first event behind a cursor, or behind those that are forgotten.
func (l *eventLog) behind(after int) (wire.Event, bool) {
	i := max(after+1-l.first, 0)
	if i >= len(l.events) {
		return wire.Event{}, false
	}
	return l.events[i], true
}

// taken notes that the events up to a cursor were taken.
func (l *eventLog) taken(cursor int) {
	l.done = max(l.done, cursor)
	if old := l.done - l.keep - l.first + 1; old >= l.keep { // not one by one
		rest := copy(l.events, l.events[old:])
		clear(l.events[rest:])
		l.events = l.events[:rest]
		l.first += old
	}
}
