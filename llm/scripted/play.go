package scripted

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"redline/llm"
)

// player says one step.
type player struct {
	*llm.Emitter
	ctx    context.Context
	step   Step
	number int
	pieces int // said so far
}

// errCut ends a step in the middle.
var errCut = errors.New("the answer was cut off by the script")

func (p *player) play() error {
	if err := rest(p.ctx, p.step.Delay); err != nil {
		return err
	}
	if p.step.Error == nil || p.step.says() {
		p.Start("", fmt.Sprintf("step-%d", p.number)) // a refused request never starts
	}
	p.Usage(p.step.Usage)
	if err := p.say(); err != nil {
		return err
	}
	switch {
	case p.step.Cut > 0: // after its last piece, or longer than it
		return errCut
	case p.step.Error != nil:
		failure := *p.step.Error
		return &failure
	case p.step.Stop != "":
		p.Stop(p.step.Stop)
	default:
		p.Stop(llm.StopEnd) // after calls, Emit makes tool_use of it
	}
	return nil
}

// says reports whether the step has any content.
func (s Step) says() bool { return s.Thinking != "" || s.Text != "" || len(s.Calls) > 0 }

// say tells the blocks. Their keys are their places in the message.
func (p *player) say() error {
	const thinking, text, calls = 0, 1, 2
	if err := p.inPieces(p.step.Thinking, func(s string) { p.Thinking(thinking, s) }); err != nil {
		return err
	}
	p.Sign(thinking, p.step.Signature)
	p.End(thinking)
	if err := p.inPieces(p.step.Text, func(s string) { p.Text(text, s) }); err != nil {
		return err
	}
	p.End(text)
	for i, c := range p.step.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", p.number, i+1)
		}
		p.Call(calls+i, c.ID, c.Name)
		if err := p.inPieces(c.Arguments, func(s string) { p.Arguments(calls+i, s) }); err != nil {
			return err
		}
		p.End(calls + i)
	}
	return nil
}

// inPieces says a text piece by piece.
func (p *player) inPieces(text string, say func(string)) error {
	for text != "" {
		if p.step.Cut > 0 && p.pieces == p.step.Cut {
			return errCut
		}
		if p.pieces > 0 {
			if err := rest(p.ctx, p.step.Pause); err != nil {
				return err
			}
		}
		n := pieceLen(text, p.step.Chunk)
		say(text[:n])
		text = text[n:]
		p.pieces++
		if p.Left() {
			return context.Canceled
		}
	}
	return nil
}

// pieceLen is how many bytes the first runes of a text have; 0 runes are all.
func pieceLen(text string, runes int) int {
	if runes == 0 {
		return len(text)
	}
	n := 0
	for ; runes > 0 && n < len(text); runes-- {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return n
}

func rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
