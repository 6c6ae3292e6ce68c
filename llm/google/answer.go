package google

import (
	"fmt"

	"redline/llm"
)

// answer turns the chunks of one answer into events. All its blocks go under one
// key, because they come one after the other.
type answer struct {
	e        *llm.Emitter
	calls    int
	id       string // of the response
	finished bool   // a reason for its end has come
}

const key = 0

// take reads the data of one event.
func (a *answer) take(data []byte) error {
	list, err := chunksOf(data)
	if err != nil {
		return fmt.Errorf("the answer is not the JSON it should be: %w", err)
	}
	for i := range list {
		if err := a.chunk(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) chunk(c *chunk) error {
	if c.Error != nil {
		f := c.Error.failure(c.Error.Code, nil)
		f.Status = 0 // that of the answer was 200
		return f
	}
	if c.ResponseID != "" {
		a.id = c.ResponseID
	}
	a.e.Start(c.ModelVersion, c.ResponseID)
	if u := c.UsageMetadata; u != nil {
		a.e.Usage(llm.Usage{
			Input:     max(0, u.PromptTokenCount+u.ToolUsePromptTokenCount-u.CachedContentTokenCount),
			CacheRead: u.CachedContentTokenCount,
			Output:    u.CandidatesTokenCount + u.ThoughtsTokenCount,
			Reasoning: u.ThoughtsTokenCount,
		})
	}
	if b := c.PromptFeedback; b != nil && b.BlockReason != "" {
		a.blocked(b)
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	said := &c.Candidates[0]
	for i := range said.Content.Parts {
		a.part(&said.Content.Parts[i])
	}
	if said.FinishReason != "" {
		a.finished = true
		return a.finish(said.FinishReason, said.FinishMessage)
	}
	return nil
}

// blocked tells that the service refused the prompt. Nothing is said then, so
// the reason stands in the place of the answer.
func (a *answer) blocked(b *promptFeedback) {
	a.finished = true
	a.e.Stop(llm.StopContentFilter)
	why := b.BlockReasonMessage
	if why == "" {
		why = "the service blocked the prompt"
	}
	a.e.Text(key, fmt.Sprintf("[%s (%s)]", why, b.BlockReason))
}

// part reports a piece of a block, or a whole call. Pieces of one kind belong to
// one block until a signature ends it.
func (a *answer) part(p *part) {
	signature := p.ThoughtSignature
	text := ""
	if p.Text != nil {
		text = *p.Text
	}
	switch {
	case p.FunctionCall != nil:
		a.call(p.FunctionCall, signature)
	case p.Thought:
		a.e.Thinking(key, text)
		if signature != "" {
			a.e.SignThinking(key, signature)
			a.e.End(key)
		}
	default:
		a.e.Text(key, text)
		if signature != "" {
			a.e.SignText(key, signature)
			a.e.End(key)
		}
	}
}

func (a *answer) call(c *functionCall, signature string) {
	a.calls++
	id := c.ID
	if id == "" && a.id != "" {
		id = madeID(a.id, a.calls)
	}
	a.e.Call(key, id, c.Name)
	a.e.Arguments(key, string(c.Args))
	a.e.Sign(key, signature)
	a.e.End(key)
}

// madeID is the id of a call to which the service gave none. It is unique in a
// conversation, and can be told from the service's own by its beginning.
func madeID(response string, n int) string { return fmt.Sprintf("%s%d", madePrefix(response), n) }

func madePrefix(response string) string { return response + "_" }

// finish tells why the answer ends.
func (a *answer) finish(reason, message string) error {
	switch reason {
	case "STOP":
		a.e.Stop(llm.StopEnd)
	case "MAX_TOKENS":
		a.e.Stop(llm.StopLength)
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		a.e.Stop(llm.StopContentFilter)
	case "LANGUAGE", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE":
		return broken(llm.ClassInvalidRequest, reason, message)
	default: // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER…: another try may go well
		f := broken(llm.ClassOverloaded, reason, message)
		f.Retry = true
		return f
	}
	return nil
}

func broken(class llm.Class, reason, message string) *llm.Failure {
	if message == "" {
		message = "the model ended its answer early"
	}
	return &llm.Failure{Class: class, Code: reason, Message: fmt.Sprintf("%s (%s)", message, reason)}
}
