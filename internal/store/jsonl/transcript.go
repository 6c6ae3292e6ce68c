package jsonl

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redline/agent"
	"redline/llm"
)

// entry is a message as people read it, in Markdown and HTML alike.
type entry struct {
	Index int
	Who   string // User, Assistant, Tool, or a kind of the application's
	Class string // for the style: user, assistant, tool, other
	Time  string
	Model string
	Notes []string // how it ended, if not well
	Cost  string   // tokens and money
	Parts []part
}

// part is a piece of an entry. What is not prose is shown as it is, and folded
// under its title.
type part struct {
	Title  string
	Text   string // its lines end with LF
	Prose  bool
	Failed bool
	Image  string // the picture itself as a URL, where it is safe to show one
}

// header is what is said of the session as a whole.
type header struct {
	Title string
	Facts []fact
}

type fact struct{ Name, Value string }

const transcriptTime = "2006-01-02 15:04:05 UTC"

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(transcriptTime)
}

func headerOf(r *Record) header {
	var h header
	var usage llm.Usage
	var usd float64
	known, unknown := false, false
	models := []string{}
	for _, m := range r.Messages {
		if h.Title == "" && m.Role == llm.RoleUser {
			h.Title = oneLine(m.Text())
		}
		if m.Reply == nil {
			continue
		}
		usage = usage.Add(m.Reply.Usage)
		if m.Reply.CostUSD != nil {
			usd, known = usd+*m.Reply.CostUSD, true
		} else if m.Reply.Usage != (llm.Usage{}) {
			unknown = true
		}
		if name := modelName(m.Reply); name != "" && (len(models) == 0 || models[len(models)-1] != name) {
			models = append(models, name)
		}
	}
	if h.Title == "" {
		h.Title = "Session " + r.ID
	}
	add := func(name, value string) {
		if value != "" {
			h.Facts = append(h.Facts, fact{name, value})
		}
	}
	add("Session", r.ID)
	if r.Parent != "" && r.ParentIndex != nil {
		add("Forked from", fmt.Sprintf("%s, message %d", r.Parent, *r.ParentIndex))
	}
	add("Folder", r.CWD)
	add("Started", stamp(r.Started))
	add("Model", strings.Join(models, ", "))
	add("Messages", fmt.Sprint(len(r.Messages)))
	if usage != (llm.Usage{}) {
		add("Tokens", tokens(usage))
	}
	if known {
		cost := money(usd)
		if unknown {
			cost = "at least " + cost
		}
		add("Cost", cost)
	}
	for _, p := range r.Problems {
		add("Not readable", p.String())
	}
	return h
}

func modelName(r *llm.Reply) string {
	if r.Provider == "" || r.Model == "" {
		return r.Model
	}
	return r.Provider + "/" + r.Model
}

func money(usd float64) string { return fmt.Sprintf("$%.4f", usd) }

func tokens(u llm.Usage) string {
	out := fmt.Sprintf("%d out", u.Output)
	if u.Reasoning > 0 {
		out += fmt.Sprintf(" (%d thinking)", u.Reasoning)
	}
	list := []string{fmt.Sprintf("%d in", u.Input), out}
	if u.CacheRead > 0 {
		list = append(list, fmt.Sprintf("%d read from the cache", u.CacheRead))
	}
	if u.CacheWrite > 0 {
		list = append(list, fmt.Sprintf("%d written to the cache", u.CacheWrite))
	}
	return strings.Join(list, ", ")
}

// newlines: to Markdown a lone CR ends a line as well, and so a quotation.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func entryOf(index int, m agent.Message) entry {
	e := entry{Index: index, Time: stamp(m.Time)}
	switch {
	case m.Custom != nil:
		e.custom(m.Custom)
	case m.Role == llm.RoleUser:
		e.Who, e.Class = "User", "user"
	case m.Role == llm.RoleAssistant:
		e.Who, e.Class = "Assistant", "assistant"
	default:
		e.Who, e.Class = "Tool", "tool"
	}
	if m.Reply != nil {
		e.reply(m.Reply)
	}
	for _, block := range m.Content {
		e.block(block)
	}
	for _, a := range m.Attachments {
		e.attachment(a)
	}
	for i := range e.Parts {
		e.Parts[i].Text = newlines.Replace(e.Parts[i].Text)
	}
	return e
}

func (e *entry) reply(r *llm.Reply) {
	e.Model = modelName(r)
	if r.Usage != (llm.Usage{}) {
		e.Cost = tokens(r.Usage)
		if r.CostUSD != nil {
			e.Cost += ", " + money(*r.CostUSD)
		}
	}
	if r.Failure != nil {
		e.Notes = append(e.Notes, r.Failure.Error())
	}
	switch r.Stop {
	case "", llm.StopEnd, llm.StopToolUse, llm.StopError:
	default:
		e.Notes = append(e.Notes, "ended early: "+string(r.Stop))
	}
}

func (e *entry) block(block llm.Block) {
	switch b := block.(type) {
	case llm.Text:
		if b.Text != "" {
			e.Parts = append(e.Parts, part{Text: b.Text, Prose: true})
		}
	case llm.Thinking:
		text := b.Text
		if text == "" {
			text = "(not shown by the provider)"
		}
		e.Parts = append(e.Parts, part{Title: "Thinking", Text: text})
	case llm.Image:
		e.image("Image", b.MIMEType, b.Data)
	case llm.Document:
		e.Parts = append(e.Parts, part{Title: fmt.Sprintf("Document %s (%s, %d bytes)", b.Name, b.MIMEType, len(b.Data)), Text: b.Text})
	case llm.ToolCall:
		if e.message(b) {
			return
		}
		text := b.Raw
		if text == "" {
			text = indented(b.Arguments)
		}
		e.Parts = append(e.Parts, part{Title: "Call " + b.Name, Text: text})
	case llm.ToolResult:
		p := part{Title: "Result of " + b.Name, Text: b.Output, Failed: b.IsError}
		if b.Name == "" {
			p.Title = "Result of call " + b.CallID
		}
		if b.IsError {
			p.Title += " (failed)"
		}
		e.Parts = append(e.Parts, p)
		for _, image := range b.Images {
			e.image("Image", image.MIMEType, image.Data)
		}
	}
}

// message shows a call that sends the user a message as what was said.
func (e *entry) message(call llm.ToolCall) bool {
	var sent struct{ Message, Priority string }
	if call.Name != llm.MessageTool || json.Unmarshal(call.Arguments, &sent) != nil || strings.TrimSpace(sent.Message) == "" {
		return false
	}
	if sent.Priority == "high" {
		e.Parts = append(e.Parts, part{Title: "Not to be missed:"})
	}
	e.Parts = append(e.Parts, part{Text: sent.Message, Prose: true})
	return true
}

func (e *entry) attachment(a agent.Attachment) {
	name := "Attachment " + a.FileName
	if a.Type == agent.AttachImage {
		e.image(name, a.MIMEType, a.Content)
		return
	}
	e.Parts = append(e.Parts, part{Title: fmt.Sprintf("%s (%s, %d bytes)", name, a.MIMEType, len(a.Content)), Text: a.ExtractedText})
}

// image adds a picture. Only formats that hold nothing but pixels are shown;
// SVG is a document.
func (e *entry) image(name, mimeType string, data []byte) {
	p := part{Title: fmt.Sprintf("%s (%s, %d bytes)", name, mimeType, len(data))}
	switch mimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		p.Image = "data:" + mimeType + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	e.Parts = append(e.Parts, p)
}

func (e *entry) custom(c agent.Custom) {
	e.Class = "other"
	switch c := c.(type) {
	case *agent.Summary:
		e.Who = "Summary of the earlier conversation"
		e.Parts = []part{{Text: c.Text, Prose: true}}
	case *Broken:
		e.Who = "A message that could not be read"
		e.Notes = []string{fmt.Sprintf("line %d: %s", c.Line, c.Reason)}
	default:
		e.Who = c.Role()
		data, err := json.Marshal(agent.Message{Custom: c})
		if err != nil {
			e.Notes = []string{err.Error()}
			return
		}
		e.Parts = []part{{Title: "Data", Text: indented(data)}}
	}
}

func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}
