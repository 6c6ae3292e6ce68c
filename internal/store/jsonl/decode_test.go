package jsonl

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent"
)

// oddMessages are those on which a reader in a hurry would go wrong.
var oddMessages = []string{
	`{"role":"user","content":"plain"}`,
	`{"role":"user","content":"\u00e9\ud83d\ude00\n\t\"\\\/\b\f\r\u2028"}`,
	`{"role":"user","content":"\ud83d alone \ude00"}`,
	`{"role":"user","content":"\ud83d\u0041"}`,
	`{"role":"user","content":"\u12"}`,
	`{"role":"user","content":"\x"}`,
	"{\"role\":\"user\",\"content\":\"raw\nnewline\"}",
	"{\"role\":\"user\",\"content\":\"\xff\"}",
	"{\"role\":\"user\",\"content\":\"12345678\x0012345678\"}",
	`{"role":"user","content":null,"timestamp":null}`,
	`{"role":"user","content":[],"attachments":[]}`,
	`{"role":"user","content":"a","content":"b"}`,
	`{"role":"user","content":"a","attachments":[{"id":"1","fileName":"f"},{"id":"2","fileName":"g"}],"attachments":[{"id":"3"}]}`,
	`{"role":"assistant","content":[{"type":"text","text":"a","text":"b"}]}`,
	`{"ROLE":"user","Content":"folded names"}`,
	`{"role":"user","content":"a","output":"not a user's"}`,
	`{"role":"user","content":"a","timestamp":"2025-10-12T10:00:00.5+02:00"}`,
	`{"role":"user","content":"a","timestamp":"yesterday"}`,
	`{"role":"user","content":"a"} trailing`,
	`{"role":"user","content":"a",}`,
	`{"role":"user" "content":"a"}`,
	`{"role":"user","attachments":[{"id":"1","size":01,"content":"AQID"}],"content":""}`,
	`{"role":"user","attachments":[{"id":"1","size":12,"content":"AQID","preview":"!!"}],"content":""}`,
	`{"role":"user","attachments":[{"id":"1","type":"image","size":-12,"content":"AQID","preview":"","extractedText":"x","fileName":"f","mimeType":"m"}],"content":"x"}`,
	`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"t","signature":"s","redacted":true},{"type":"toolCall","id":"c","name":"n","arguments":{"a":[1,{"b":"}"}]}}]}`,
	`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{"a":[1}]}}]}`,
	`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":null}]}`,
	`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{"a":nul}}]}`,
	`{"role":"toolResult","toolCallId":"c","output":"","details":{"a" 1}}`,
	`{"role":"assistant","content":[{"type":"image","data":"AQID","mimeType":"image/png"},{"type":"document","fileName":"f","data":"","text":""}]}`,
	`{"role":"assistant","content":[{"type":"image","data":"A\nQID"}]}`,
	`{"role":"assistant","content":[{"type":"text","type":"image"}]}`,
	`{"role":"assistant","content":[{"type":"hologram"}]}`,
	`{"role":"assistant","content":[null]}`,
	`{"role":"assistant","usage":{"input":1},"model":"m","costUSD":0.5,"failure":{"class":"auth","message":"no"},"latencyNs":12}`,
	`{"role":"assistant","usage":{"input":"one"}}`,
	`{"role":"assistant","toolCallId":"c"}`,
	`{"role":"assistant","attachments":[{"id":"1"}]}`,
	`{"role":"user","content":"a","usage":"not counted"}`,
	`{"role":"toolResult","toolCallId":"c","output":"o","isError":true,"details":{"a": 1 },"content":[{"type":"image","data":"AQID"}]}`,
	`{"role":"toolResult","toolCallId":"c","output":"o","content":[{"type":"text","text":"ignored"}]}`,
	`{"role":"toolResult","toolCallId":"","output":"o"}`,
	`{"role":"toolResult","toolCallId":"c","isError":"yes"}`,
	`{"role":"toolResult","toolCallId":"c","isError":true1,"output":""}`,
	`{"role":"compaction","summary":"s","kept":1}`,
	`{"role":"mine","x":1}`,
	`{"role":""}`, `{}`, `[]`, `"`, `{"`, `{"role`, `{"role":`, `\`, `{"role":"\`, ``,
}

// sameAsAgent: what the fast reader understands, it understands as agent does.
func sameAsAgent(t *testing.T, data []byte) (fast bool) {
	t.Helper()
	got, fast := fastMessage(data)
	if !fast {
		return false
	}
	want, err := agent.Kinds(nil).Decode(data)
	if err != nil {
		t.Fatalf("%q was read, but it is wrong: %v", data, err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%q (-want +got):\n%s", data, cmp.Diff(want, got))
	}
	return true
}

func TestFastMessage(t *testing.T) {
	fast := 0
	for _, m := range oddMessages {
		if sameAsAgent(t, []byte(m)) {
			fast++
		}
	}
	if fast < 9 {
		t.Errorf("only %d of them were read fast", fast)
	}
}

func FuzzFastMessage(f *testing.F) {
	for _, m := range oddMessages {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameAsAgent(t, data) })
}

// FuzzResume: whatever is in a file, it opens, nothing of it is lost, and the
// second time there is nothing to repair.
func FuzzResume(f *testing.F) {
	f.Add([]byte("{\"type\":\"metadata\",\"id\":\"a\"}\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n{\"type\":\"mess"))
	f.Add([]byte("\xef\xbb\xbf{}\r\n\r\n{\"type\":\"message\",\"message\":" + oddMessages[21] + "}"))
	f.Add([]byte("\n \x00\n{\"type\":\"message\",\"message\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		store := Open(dir, nil)
		inspect(path)
		session, record, err := store.Resume(path)
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
		after, _ := os.ReadFile(path)
		var torn []byte
		if record.Torn != "" {
			torn, _ = os.ReadFile(record.Torn)
		}
		kept := len(data) - max(0, len(torn)-1)
		if !bytes.HasPrefix(after, data[:kept]) || !bytes.HasPrefix(torn, data[kept:]) {
			t.Fatalf("lost: %q became %q and %q", data, after, torn)
		}
		again, second, err := store.Resume(path)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if second.Torn != "" || second.Answered != 0 || len(second.Messages) != len(record.Messages) {
			t.Fatalf("repaired twice: %q", after)
		}
		for i := range record.Messages {
			a, _ := json.Marshal(record.Messages[i])
			b, _ := json.Marshal(second.Messages[i])
			if !bytes.Equal(a, b) {
				t.Fatalf("message %d was %s and is %s", i, a, b)
			}
		}
	})
}

func TestProjectName(t *testing.T) {
	for _, c := range []struct{ cwd, want string }{
		{"/path/to/project", "--path-to-project--"},
		{"/path/to/project/", "--path-to-project--"},
		{"/", "----"},
		{`/a:b*c?"<>|`, "--a-b-c-------"},
		{"/notes/Tagebuch größer", "--notes-Tagebuch größer--"},
		{"/bad\xffutf8/\x01", "--bad-utf8----"},
	} {
		if got := projectName(c.cwd); got != c.want {
			t.Errorf("%q is %q, want %q", c.cwd, got, c.want)
		}
	}
	long := projectName("/" + string(bytes.Repeat([]byte("größe/"), 100)) + "end")
	if len(long) > 255 || !bytes.HasSuffix([]byte(long), []byte("-größe-end--")) {
		t.Errorf("a long path is %q", long)
	}
}
