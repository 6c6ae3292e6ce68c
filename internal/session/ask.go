package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"redline/internal/wire"
)

// NoAnswer is the answer of a user who skipped a question.
const NoAnswer = "no_user_answer"

// Questioner asks the user.
type Questioner interface {
	// Ask asks one question and waits for the answer; NoAnswer, if there is none.
	// Options are answers to choose from; the user may say something else.
	Ask(ctx context.Context, question string, options ...string) (string, error)
}

// User is the one for whom a run works.
type User interface {
	Questioner
	// Tell shows a message, at once. Priority is "normal" or "high".
	Tell(ctx context.Context, message, priority string) error
}

// Question is what a tool wants to know.
type Question struct {
	ID      string
	Text    string
	Options []string

	take func(string) error // with the lock held
}

// Approval is calls that wait for the user's agreement.
type Approval struct {
	ID string
	Request

	take func(Answer) error // with the lock held
}

// ErrNoneOpen: there is no question, or no request, to which this is an answer.
var ErrNoneOpen = errors.New("nothing waits for this answer: it has been given, or the run has ended")

// Ask asks the user in the middle of the run.
func (r *run) Ask(ctx context.Context, question string, options ...string) (string, error) {
	if !r.setup.Attended {
		return NoAnswer, nil
	}
	waiting := waitingFor(question, r.agent.State().Messages)
	return pose(ctx, r, func(number int, a *awaited[string]) {
		q := &Question{ID: fmt.Sprintf("q_%d", number), Text: question, Options: options}
		q.take = a.taking(func(answer string) {
			r.status.Question, r.status.Waiting = nil, nil
			r.feed.tell(Event{Type: wire.EventAnswered, Question: q, Text: answer})
			r.move(answered)
		})
		r.status.Question, r.status.Waiting = q, waiting
		r.feed.tell(Event{Type: wire.EventQuestion, Question: q})
		r.move(asked)
	})
}

// Tell shows the user a message in the middle of the run.
func (r *run) Tell(ctx context.Context, message, priority string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.feed.tell(Event{Type: wire.EventMessage, Text: message, Priority: priority})
	return nil
}

// awaited is an answer that a run waits for.
type awaited[A any] struct {
	come  chan A // has room for it
	given bool   // it has come, or nobody waits any more; under the lock
}

// taking is how the answer is taken, with the lock held: once, and all have been told by
// settle before the run goes on.
func (a *awaited[A]) taking(settle func(A)) func(A) error {
	return func(answer A) error {
		if a.given {
			return ErrNoneOpen
		}
		a.given = true
		settle(answer)
		a.come <- answer
		return nil
	}
}

// pose asks the user one thing and waits for the answer. Open shows it, with the lock
// held. An answer that was taken is never lost: it counts also if the run was to end at
// that moment.
func pose[A any](ctx context.Context, r *run, open func(number int, a *awaited[A])) (answer A, err error) {
	select {
	case r.asking <- struct{}{}: // nothing else is asked
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return answer, ctx.Err()
	}
	a := &awaited[A]{come: make(chan A, 1)}
	r.mu.Lock()
	r.asked++
	open(r.asked, a)
	r.mu.Unlock()
	select {
	case answer = <-a.come:
		return answer, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.given {
		return <-a.come, nil
	}
	a.given = true
	return answer, ctx.Err()
}

// Clarify answers the question that is open. With an id it must be that one.
func (s *Session) Clarify(id, answer string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.status.Question
	if q == nil || id != "" && id != q.ID {
		return ErrNoneOpen
	}
	if answer = strings.TrimSpace(answer); answer == "" {
		answer = NoAnswer
	}
	return q.take(answer)
}

// Approve answers the request that is open. With an id it must be that one.
func (s *Session) Approve(id string, a Answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.status.Approval
	if open == nil || id != "" && id != open.ID {
		return ErrNoneOpen
	}
	if err := open.check(a); err != nil {
		return err
	}
	return open.take(a)
}

// check refuses an answer that speaks of calls which are not in the request, or
// whose arguments are no JSON object.
func (r Request) check(a Answer) error {
	calls := map[string]bool{r.Call.ID: true}
	for _, other := range r.With {
		calls[other.Call.ID] = true
	}
	for id, arguments := range a.Others {
		if !calls[id] {
			return fmt.Errorf("the request has no call %q", id)
		}
		if err := object(arguments); err != nil {
			return err
		}
	}
	if a.Arguments == nil {
		return nil
	}
	if len(r.With) > 0 {
		return errors.New("the request has several calls: give changed arguments by the id of the call")
	}
	return object(a.Arguments)
}

func object(arguments json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &fields); err != nil || fields == nil {
		return errors.New("the changed arguments are no JSON object")
	}
	return nil
}

// asker is who is asked about calls.
func (r *run) asker() Asker {
	switch {
	case r.setup.Agree:
		return Agreeing{}
	case r.setup.Attended:
		return approver{r}
	}
	return nil
}

// Agreeing is somebody who agrees to everything.
type Agreeing struct{}

// Ask agrees.
func (Agreeing) Ask(context.Context, Request) (Answer, error) { return Answer{Approve: true}, nil }

// approver asks the user of the session.
type approver struct{ *run }

func (a approver) Ask(ctx context.Context, request Request) (Answer, error) {
	return pose(ctx, a.run, func(number int, w *awaited[Answer]) {
		asked := &Approval{ID: fmt.Sprintf("approval_%d", number), Request: request}
		asked.take = w.taking(func(answer Answer) {
			a.status.Approval = nil
			a.feed.tell(Event{Type: wire.EventApproved, Approval: asked, Approve: answer.Approve})
			a.move(ruled)
		})
		a.status.Approval = asked
		a.feed.tell(Event{Type: wire.EventApproval, Approval: asked})
		a.move(challenged)
	})
}
