package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"redline/internal/wire"
	"redline/llm"
	"redline/llm/offline"
	"redline/llm/scripted"
)

// recording is a model that notes what it is asked.
type recording struct {
	llm.Provider
	able llm.Model

	mu   sync.Mutex
	last llm.Request
}

// model makes the model of a play: its script, or the one that is built in.
func (r *recording) model(p *play) {
	p.t.Helper()
	if _, ok := p.settings["offline"]; ok {
		r.Provider, r.able = offline.New(), offline.Model()
		return
	}
	script, err := scripted.Parse("model.yaml", p.part("model"))
	p.must(err)
	r.Provider, r.able = script, scripted.Model()
	if _, ok := p.settings["blind"]; ok {
		r.able.Can = llm.Abilities{Tools: true}
	}
}

func (r *recording) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	r.mu.Lock()
	r.last = req
	r.mu.Unlock()
	return r.Provider.Stream(ctx, req)
}

// bring carries out a line about what comes with the messages, or what another
// program does:
//
//	rows [JSON]          the context rows of the messages that follow; without JSON
//	                     they are shown, as the session has brought them up to date
//	attach JSON          an attachment of the next message
//	calls N              the messages that follow may make so many calls of tools
//	write PATH TEXT      the file, with \n and the like as in Go
//	remove PATH
//	seen                 the newest message of the user, as the model saw it
//	waiting              what the session waits for
func (p *play) bring(verb, rest string) {
	p.t.Helper()
	switch verb {
	case "rows":
		if rest == "" {
			for _, row := range p.brings.Context {
				p.print(row)
			}
			return
		}
		p.brings.Context = nil
		p.must(json.Unmarshal([]byte(rest), &p.brings.Context))
		p.brings.Refreshed = func(rows []wire.ContextRow) { p.brings.Context = rows }
	case "attach":
		var a wire.Attachment
		p.must(json.Unmarshal([]byte(rest), &a))
		p.brings.Attachments = append(p.brings.Attachments, a)
	case "calls":
		n, err := strconv.Atoi(rest)
		p.must(err)
		p.brings.MaxCalls = n
	case "write":
		name, text, _ := strings.Cut(rest, " ")
		text, err := strconv.Unquote(`"` + text + `"`)
		p.must(err)
		p.must(os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
	case "remove":
		p.must(os.Remove(filepath.Join(p.dir, rest)))
	case "seen":
		p.seen()
	case "waiting":
		p.state(p.session.Status())
	default:
		p.t.Fatalf("unknown line %q", verb)
	}
}

// print writes a row down, without its hash.
func (p *play) print(row wire.ContextRow) {
	known := ""
	if row.Hash != "" {
		known = ", with its hash"
	}
	fmt.Fprintf(&p.transcript, "  %s %s %s %d-%d: %q%s\n", row.ID, row.Kind, row.Path, row.From, row.To, row.Content, known)
}

// seen writes down the newest message of the user as the model saw it, block by block.
func (p *play) seen() {
	p.provider.mu.Lock()
	defer p.provider.mu.Unlock()
	messages := p.provider.last.Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != llm.RoleUser {
			continue
		}
		for _, block := range messages[i].Content {
			text := fmt.Sprintf("%T", block)
			switch b := block.(type) {
			case llm.Text:
				text = "text: " + strings.ReplaceAll(b.Text, "\n", "\n    ")
			case llm.Image:
				text = fmt.Sprintf("image: %s, %d bytes", b.MIMEType, len(b.Data))
			case llm.Document:
				text = fmt.Sprintf("document: %s, %d bytes", b.MIMEType, len(b.Data))
			}
			fmt.Fprintf(&p.transcript, "  %s\n", text)
		}
		return
	}
}
