package toolsettest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// User answers questions with what a case has put down, in order.
type User struct {
	mu      sync.Mutex
	answers []string
	asked   []string // since they were last taken
}

// Ask answers a question.
func (u *User) Ask(ctx context.Context, question string) (string, error) {
	return u.answer(ctx, question)
}

// Choose answers a question that has a choice of answers.
func (u *User) Choose(ctx context.Context, question string, options []string) (string, error) {
	return u.answer(ctx, fmt.Sprintf("%s [%s]", question, strings.Join(options, ", ")))
}

func (u *User) answer(ctx context.Context, question string) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(u.answers) == 0 {
		u.asked = append(u.asked, "? "+question)
		return "", errors.New("nobody answers")
	}
	a := u.answers[0]
	u.answers = u.answers[1:]
	u.asked = append(u.asked, "? "+question+" -> "+a)
	return a, nil
}

func (u *User) will(answer string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answers = append(u.answers, answer)
}

// take returns the questions that were asked since the last time.
func (u *User) take() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked := u.asked
	u.asked = nil
	return asked
}
