package openai

import (
	"encoding/json"
	"fmt"

	"redline/llm"
)

// responseStream decodes one answer of the Responses protocol. Blocks go by the
// place of their item in the output.
type responseStream struct {
	*llm.Emitter
	items   map[int]*item // open ones by their place
	refused bool
}

// item is what is known of an item of the output while it is open.
type item struct {
	spoke bool // something of it was shown
	parts int  // of its summary
}

// piece is an event about a part of an item.
type piece struct {
	Place     int    `json:"output_index"`
	Delta     string `json:"delta"`
	Arguments string `json:"arguments"` // all of them, at the end
}

// whole is an event about an item as such.
type whole struct {
	Place int             `json:"output_index"`
	Item  json.RawMessage `json:"item"`
}

// outputItem is a finished or beginning item.
type outputItem struct {
	Type      string     `json:"type"`
	CallID    string     `json:"call_id"`
	Name      string     `json:"name"`
	Arguments string     `json:"arguments"`
	Phase     string     `json:"phase"`
	Content   []textPart `json:"content"`
	Summary   []textPart `json:"summary"`
}

type textPart struct {
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// state is an event about the response as such, or the event "error".
type state struct {
	Response struct {
		ID         string          `json:"id"`
		Model      string          `json:"model"`
		Error      json.RawMessage `json:"error"`
		Usage      *responseUsage  `json:"usage"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
	} `json:"response"`
}

type responseUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Read   struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Wrote struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u responseUsage) tokens() llm.Usage {
	return llm.Usage{
		Input: max(0, u.Input-u.Read.Cached-u.Read.Written), Output: u.Output,
		CacheRead: u.Read.Cached, CacheWrite: u.Read.Written, Reasoning: u.Wrote.Reasoning,
	}
}

// hear takes an event. Its type is also in the line before the data, where it
// costs nothing to read; not all servers send that line.
func (s *responseStream) hear(kind string, data []byte) error {
	if s.Left() {
		return errDone
	}
	if kind == "" {
		var named struct {
			Type  string          `json:"type"`
			Error json.RawMessage `json:"error"`
		}
		if err := decode(data, &named); err != nil {
			return err
		}
		if kind = named.Type; kind == "" && present(named.Error) {
			kind = "error"
		}
	}
	switch kind {
	case "response.output_text.delta", "response.refusal.delta",
		"response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning_summary_part.added",
		"response.function_call_arguments.delta", "response.function_call_arguments.done":
		var p piece
		if err := decode(data, &p); err != nil {
			return err
		}
		s.piece(kind, &p)
	case "response.output_item.added", "response.output_item.done":
		return s.item(kind, data)
	case "response.created", "response.completed", "response.incomplete", "response.failed":
		return s.state(kind, data)
	case "error":
		return interruption(readComplaint(data))
	}
	return nil
}

// at is the open item of a place. Events of items that were never announced
// come from servers that are only nearly compatible.
func (s *responseStream) at(place int) *item {
	if s.items[place] == nil {
		s.items[place] = &item{}
	}
	return s.items[place]
}

func (s *responseStream) piece(kind string, p *piece) {
	it := s.at(p.Place)
	switch kind {
	case "response.output_text.delta":
		s.Text(p.Place, p.Delta)
	case "response.refusal.delta":
		s.refused = true
		s.Text(p.Place, p.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.Thinking(p.Place, p.Delta)
	case "response.reasoning_summary_part.added":
		if it.parts++; it.parts > 1 && it.spoke {
			s.Thinking(p.Place, "\n\n")
		}
		return
	case "response.function_call_arguments.delta":
		s.Arguments(p.Place, p.Delta)
	case "response.function_call_arguments.done":
		if !it.spoke {
			s.Arguments(p.Place, p.Arguments)
			it.spoke = p.Arguments != ""
		}
		return
	}
	it.spoke = it.spoke || p.Delta != ""
}

func (s *responseStream) item(kind string, data []byte) error {
	var w whole
	var o outputItem
	if err := decode(data, &w); err != nil || !present(w.Item) {
		return err
	}
	if err := decode(w.Item, &o); err != nil {
		return err
	}
	it := s.at(w.Place)
	if o.Type == "function_call" {
		s.Call(w.Place, o.CallID, o.Name)
	}
	if kind == "response.output_item.added" {
		return nil
	}
	if !it.spoke {
		s.recite(w.Place, &o)
	}
	switch {
	case o.Type == "reasoning":
		s.SignThinking(w.Place, string(w.Item))
	case o.Phase != "":
		s.Sign(w.Place, o.Phase)
	}
	s.End(w.Place)
	delete(s.items, w.Place)
	return nil
}

// recite shows an item of which no piece has come.
func (s *responseStream) recite(place int, o *outputItem) {
	switch o.Type {
	case "message":
		for _, part := range o.Content {
			s.refused = s.refused || part.Refusal != ""
			s.Text(place, part.Text+part.Refusal)
		}
	case "function_call":
		s.Arguments(place, o.Arguments)
	case "reasoning":
		parts := o.Summary
		if len(parts) == 0 {
			parts = o.Content
		}
		for i, part := range parts {
			if i > 0 {
				s.Thinking(place, "\n\n")
			}
			s.Thinking(place, part.Text)
		}
	}
}

func (s *responseStream) state(kind string, data []byte) error {
	var st state
	if err := decode(data, &st); err != nil {
		return err
	}
	r := &st.Response
	s.Start(r.Model, r.ID)
	if r.Usage != nil {
		s.Usage(r.Usage.tokens())
	}
	switch kind {
	case "response.created":
		return nil
	case "response.failed":
		return interruption(complaintOf(r.Error))
	case "response.incomplete":
		return s.incomplete(r.Incomplete.Reason)
	}
	stop := llm.StopEnd
	if s.refused {
		stop = llm.StopContentFilter
	}
	s.Stop(stop)
	return errDone
}

func (s *responseStream) incomplete(reason string) error {
	switch reason {
	case "content_filter":
		s.Stop(llm.StopContentFilter)
	case "max_output_tokens", "max_tokens":
		s.Stop(llm.StopLength)
	default:
		return interruption(complaint{Message: fmt.Sprintf("the answer is incomplete for the reason %q", reason)})
	}
	return errDone
}
