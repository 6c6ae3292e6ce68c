package openai

import (
	"encoding/base64"
	"strings"

	"redline/llm"
)

// dataURL is a file inside a URL.
func dataURL(mimeType string, data []byte) string {
	return "data:" + mimeType + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// asText is the text of a document that is not sent as a file: OpenAI reads PDF
// alone, and of others what they say is as good.
func asText(d llm.Document) (string, bool) {
	switch {
	case d.MIMEType == "application/pdf" && len(d.Data) > 0:
		return "", false
	case d.Text == "" && strings.HasPrefix(d.MIMEType, "text/"):
		d.Text = string(d.Data)
	}
	return d.AsText(), d.Text != ""
}

// fileName is the name of a document, which must not be empty.
func fileName(d llm.Document) string {
	if d.Name == "" {
		return "document"
	}
	return d.Name
}

// outcome is what a tool said. These protocols have no field for failure, so it
// is said in words.
func outcome(r llm.ToolResult) string {
	if r.IsError && (len(r.Output) < 5 || !strings.EqualFold(r.Output[:5], "error")) {
		return "Error: " + r.Output
	}
	return r.Output
}

// thoughts is how many tokens a model may think at each level. OpenAI has no
// figures for its words; these are generous.
var thoughts = map[llm.Level]int{llm.ThinkMinimal: 1024, llm.ThinkLow: 4096, llm.ThinkMedium: 8192, llm.ThinkHigh: 24576}

// roomy is the limit of an answer with room for what is thought before it, which
// OpenAI counts as part of it: else a thinking model would be cut before it
// speaks. Where thinking is off, the model's own word for that tells how much it
// thinks all the same.
func roomy(req llm.Request) int {
	if req.Model.Thinking == "" {
		return req.MaxTokens
	}
	level := req.Thinking
	if !level.On() {
		level = llm.Level(req.Model.Efforts[llm.ThinkOff])
	}
	n := req.MaxTokens + thoughts[level]
	if most := req.Model.MaxOutput; most > 0 {
		n = min(n, max(most, req.MaxTokens))
	}
	return n
}
