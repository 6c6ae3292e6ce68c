package llm

// What blocks cost that are not text, in tokens. Providers cut a picture into
// tiles, and a page of a document takes about as much as one.
const (
	imageTokens   = 1500
	bytesOfAPage  = 16 << 10
	messageTokens = 4 // the marks around a message
)

// EstimateTokens guesses how many tokens a model makes of a text: one for four
// ASCII bytes, one for every other rune. It errs towards too many.
func EstimateTokens(text string) int {
	ascii, wide := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < 0x80:
			ascii++
		case c >= 0xC0: // the first byte of a rune
			wide++
		}
	}
	return (ascii+3)/4 + wide
}

// EstimateTokens guesses how large the request is for a model. Prompt sizes in
// the usage of earlier answers are exact, this is for what was never sent.
func (r Request) EstimateTokens() int {
	n := EstimateTokens(r.System)
	for _, t := range r.Tools {
		n += EstimateTokens(t.Name) + EstimateTokens(t.Description) + EstimateTokens(string(t.Schema))
	}
	if r.Output != nil {
		n += EstimateTokens(string(r.Output.Schema))
	}
	for _, m := range r.Messages {
		n += m.EstimateTokens()
	}
	return n
}

// EstimateTokens guesses how large the message is for a model.
func (m Message) EstimateTokens() int {
	n := messageTokens
	for _, block := range m.Content {
		switch b := block.(type) {
		case Text:
			n += EstimateTokens(b.Text)
		case Thinking:
			n += EstimateTokens(b.Text)
		case Image:
			n += imageTokens
		case Document:
			if b.Text != "" {
				n += EstimateTokens(b.Text)
			} else {
				n += (len(b.Data)/bytesOfAPage + 1) * imageTokens
			}
		case ToolCall:
			n += EstimateTokens(b.Name) + EstimateTokens(string(b.Arguments))
		case ToolResult:
			n += EstimateTokens(b.Output) + len(b.Images)*imageTokens
		}
	}
	return n
}
