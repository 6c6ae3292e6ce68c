package openai

import (
	"encoding/json"
	"errors"
	"fmt"

	"redline/llm"
)

// The keys of the blocks of an answer. Calls follow.
const (
	textKey = iota
	thinkingKey
	firstCallKey
)

// chunk is what is needed of an event of Chat Completions.
type chunk struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *chatUsage      `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Groq    struct {
		Usage *chatUsage      `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"x_groq"`
}

type choice struct {
	Index   int             `json:"index"`
	Delta   delta           `json:"delta"`
	Message *delta          `json:"message"` // of a server that does not stream
	Finish  string          `json:"finish_reason"`
	Error   json.RawMessage `json:"error"` // OpenRouter
}

type delta struct {
	Content          content    `json:"content"`
	Refusal          string     `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content"`
	Reasoning        string     `json:"reasoning"`
	Details          []detail   `json:"reasoning_details"`
	Calls            []callPart `json:"tool_calls"`
}

// thought is the thinking in a delta, of which servers may send several copies.
func (d *delta) thought() string {
	switch {
	case d.ReasoningContent != "":
		return d.ReasoningContent
	case d.Reasoning != "":
		return d.Reasoning
	}
	var all string
	for _, detail := range d.Details {
		all += detail.Text + detail.Summary
	}
	return all
}

type callPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments looseText `json:"arguments"`
	} `json:"function"`
}

// content is a text, or of Mistral a list of chunks, some of them thinking.
type content struct{ text, thinking string }

// contentChunk is a piece of a content that is a list.
type contentChunk struct {
	Type     string         `json:"type"`
	Text     string         `json:"text,omitempty"`
	Thinking []contentChunk `json:"thinking,omitempty"`
}

func (c *content) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return decode(data, &c.text)
	}
	var list []contentChunk
	if err := decode(data, &list); err != nil {
		return err
	}
	for _, chunk := range list {
		c.text += chunk.Text
		for _, inner := range chunk.Thinking {
			c.thinking += inner.Text
		}
	}
	return nil
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	CacheHit   int `json:"prompt_cache_hit_tokens"` // DeepSeek
	Read       struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Wrote struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *chatUsage) tokens(apart bool) llm.Usage {
	cached := max(u.Read.Cached, u.CacheHit)
	out := llm.Usage{
		Input: max(0, u.Prompt-cached-u.Read.Written), Output: u.Completion,
		CacheRead: cached, CacheWrite: u.Read.Written, Reasoning: u.Wrote.Reasoning,
	}
	if apart {
		out.Output += out.Reasoning
	}
	return out
}

// chatStream decodes one answer.
type chatStream struct {
	*llm.Emitter
	dialect dialect
	began   bool
	refused bool
	ending  string // finish_reason
	calls   calls
	details details
}

func (s *chatStream) hear(_ string, data []byte) error {
	if s.Left() {
		return errDone
	}
	var c chunk
	if err := decode(data, &c); err != nil {
		return err
	}
	for _, raw := range []json.RawMessage{c.Error, c.Groq.Error} {
		if present(raw) {
			return interruption(complaintOf(raw))
		}
	}
	if !s.began && (c.ID != "" || c.Model != "") {
		s.began = true
		s.Start(c.Model, c.ID)
	}
	for i := range c.Choices {
		if err := s.choice(&c.Choices[i]); err != nil {
			return err
		}
	}
	if c.Usage == nil {
		c.Usage = c.Groq.Usage
	}
	if c.Usage != nil {
		s.Usage(c.Usage.tokens(s.dialect.apart))
	}
	return nil
}

func (s *chatStream) choice(c *choice) error {
	if present(c.Error) {
		return interruption(complaintOf(c.Error))
	}
	if c.Index != 0 { // only one is asked for
		return nil
	}
	s.delta(&c.Delta)
	if c.Message != nil {
		s.delta(c.Message)
	}
	if c.Finish != "" {
		s.ending = c.Finish
	}
	return nil
}

func (s *chatStream) delta(d *delta) {
	if s.dialect.replay == replayDetails {
		s.details.add(d.Details)
	}
	s.think(d.thought())
	s.think(d.Content.thinking)
	s.say(d.Content.text)
	if d.Refusal != "" {
		s.refused = true
		s.say(d.Refusal)
	}
	for i := range d.Calls {
		part := &d.Calls[i]
		s.endThinking()
		s.End(textKey)
		key := firstCallKey + s.calls.place(part)
		s.Call(key, part.ID, part.Function.Name)
		s.Arguments(key, string(part.Function.Arguments))
	}
}

func (s *chatStream) think(text string) {
	if text != "" {
		s.End(textKey)
		s.Thinking(thinkingKey, text)
	}
}

func (s *chatStream) say(text string) {
	if text != "" {
		s.endThinking()
		s.Text(textKey, text)
	}
}

// endThinking ends thinking, with what is needed to send it back. There may be
// nothing to it but that.
func (s *chatStream) endThinking() {
	if signature := s.details.take(); signature != "" {
		s.SignThinking(thinkingKey, signature)
	}
	s.End(thinkingKey)
}

// finish says how the answer ended.
func (s *chatStream) finish(err error) error {
	s.endThinking()
	if s.ending == "" || !afterwards(err) {
		return err
	}
	stop, known := endings[s.ending]
	switch {
	case stop == llm.StopError:
		return interruption(complaint{Message: fmt.Sprintf("the server ended the answer for the reason %q", s.ending)})
	case s.refused:
		stop = llm.StopContentFilter
	case !known:
		stop = llm.StopEnd
	}
	s.Stop(stop)
	return nil
}

// afterwards reports whether an error, if it is one, is but a connection lost
// after the answer's end: then only the count of tokens can be missing.
func afterwards(err error) bool {
	var f *llm.Failure
	return err == nil || errors.As(err, &f) && f.Class == llm.ClassNetwork
}
