package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits bounds what a call may take. Zero is no bound.
type Limits struct {
	Output  int           // bytes of Output, of updates as well; images and details are not counted
	Timeout time.Duration // of one call
	More    string        // how to see what was cut, told to the model; "": ask for less at a time
}

// Limit bounds the time and the output of a call. Of an output that is too long
// the beginning and the end stay, with a line between them that says what was
// cut. When the time is over the context of the call ends and the tool has to
// return: its error is then a *TimeoutError, while a result that it still made
// stands.
func Limit(l Limits) Wrapper {
	l.More = cmp.Or(l.More, "ask for less at a time")
	return func(t Tool) Tool {
		return Around(t, func(ctx context.Context, call Call, update Update) (Result, error) {
			r, err := l.execute(ctx, t, call, l.updates(update))
			r.Output = l.cut(r.Output)
			if err != nil && l.Output > 0 && len(err.Error()) > l.Output {
				err = shortened{err, l.cut(err.Error())}
			}
			return r, err
		})
	}
}

func (l Limits) updates(update Update) Update {
	if update == nil {
		return nil
	}
	return func(r Result) {
		r.Output = l.cut(r.Output)
		update(r)
	}
}

func (l Limits) execute(ctx context.Context, t Tool, call Call, update Update) (Result, error) {
	if l.Timeout <= 0 {
		return t.Execute(ctx, call, update)
	}
	late := &TimeoutError{Tool: call.Name, After: l.Timeout}
	ctx, cancel := context.WithTimeoutCause(ctx, l.Timeout, late)
	defer cancel()
	r, err := t.Execute(ctx, call, update)
	if err != nil && context.Cause(ctx) == late {
		late.Err = err
		return r, late
	}
	return r, err
}

// TimeoutError says that a call took too long and was stopped.
type TimeoutError struct {
	Tool  string
	After time.Duration
	Err   error // what the tool returned when it was stopped
}

func (e *TimeoutError) Error() string {
	words := fmt.Sprintf("%s did not finish within %s and was stopped; it may have taken effect in part", e.Tool, e.After)
	if e.Err != nil && !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) {
		words += ": " + e.Err.Error()
	}
	return words
}

func (e *TimeoutError) Unwrap() error { return e.Err }

// shortened is an error that says less.
type shortened struct {
	error
	words string
}

func (e shortened) Error() string { return e.words }
func (e shortened) Unwrap() error { return e.error }

// cut keeps the beginning and the end of a text, whole lines if there are any
// near the cut. What it returns is within the limit, unless the limit has not
// even room for the line that tells of the cut.
func (l Limits) cut(text string) string {
	if l.Output <= 0 || len(text) <= l.Output {
		return text
	}
	room := l.Output - len(l.notice(text, len(text)))
	head := headOf(text, max(0, room-room/2))
	tail := tailOf(text[len(head):], max(0, room/2))
	notice := l.notice(text[len(head):len(text)-len(tail)], len(text))
	if head == "" || strings.HasSuffix(head, "\n") {
		notice = notice[1:]
	}
	return head + notice + tail
}

// notice is the line that stands for what was cut.
func (l Limits) notice(gone string, whole int) string {
	return fmt.Sprintf("\n[cut: %d bytes, %d lines of %d bytes in all are left out here; %s]\n", len(gone), strings.Count(gone, "\n"), whole, l.More)
}

func headOf(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i >= n/2 && i > 0 {
		return text[:i+1]
	}
	return text[:n]
}

func tailOf(text string, n int) string {
	from := len(text) - n
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	tail := text[from:]
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		return tail[i+1:]
	}
	return tail
}
