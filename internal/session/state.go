package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is where a session stands.
type State string

// The states.
const (
	Idle             State = "idle"
	Running          State = "running"
	WaitingForUser   State = "waiting_for_user"  // for an answer: in the middle of a run, or a run has ended with a question
	AwaitingApproval State = "awaiting_approval" // of calls, in the middle of a run
	AwaitingReview   State = "awaiting_review"   // changes are staged, and reach the disk when they are accepted
	Done             State = "done"
	Failed           State = "failed"
	Cancelled        State = "cancelled"
)

// happening is what moves a session from one state to another.
type happening string

const (
	sent       happening = "message"                   // the user says something
	asked      happening = "question"                  // the model wants to know something
	answered   happening = "answer"                    // … and is told
	challenged happening = "approval request"          // calls wait for the user
	ruled      happening = "approval"                  // … who agrees or does not
	finished   happening = "end"                       // the model is done
	inquired   happening = "end with a question"       // … and wants to know something
	proposed   happening = "end with changes"          // … and its changes wait for a decision
	broke      happening = "failure"                   // the run ended without being done
	stopped    happening = "cancellation"              // the user ended it, or did not agree to a call
	decided    happening = "decision"                  // nothing waits for a decision any more
	uncovered  happening = "decision before an answer" // … and the question is left with which the run ended
)

// table says what may happen in each state, and where it leads. Nothing else
// changes the state of a session.
//
//	                  message  question  answer   approval  approval  end   …with a   …with     failure  cancel-    decision  …before
//	                                              request                   question  changes            lation               an answer
//	idle              running                                                                                       idle
//	running                    waiting            awaiting            done  waiting   awaiting  failed   cancelled
//	                           for user           approval                  for user  review
//	waiting_for_user  running            running                                                failed   cancelled  waiting…
//	awaiting_approval                                       running                             failed   cancelled
//	awaiting_review   running                                                                                       done      waiting…
//	done              running                                                                                       done
//	failed            running                                                                                       failed
//	cancelled         running                                                                                       cancelled
//
// A message is taken in waiting_for_user only if the run has ended, with the
// question or with its program; in the middle of a run it is an answer that is
// wanted. A run that ends with both changes and a question awaits the review first,
// and its question is in the status already.
var table = map[State]map[happening]State{
	Idle:             {sent: Running, decided: Idle},
	Running:          {asked: WaitingForUser, challenged: AwaitingApproval, finished: Done, inquired: WaitingForUser, proposed: AwaitingReview, broke: Failed, stopped: Cancelled},
	WaitingForUser:   {sent: Running, answered: Running, broke: Failed, stopped: Cancelled, decided: WaitingForUser},
	AwaitingApproval: {ruled: Running, broke: Failed, stopped: Cancelled},
	AwaitingReview:   {sent: Running, decided: Done, uncovered: WaitingForUser},
	Done:             {sent: Running, decided: Done},
	Failed:           {sent: Running, decided: Failed},
	Cancelled:        {sent: Running, decided: Cancelled},
}

// MoveError is something that cannot happen in a state.
type MoveError struct {
	State State
	what  happening
}

func (e *MoveError) Error() string {
	var can []string
	for _, h := range slices.Sorted(maps.Keys(table[e.State])) {
		can = append(can, string(h))
	}
	return fmt.Sprintf("the session is %s: there is no place for %s now; it can take: %s", strings.ReplaceAll(string(e.State), "_", " "), e.what, strings.Join(can, ", "))
}

// next is the state that a happening leads to.
func (s State) next(h happening) (State, error) {
	to, ok := table[s][h]
	if !ok {
		return s, &MoveError{s, h}
	}
	return to, nil
}
