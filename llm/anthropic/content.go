package anthropic

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"redline/llm"
)

// turn is what one side says until the other does. Results of tools come first
// in it, whatever else was said with them.
type turn struct {
	role    sdk.MessageParamRole
	results []sdk.ContentBlockParamUnion
	rest    []sdk.ContentBlockParamUnion
}

func (t turn) param() sdk.MessageParam {
	return sdk.MessageParam{Role: t.role, Content: append(t.results, t.rest...)}
}

// turnsOf makes turns of an adapted conversation. The first is the user's.
func turnsOf(messages []llm.Message) []turn {
	var turns []turn
	for _, m := range messages {
		t := turnOf(m)
		if len(t.results)+len(t.rest) == 0 {
			continue
		}
		if n := len(turns); n > 0 && turns[n-1].role == t.role {
			turns[n-1].results = append(turns[n-1].results, t.results...)
			turns[n-1].rest = append(turns[n-1].rest, t.rest...)
			continue
		}
		if len(turns) == 0 && t.role == sdk.MessageParamRoleAssistant {
			turns = append(turns, say("(The conversation began earlier.)"))
		}
		turns = append(turns, t)
	}
	return turns
}

func turnOf(m llm.Message) turn {
	switch m.Role {
	case llm.RoleAssistant:
		return turn{role: sdk.MessageParamRoleAssistant, rest: assistantBlocks(m.Content)}
	case llm.RoleTool:
		r, _ := m.ToolResult()
		return resultTurn(r)
	}
	return turn{role: sdk.MessageParamRoleUser, rest: userBlocks(m.Content)}
}

func say(s string) turn {
	return turn{role: sdk.MessageParamRoleUser, rest: []sdk.ContentBlockParamUnion{sdk.NewTextBlock(s)}}
}

// complete makes the end of a conversation acceptable. A last message of the
// assistant is the beginning of its answer: no white space may follow it, nor
// may it contain thoughts. Models that think, and newer ones, do not take such
// a beginning; they are asked to go on.
func complete(turns []turn, wantsUser bool) []turn {
	last := turns[len(turns)-1]
	if last.role == sdk.MessageParamRoleUser {
		return turns
	}
	if wantsUser {
		return append(turns, say("Continue."))
	}
	var said []sdk.ContentBlockParamUnion
	for _, b := range last.rest {
		if b.OfText != nil {
			said = append(said, b)
		}
	}
	end := said[len(said)-1].OfText
	end.Text = strings.TrimRight(end.Text, " \t\r\n")
	turns[len(turns)-1].rest = said
	return turns
}

// assistantBlocks leaves out blank texts, thoughts without a signature and
// thoughts at the end, which led to nothing.
func assistantBlocks(content []llm.Block) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	spoken := 0 // how many blocks there are up to the last that is no thought
	for _, block := range content {
		switch b := block.(type) {
		case llm.Text:
			if blank(b.Text) {
				continue
			}
			blocks = append(blocks, sdk.NewTextBlock(b.Text))
			spoken = len(blocks)
		case llm.Thinking:
			switch {
			case b.Signature == "":
			case b.Redacted:
				blocks = append(blocks, sdk.NewRedactedThinkingBlock(b.Signature))
			default:
				blocks = append(blocks, sdk.NewThinkingBlock(b.Signature, b.Text))
			}
		case llm.ToolCall:
			blocks = append(blocks, sdk.NewToolUseBlock(b.ID, b.Arguments, toolName(b.Name)))
			spoken = len(blocks)
		}
	}
	return blocks[:spoken]
}

// toolName makes a name acceptable that another provider let pass.
func toolName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 128)]
}

func userBlocks(content []llm.Block) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	for _, block := range content {
		switch b := block.(type) {
		case llm.Text:
			if !blank(b.Text) {
				blocks = append(blocks, sdk.NewTextBlock(b.Text))
			}
		case llm.Image:
			blocks = append(blocks, image(b))
		case llm.Document:
			blocks = append(blocks, document(b))
		}
	}
	return blocks
}

// resultTurn keeps the images of a failed call beside its result: a result that
// is an error may hold text only.
func resultTurn(r llm.ToolResult) turn {
	t := turn{role: sdk.MessageParamRoleUser}
	result := sdk.ToolResultBlockParam{ToolUseID: r.CallID}
	if r.IsError {
		result.IsError = sdk.Bool(true)
	}
	output := r.Output
	if blank(output) && (len(r.Images) == 0 || r.IsError) {
		output = "(no output)"
	}
	if !blank(output) {
		result.Content = append(result.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: output}})
	}
	for _, i := range r.Images {
		block := image(i)
		if r.IsError {
			t.rest = append(t.rest, block)
		} else {
			result.Content = append(result.Content, sdk.ToolResultBlockParamContentUnion{OfText: block.OfText, OfImage: block.OfImage})
		}
	}
	t.results = []sdk.ContentBlockParamUnion{{OfToolResult: &result}}
	return t
}

// image is a picture, or a line of text about one that the service does not
// take.
func image(i llm.Image) sdk.ContentBlockParamUnion {
	kind := imageType(i)
	if kind == "" {
		return sdk.NewTextBlock(fmt.Sprintf("[an image (%s) that this model cannot see]", i.MIMEType))
	}
	return sdk.NewImageBlockBase64(kind, base64.StdEncoding.EncodeToString(i.Data))
}

// imageType is the type of a picture if the service takes it. The bytes count
// more than the label: the service refuses a wrong one.
func imageType(i llm.Image) string {
	for _, kind := range []string{http.DetectContentType(i.Data), mediaType(i.MIMEType)} {
		switch kind {
		case "image/jpeg", "image/png", "image/gif", "image/webp":
			return kind
		case "image/jpg":
			return "image/jpeg"
		}
	}
	return ""
}

// document is a PDF as it is, anything else as its text.
func document(d llm.Document) sdk.ContentBlockParamUnion {
	var block sdk.DocumentBlockParam
	text := documentText(d)
	switch {
	case isPDF(d):
		block.Source.OfBase64 = &sdk.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(d.Data)}
	case !blank(text):
		block.Source.OfText = &sdk.PlainTextSourceParam{Data: text}
	case isText(d):
		return sdk.NewTextBlock(fmt.Sprintf("[the document %s, which is empty]", d.Name))
	default:
		return sdk.NewTextBlock(fmt.Sprintf("[the document %s (%s), which this model cannot read]", d.Name, d.MIMEType))
	}
	if d.Name != "" {
		block.Title = sdk.String(d.Name)
	}
	return sdk.ContentBlockParamUnion{OfDocument: &block}
}

func documentText(d llm.Document) string {
	if d.Text == "" && isText(d) {
		return strings.ToValidUTF8(string(d.Data), "\uFFFD")
	}
	return d.Text
}

func isPDF(d llm.Document) bool {
	return mediaType(d.MIMEType) == "application/pdf" && len(d.Data) > 0
}

func isText(d llm.Document) bool {
	kind := mediaType(d.MIMEType)
	return strings.HasPrefix(kind, "text/") || kind == "application/json"
}

// mediaType is a MIME type without its parameters.
func mediaType(s string) string {
	kind, _, _ := strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// unreadable says what of the newest user messages no model of this service
// takes. In older messages it becomes a line of text, so that a conversation
// goes on.
func unreadable(messages []llm.Message) *llm.Failure {
	for i := len(messages) - 1; i >= 0 && messages[i].Role != llm.RoleAssistant; i-- {
		for _, block := range messages[i].Content {
			switch b := block.(type) {
			case llm.Image:
				if imageType(b) == "" {
					return invalid("images of type %q are not taken; convert it to JPEG, PNG, GIF or WebP", b.MIMEType)
				}
			case llm.Document:
				if !isPDF(b) && !isText(b) && blank(b.Text) {
					return invalid("the document %s of type %q is not taken without its text; convert it to PDF or text", b.Name, b.MIMEType)
				}
			}
		}
	}
	return nil
}
