package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"redline/agent"
	"redline/llm"
)

func small(window int) llm.Model {
	m := testModel
	m.Context = window
	return m
}

// TestCompaction: a conversation that nears the window is summed up; the task, in
// the user's words, and what is pinned stay; calls and their results stay
// together; the rest of the conversation is still there for the user.
func TestCompaction(t *testing.T) {
	w := newWorkbench(t)
	long := strings.Repeat("word ", 300) // about 400 tokens
	var turns []turn
	for i := range 4 {
		turns = append(turns, calls("echo", fmt.Sprintf(`{"text":"%d %s"}`, i, long)))
	}
	cfg := agent.Config{Model: small(4000), Compaction: agent.Compaction{Pinned: func() []string { return []string{"hunk h_3 is undecided"} }}}
	uncounted := func(next turn) turn { // as a server that reports no usage
		return func(ctx context.Context, req llm.Request, e *llm.Emitter) error {
			err := next(ctx, req, e)
			e.Usage(llm.Usage{})
			return err
		}
	}
	for i := range turns {
		turns[i] = uncounted(turns[i])
	}
	turns = append(turns, uncounted(says("Done.")))
	a, p := newAgent(t, w, cfg, turns...)
	p.sums = []turn{says("It echoed a lot.")}
	out, err := a.Prompt(context.Background(), "Rename Anna to Anne everywhere.")
	if err != nil || out.End != agent.EndDone {
		t.Fatalf("ended %s, %v", outcome(out), err)
	}
	last := p.asked[len(p.asked)-1]
	first := last.Messages[0].Text()
	for _, kept := range []string{"Rename Anna to Anne everywhere.", "hunk h_3 is undecided", "It echoed a lot."} {
		if !strings.Contains(first, kept) {
			t.Errorf("the model is not told %q", kept)
		}
	}
	if n := last.EstimateTokens(); n > 3000 {
		t.Errorf("the request is still of %d tokens", n)
	}
	if open := llm.Unanswered(last.Messages); len(open) > 0 || last.Messages[1].Role != llm.RoleAssistant {
		t.Errorf("a result was parted from its call")
	}
	if n := len(a.State().Messages); n != 1+4*2+1+1 {
		t.Errorf("the conversation has %d messages", n)
	}

	// The summary survives being written and read, and sums up further.
	data := marshal(t, a.State().Messages)
	var loaded []agent.Message
	unmarshal(t, data, &loaded)
	if got := marshal(t, loaded); got != data {
		t.Errorf("loaded as\n%s, not\n%s", got, data)
	}
	before := len(agent.InForce(loaded))
	b, p2 := newAgent(t, w, cfg, uncounted(calls("echo", fmt.Sprintf(`{"text":"%s%s%s"}`, long, long, long))), says("Done."))
	p2.sums = []turn{says("It echoed more.")}
	if err := b.Replace(loaded); err != nil {
		t.Fatal(err)
	}
	if out, err := b.Prompt(context.Background(), "Go on."); err != nil || out.End != agent.EndDone {
		t.Fatalf("ended %s, %v", outcome(out), err)
	}
	if asked := p2.summed[0].Messages[0].Text(); !strings.Contains(asked, "It echoed a lot.") {
		t.Errorf("the second summary does not know the first: %s", asked)
	}
	again := p2.asked[1].Messages
	if text := again[0].Text(); strings.Contains(text, "It echoed a lot.") || !strings.Contains(text, "Rename Anna") || len(again) >= before+2 {
		t.Errorf("after the second summary the model is told %d messages, first %q", len(again), text)
	}
}

func unmarshal(t *testing.T, data string, into *[]agent.Message) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), into); err != nil {
		t.Fatal(err)
	}
}

// TestCompactionAfterRefusal: a model that refuses a conversation as too large is
// asked again with a smaller one, though its window is not known.
func TestCompactionAfterRefusal(t *testing.T) {
	w := newWorkbench(t)
	long := strings.Repeat("word ", 3000)
	a, p := newAgent(t, w, agent.Config{}, fails(llm.ClassContextTooLarge, "prompt is too long"), says("Done."))
	p.sums = []turn{says("Much was said.")}
	var history []agent.Message
	for i := range 6 {
		history = append(history, agent.UserMessage(fmt.Sprint(i, long)), agent.Message{Message: llm.Assistant(llm.Text{Text: long})})
	}
	if err := a.Replace(history); err != nil {
		t.Fatal(err)
	}
	out, err := a.Prompt(context.Background(), "And now?")
	if err != nil || out.End != agent.EndDone {
		t.Fatalf("ended %s, %v", outcome(out), err)
	}
	if want := 100 * (len(p.summed) + 1); out.Usage.Input != want { // each answer counts 100, the refusal none
		t.Errorf("the run took %d tokens, with its summaries it is %d", out.Usage.Input, want)
	}
	if was, is := p.asked[0].EstimateTokens(), p.asked[len(p.asked)-1].EstimateTokens(); is > was/2 {
		t.Errorf("asked with %d tokens, then with %d", was, is)
	}
}

// TestCompactionWithoutAModel: if the model cannot sum up, a list of what was done
// takes its place, and the conversation goes on.
func TestCompactionWithoutAModel(t *testing.T) {
	w := newWorkbench(t)
	long := strings.Repeat("word ", 3000)
	a, p := newAgent(t, w, agent.Config{}, calls("write", `{"text":"a"}`), fails(llm.ClassContextTooLarge, "too long"), says("Done."))
	p.sums = []turn{fails(llm.ClassOverloaded, "not now")}
	if err := a.Replace([]agent.Message{agent.UserMessage("First task. " + long), {Message: llm.Assistant(llm.Text{Text: "Yes."})}}); err != nil {
		t.Fatal(err)
	}
	out, err := a.Prompt(context.Background(), "Second task.")
	if err != nil || out.End != agent.EndDone {
		t.Fatalf("ended %s, %v", outcome(out), err)
	}
	if got := p.asked[2].Messages[0].Text(); !strings.Contains(got, "- user: First task.") || !strings.Contains(got, "Second task.") {
		t.Errorf("the model is told %q", got)
	}
}

// TestManyPieces: what is too long for one request is summed up piece by piece.
func TestManyPieces(t *testing.T) {
	w := newWorkbench(t)
	a, p := newAgent(t, w, agent.Config{Model: small(2000)}, says("Done."))
	for i := range 20 {
		p.sums = append(p.sums, says(fmt.Sprintf("Summary %d.", i)))
	}
	var history []agent.Message
	for i := range 10 {
		history = append(history, agent.UserMessage(fmt.Sprintf("%d %s", i, strings.Repeat("word ", 300))), agent.Message{Message: llm.Assistant(llm.Text{Text: "Yes."})})
	}
	if err := a.Replace(history); err != nil {
		t.Fatal(err)
	}
	if out, err := a.Prompt(context.Background(), "And?"); err != nil || out.End != agent.EndDone {
		t.Fatalf("ended %s, %v", outcome(out), err)
	}
	if len(p.summed) < 3 {
		t.Fatalf("summed up in %d pieces", len(p.summed))
	}
	for i, req := range p.summed {
		if n := req.EstimateTokens(); n > 2000 {
			t.Errorf("piece %d is of %d tokens", i, n)
		}
		if i > 0 && !strings.Contains(req.Messages[0].Text(), fmt.Sprintf("Summary %d.", i-1)) {
			t.Errorf("piece %d does not know the summary before", i)
		}
	}
}

// TestHugeResult: one result that is larger than the window is shortened for the
// model, and kept whole in the conversation.
func TestHugeResult(t *testing.T) {
	w := newWorkbench(t)
	huge := strings.Repeat("word ", 10_000)
	a, p := newAgent(t, w, agent.Config{Model: small(4000)}, calls("echo", `{"text":"`+huge+`"}`), says("ok"))
	p.sums = []turn{says("A word.")}
	out, err := a.Prompt(context.Background(), "Go.")
	if err != nil || out.End != agent.EndDone {
		t.Fatalf("ended %s, %v", outcome(out), err)
	}
	last := p.asked[len(p.asked)-1].Messages
	r, ok := last[len(last)-1].ToolResult()
	if !ok || len(r.Output) > 4000 || !strings.Contains(r.Output, "left out") {
		t.Errorf("the model was sent %d bytes", len(r.Output))
	}
	for _, m := range a.State().Messages {
		if kept, ok := m.ToolResult(); ok && kept.Output != huge {
			t.Error("the conversation lost the result")
		}
	}
}

// TestImageBudget: of the images only the newest are sent, up to a number of
// bytes.
func TestImageBudget(t *testing.T) {
	a, p := newAgent(t, newWorkbench(t), agent.Config{Compaction: agent.Compaction{ImageBytes: 2500}}, says("a"), says("b"), says("c"))
	for _, name := range []string{"one", "two", "three"} {
		image := agent.Attachment{Type: agent.AttachImage, FileName: name, MIMEType: "image/png", Content: make([]byte, 1000)}
		if _, err := a.Prompt(context.Background(), name, image); err != nil {
			t.Fatal(err)
		}
	}
	var kinds []string
	for _, m := range p.asked[2].Messages {
		for _, block := range m.Content[min(1, len(m.Content)):] {
			kinds = append(kinds, fmt.Sprintf("%T", block))
		}
	}
	if got := strings.Join(kinds, " "); got != "llm.Text llm.Image llm.Image" {
		t.Errorf("sent: %s", got)
	}
	if n := len(a.State().Messages[0].Attachments[0].Content); n != 1000 {
		t.Error("the conversation lost the image")
	}
}

// TestCompactionOverCompaction: summaries whose kept messages reach back over
// older summaries lose none of them, and every request to sum up is heard by the
// debug listener.
func TestCompactionOverCompaction(t *testing.T) {
	heard := 0
	cfg := agent.Config{Compaction: agent.Compaction{Keep: 60}, Debug: func(agent.Exchange) { heard++ }}
	var turns []turn
	for range 4 {
		turns = append(turns, fails(llm.ClassContextTooLarge, "too long"), says("ok"))
	}
	a, p := newAgent(t, newWorkbench(t), cfg, turns...)
	p.sums = []turn{says("Much was said.")}
	var history []agent.Message
	for i := range 10 {
		history = append(history, agent.UserMessage(fmt.Sprintf("q%d", i)), agent.Message{Message: llm.Assistant(llm.Text{Text: fmt.Sprintf("a%d", i)})})
	}
	if err := a.Replace(history); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		before := agent.InForce(a.State().Messages)
		if out, err := a.Prompt(context.Background(), fmt.Sprintf("p%d", i)); err != nil || out.End != agent.EndDone {
			t.Fatalf("ended %s, %v", outcome(out), err)
		}
		after := agent.InForce(a.State().Messages)
		first := before[after[0].Custom.(*agent.Summary).Dropped] // what the summary does not stand for
		if after[1].Text() != first.Text() || after[1].Role != first.Role {
			t.Errorf("summary %d: %s is lost, the model is told from %s on", i, words(first), words(after[1]))
		}
	}
	if want := len(p.asked) + len(p.summed); heard != want {
		t.Errorf("the debug listener heard %d of %d requests", heard, want)
	}
}
