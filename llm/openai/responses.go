package openai

import (
	"context"
	"iter"

	"redline/llm"
)

// answers speaks Responses.
type answers struct{ client }

// NewResponses returns a provider that speaks Responses. Nothing is kept on the
// server: every request carries the whole conversation, and the reasoning of
// the model in encrypted form. The signature of thinking is its reasoning item;
// that of text is the phase of its message, if it has one.
func NewResponses(e llm.Endpoint) (llm.Provider, error) {
	c, err := newClient(e)
	if err != nil {
		return nil, err
	}
	return answers{c}, nil
}

func (a answers) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		params, err := responsesRequest(req)
		if err != nil {
			return err
		}
		body, err := params.MarshalJSON()
		if err != nil {
			return err
		}
		s := responseStream{Emitter: e, items: map[int]*item{}}
		return a.stream(ctx, "responses", body, s.hear)
	})
}
