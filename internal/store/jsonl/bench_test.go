package jsonl_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/internal/store/jsonl"
	"redline/llm"
)

// prose is about n bytes of text with the characters that notes have.
func prose(r *rand.Rand, n int) string {
	words := []string{"the", "harbour", "lay", "quiet", "\"Yes,\"", "she", "said", "—", "café", "<b>bold</b>", "# Heading\n\n", "- item\n", "func main() {\n\treturn\n}\n", "and", "so", "it", "went.\n"}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

// turn is what a user's message leads to: thinking, calls and results of 1 to 20
// KB each, now and then a picture.
func turn(r *rand.Rand, n int) []agent.Message {
	size := func() int { return 1000 + r.IntN(19_000) }
	picture := func(n int) []byte {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		return data
	}
	at := time.Date(2025, 10, 12, 10, 0, n, 0, time.UTC)
	user := agent.UserMessage(prose(r, 300))
	if r.IntN(12) == 0 {
		user.Attachments = []agent.Attachment{{ID: "a1", Type: agent.AttachImage, FileName: "chart.png", MIMEType: "image/png", Size: 300_000, Content: picture(300_000)}}
	}
	list := []agent.Message{user}
	for i := range 4 {
		id := fmt.Sprintf("call_%d_%d", n, i)
		arguments, _ := json.Marshal(map[string]any{"path": "notes/day.md", "content": prose(r, size()/4)})
		usd := 0.0123
		said := llm.Assistant(llm.Thinking{Text: prose(r, 800), Signature: strings.Repeat("c2lnbmF0dXJl", 30)}, llm.Text{Text: prose(r, 400)},
			llm.ToolCall{ID: id, Name: "write_file", Arguments: arguments})
		said.Reply = &llm.Reply{Provider: "anthropic", API: llm.APIMessages, Model: "claude-sonnet-4-5", ResponseID: "msg_" + id, Stop: llm.StopToolUse,
			Usage: llm.Usage{Input: 1200, Output: 450, CacheRead: 20_000}, CostUSD: &usd, Latency: 3 * time.Second, FirstToken: 400 * time.Millisecond}
		result := llm.ToolResult{CallID: id, Name: "write_file", Output: prose(r, size()), Details: json.RawMessage(`{"added":12,"removed":3}`)}
		if r.IntN(40) == 0 {
			result.Images = []llm.Image{{MIMEType: "image/png", Data: picture(200_000)}}
		}
		list = append(list, agent.Message{Message: said}, agent.Message{Message: llm.Answer(result)})
	}
	for i := range list {
		list[i].Time = at
	}
	return list
}

// bigSession makes a session file of at least size bytes.
func bigSession(t testing.TB, store *jsonl.Store, cwd string, size int64) (path string, messages int) {
	t.Helper()
	session, err := store.Create(cwd, map[string]string{"model": "anthropic/claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	first := turn(rand.New(rand.NewPCG(1, 1)), 0)
	for _, m := range first[:2] { // the file begins as any other
		if _, err := session.Append(m); err != nil {
			t.Fatal(err)
		}
	}
	session.Close()
	file, err := os.OpenFile(session.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := rand.New(rand.NewPCG(2, 2))
	written, messages := int64(0), 2
	add := func(m agent.Message) {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		n, err := fmt.Fprintf(file, "{\"type\":\"message\",\"message\":%s}\n", data)
		if err != nil {
			t.Fatal(err)
		}
		written += int64(n)
		messages++
	}
	add(first[2])
	for n := 1; written < size; n++ {
		for _, m := range turn(r, n) {
			add(m)
		}
	}
	return session.Path(), messages
}

func BenchmarkOpen50MB(b *testing.B) {
	store := jsonl.Open(b.TempDir(), nil)
	path, want := bigSession(b, store, filepath.Join(b.TempDir(), "project"), 50<<20)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		session, record, err := store.Resume(path)
		if err != nil {
			b.Fatal(err)
		}
		if len(record.Messages) != want || len(record.Problems) > 0 {
			b.Fatalf("%d messages of %d, %v", len(record.Messages), want, record.Problems)
		}
		session.Close()
	}
	b.ReportMetric(float64(want), "messages")
}

func BenchmarkList1000(b *testing.B) {
	store := jsonl.Open(b.TempDir(), nil)
	cwd := filepath.Join(b.TempDir(), "project")
	for n := range 1000 {
		session, err := store.Create(cwd, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range turn(rand.New(rand.NewPCG(3, uint64(n))), n)[:3] {
			m.Role = llm.RoleTool // not synced: only the list is measured
			if r, ok := m.ToolResult(); !ok {
				m.Content = []llm.Block{llm.ToolResult{CallID: "c", Output: m.Text()}}
			} else {
				m.Content = []llm.Block{r}
			}
			if _, err := session.Append(m); err != nil {
				b.Fatal(err)
			}
		}
		session.Close()
	}
	for b.Loop() {
		infos, err := store.List(cwd)
		if err != nil || len(infos) != 1000 {
			b.Fatal(len(infos), err)
		}
	}
}
