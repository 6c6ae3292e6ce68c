package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// bareMessage is a message as it goes over the wire.
type bareMessage struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []bareCall `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"`
}

type bareCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// bareClient is the least that an agent does: ask, run what the model wants, and
// ask again. It keeps nothing and can take nothing back.
func bareClient(args []string) error {
	messages := []bareMessage{{Role: "user", Content: args[1]}}
	for {
		answer, err := bareAsk(args[0], messages)
		if err != nil {
			return err
		}
		messages = append(messages, answer)
		if len(answer.Calls) == 0 {
			fmt.Println(answer.Content)
			return nil
		}
		for _, c := range answer.Calls {
			output, err := c.run()
			if err != nil {
				return err
			}
			messages = append(messages, bareMessage{Role: "tool", CallID: c.ID, Content: string(output)})
		}
	}
}

func bareAsk(url string, messages []bareMessage) (bareMessage, error) {
	tool := func(name string) any {
		return map[string]any{"type": "function", "function": map[string]any{"name": name, "parameters": map[string]any{"type": "object"}}}
	}
	answer := bareMessage{Role: "assistant"}
	body, err := json.Marshal(map[string]any{"model": "mock", "stream": true, "messages": messages, "tools": []any{tool("read"), tool("bash")}})
	if err != nil {
		return answer, err
	}
	resp, err := http.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string     `json:"content"`
					Calls   []bareCall `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return answer, err
		}
		for _, c := range chunk.Choices {
			answer.Content += c.Delta.Content
			answer.Calls = append(answer.Calls, c.Delta.Calls...)
		}
	}
	return answer, lines.Err()
}

func (c bareCall) run() ([]byte, error) {
	var args struct{ Path, Command string }
	if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
		return nil, err
	}
	if c.Function.Name == "read" {
		return os.ReadFile(args.Path)
	}
	return exec.Command("sh", "-c", args.Command).CombinedOutput()
}
