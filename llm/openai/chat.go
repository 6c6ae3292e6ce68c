package openai

import (
	"context"
	"iter"

	"redline/llm"
)

// chat speaks Chat Completions.
type chat struct {
	client
	offer *offer
}

// NewChat returns a provider that speaks Chat Completions with OpenAI or with a
// server that is compatible with it.
func NewChat(e llm.Endpoint) (llm.Provider, error) {
	c, err := newClient(e)
	if err != nil {
		return nil, err
	}
	return chat{c, new(offer)}, nil
}

func (c chat) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	d := dialectOf(req.Model)
	req.Model.Can.Documents = req.Model.Can.Documents && d.files
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		body, err := d.body(req, c.offer)
		if err != nil {
			return err
		}
		s := chatStream{Emitter: e, dialect: d}
		err = c.stream(ctx, "chat/completions", body, s.hear)
		return s.finish(err)
	})
}
