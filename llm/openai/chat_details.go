package openai

import "encoding/json"

// detail is a piece of reasoning_details, by which OpenRouter carries thinking
// with the signatures of the provider behind it.
type detail struct {
	Type      string  `json:"type"` // reasoning.text, reasoning.summary or reasoning.encrypted
	ID        *string `json:"id,omitempty"`
	Format    string  `json:"format,omitempty"`
	Index     *int    `json:"index,omitempty"`
	Text      string  `json:"text,omitempty"`
	Summary   string  `json:"summary,omitempty"`
	Data      string  `json:"data,omitempty"`
	Signature string  `json:"signature,omitempty"`
}

// details gathers the pieces: those of one type and index make one detail.
type details []growingDetail

type growingDetail struct {
	detail
	text, summary, data []byte
}

func (g *growingDetail) takes(d detail) bool {
	return g.Type == d.Type && g.Index != nil && d.Index != nil && *g.Index == *d.Index
}

func (all *details) add(pieces []detail) {
	for _, d := range pieces {
		n := len(*all)
		if n == 0 || !(*all)[n-1].takes(d) {
			*all = append(*all, growingDetail{detail: d})
			n++
		}
		g := &(*all)[n-1]
		g.text, g.summary, g.data = append(g.text, d.Text...), append(g.summary, d.Summary...), append(g.data, d.Data...)
		if d.ID != nil {
			g.ID = d.ID
		}
		if d.Signature != "" {
			g.Signature = d.Signature
		}
	}
}

// take returns what was gathered as JSON, or "" if that is nothing, and begins
// anew.
func (all *details) take() string {
	if len(*all) == 0 {
		return ""
	}
	list := make([]detail, 0, len(*all))
	for _, g := range *all {
		g.Text, g.Summary, g.Data = string(g.text), string(g.summary), string(g.data)
		list = append(list, g.detail)
	}
	*all = nil
	out, err := json.Marshal(list)
	if err != nil { // texts and numbers always have a JSON form
		panic(err)
	}
	return string(out)
}
