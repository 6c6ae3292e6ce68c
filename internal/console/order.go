package console

import (
	"slices"

	"redline/internal/wire"
)

// order has calls that run side by side shown in the order in which they began,
// so that the same run looks the same twice.
type order struct {
	began []string // calls whose end has not been shown
	ended map[string]wire.Event
}

// pass takes an event and returns those that can be shown now.
func (o *order) pass(e wire.Event) []wire.Event {
	switch {
	case e.Tool == nil:
	case e.Type == wire.EventToolStart:
		o.began = append(o.began, e.Tool.ID)
	case e.Type == wire.EventToolEnd && slices.Contains(o.began, e.Tool.ID):
		if o.ended == nil {
			o.ended = map[string]wire.Event{}
		}
		o.ended[e.Tool.ID] = e
		return o.ready()
	}
	return []wire.Event{e}
}

func (o *order) ready() []wire.Event {
	var ready []wire.Event
	for len(o.began) > 0 {
		e, ok := o.ended[o.began[0]]
		if !ok {
			break
		}
		delete(o.ended, o.began[0])
		o.began = o.began[1:]
		ready = append(ready, e)
	}
	return ready
}
