package scripted_test

import (
	"context"
	"fmt"

	"redline/llm"
	"redline/llm/scripted"
)

func Example() {
	p, err := scripted.Parse("hello.yaml", []byte(`
- text: Let me look.
  calls:
    - name: read_file
      arguments: {path: a.md}
- expect: {contains: "# Apples"}
  text: It is about apples.
  chunk: 8
  usage: {input: 120, output: 6}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	history := []llm.Message{llm.User("What is a.md about?")}
	for range 2 {
		m, err := llm.Collect(p.Stream(context.Background(), llm.Request{Model: scripted.Model(), Messages: history}))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Stop(), m.Text())
		history = append(history, m)
		for _, c := range m.ToolCalls() {
			fmt.Printf("%s %s\n", c.Name, c.Arguments)
			history = append(history, llm.Answer(llm.ToolResult{CallID: c.ID, Name: c.Name, Output: "# Apples"}))
		}
	}
	// Output:
	// tool_use Let me look.
	// read_file {"path":"a.md"}
	// stop It is about apples.
}
