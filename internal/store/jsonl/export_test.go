package jsonl_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent"
	"redline/internal/store/jsonl"
	"redline/llm"
)

// pixel is a picture of 16 by 16 red pixels.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGUlEQVR4nGP8z8BAEmAiTfmohlENQ0kDALHgAR9XyhmbAAAAAElFTkSuQmCC"

const hostile = "Look: <script>alert(1)</script> & [a link](javascript:alert(1)), [another](JaVaScRiPt\\:alert(2)), [one more](javascript&#58;alert(3))\n\n" +
	"```html\n<b>in a fence</b>\n````\n~~~\n<i>in another\n```\nnot closed\n</textarea></pre></details><script>alert(4)</script>"

func transcript(t testing.TB) *jsonl.Record {
	picture, err := base64.StdEncoding.DecodeString(pixel)
	must(t, err)
	usd, index := 0.0123, 7
	asked := user("Please **rename** the hero in `story.md`.\nHer name is now *Ada*.")
	asked.Attachments = []agent.Attachment{
		{ID: "1", Type: agent.AttachImage, FileName: "cover <b>.png", MIMEType: "image/png", Content: picture},
		{ID: "2", Type: agent.AttachDocument, FileName: "brief.pdf", MIMEType: "application/pdf", Content: []byte("%PDF"), ExtractedText: "The brief.\n```\nwith a fence\n```"},
		{ID: "3", Type: agent.AttachImage, FileName: "logo.svg", MIMEType: "image/svg+xml", Content: []byte("<svg onload=alert(1)>")},
	}
	said := assistant(llm.Thinking{Text: "She was called Eve.\n<i>I must</i> look."}, llm.Thinking{Signature: "x", Redacted: true}, llm.Text{Text: "I will look first:\n\n```go\nif a < b && c > d {\n}\n```\nThen I edit."},
		llm.ToolCall{ID: "c1", Name: "read_file", Arguments: json.RawMessage(`{"path":"story.md","lines":[1,2]}`)}, llm.ToolCall{ID: "c2", Name: "edit", Arguments: json.RawMessage("{}"), Raw: `{"path": "sto`})
	said.Reply.Usage, said.Reply.CostUSD, said.Reply.Stop = llm.Usage{Input: 1200, Output: 300, CacheRead: 5000, Reasoning: 120}, &usd, llm.StopToolUse
	cut := assistant(llm.Text{Text: hostile})
	cut.Reply.Stop, cut.Reply.Failure, cut.Reply.Usage = llm.StopError, &llm.Failure{Class: llm.ClassNetwork, Message: "reset <by> peer"}, llm.Usage{Input: 10, Output: 5}
	long := assistant(llm.Text{Text: "It is lon"})
	long.Reply.Stop = llm.StopLength
	told := assistant(llm.ToolCall{ID: "c3", Name: llm.MessageTool, Arguments: json.RawMessage(`{"message":"Half <done>.","priority":"high"}`)},
		llm.ToolCall{ID: "c4", Name: llm.MessageTool, Arguments: json.RawMessage(`{"message":"Two chapters are *left*."}`)})
	return &jsonl.Record{
		Metadata: jsonl.Metadata{ID: "0b6f3c1e-0000-4000-8000-000000000000", Started: noon, CWD: "/home/ada/a <novel>", Parent: "77777777-0000-4000-8000-000000000000", ParentIndex: &index},
		Problems: []jsonl.Problem{{Line: 9, Err: errors.New("not a line of JSON")}},
		Messages: []agent.Message{
			asked, said,
			{Message: llm.Message{Role: llm.RoleTool, Time: noon, Content: []llm.Block{llm.ToolResult{CallID: "c1", Name: "read_file", Output: "# Story\r\n\r\n````\nEve\n````\n</details>", Images: []llm.Image{{MIMEType: "image/png", Data: picture}}}}}},
			{Message: llm.Message{Role: llm.RoleTool, Time: noon, Content: []llm.Block{llm.ToolResult{CallID: "c2", Output: "the arguments are no JSON", IsError: true}}}},
			cut, long, told,
			{Message: llm.Message{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "See"}, llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte("x")}, llm.Image{MIMEType: "text/html", Data: []byte("<script>")}}}},
			{Custom: &agent.Summary{Text: "Eve became Ada."}},
			{Custom: &jsonl.Broken{Line: 9, Reason: "not a line of JSON"}},
			{Custom: &note{Text: "<mine>"}},
		},
	}
}

// TestExport compares the transcripts with those in testdata/export.
func TestExport(t *testing.T) {
	r := transcript(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"transcript.md":   func(b *bytes.Buffer) error { return jsonl.Markdown(b, r) },
		"transcript.html": func(b *bytes.Buffer) error { return jsonl.HTML(b, r) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			must(t, write(&got))
			path := filepath.Join("testdata", "export", name)
			if *update {
				must(t, os.WriteFile(path, got.Bytes(), 0o666))
			}
			if diff := cmp.Diff(read(t, path), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPolicy: the page allows its own style, by its hash, and its pictures.
func TestPolicy(t *testing.T) {
	var b bytes.Buffer
	must(t, jsonl.HTML(&b, transcript(t)))
	page := b.String()
	_, style, _ := strings.Cut(page, "<style>")
	style, _, ok := strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-" + strings.NewReplacer("+", "&#43;").Replace(base64.StdEncoding.EncodeToString(sum[:])) + "&#39;; base-uri"
	if !ok || !strings.Contains(page, want) {
		t.Errorf("the page does not say %s", want)
	}
	for _, never := range []string{"<script", "<svg", "onload=alert(1)>", " style=", "data:text", "data:image/svg", "http://", "https://"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s", never)
		}
	}
}

// FuzzMarkdown: whatever is said stays in its quotation, and has HTML and links
// to scripts only inside of code.
func FuzzMarkdown(f *testing.F) {
	f.Add(hostile)
	f.Add("a\r```\r<script>\r> x")
	f.Add("```\ncode\r<b>not quoted</b>\n```\nafter")
	f.Add("~~~ `x` <b>\n<b>\n~~~~\n<b>")
	f.Add("0JavaScript:")
	f.Add("    ```\n<b>\n    ```")
	f.Add("- item\n  ```\n  <b>\n  ```\n<!-- \n[x]: javascript:a")
	f.Fuzz(func(t *testing.T, text string) {
		var b bytes.Buffer
		must(t, jsonl.Markdown(&b, &jsonl.Record{Messages: []agent.Message{user("title"), assistant(llm.Text{Text: text})}}))
		_, said, _ := strings.Cut(b.String(), "## Assistant\n\n2025-10-12 12:00:00 UTC · anthropic/claude\n")
		fence := ""
		for line := range strings.Lines(said) {
			line = strings.TrimSuffix(line, "\n")
			if strings.ContainsAny(line, "\r") {
				t.Fatalf("a line ends in the middle: %q", line)
			}
			inner, quoted := strings.CutPrefix(line, ">")
			if inner = strings.TrimPrefix(inner, " "); !quoted && line != "" {
				t.Fatalf("not quoted: %q in\n%s", line, said)
			}
			switch {
			case fence != "" && inner == fence:
				fence = ""
			case fence != "":
			case strings.HasPrefix(inner, "```") && !strings.Contains(strings.TrimLeft(inner, "`"), "`"):
				fence = inner[:len(inner)-len(strings.TrimLeft(inner, "`"))]
			case strings.Contains(inner, "<") || strings.Contains(strings.ToLower(inner), "javascript:"):
				t.Fatalf("not harmless: %q in\n%s", line, said)
			}
		}
		if fence != "" {
			t.Fatalf("a code block is not closed:\n%s", said)
		}
	})
}
