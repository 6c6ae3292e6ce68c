package session_test

import (
	"strings"
	"testing"

	"redline/internal/session"
)

// TestAsksFor: which last words wait for an answer, and what they ask.
func TestAsksFor(t *testing.T) {
	for _, c := range []struct{ text, question string }{
		{"", ""},
		{" \n\t\n", ""},
		{"Done.", ""},
		{"Which one?", "Which one?"},
		{"  Which one?  \r\n\r\n", "Which one?"},
		{"Deleted. Anything else?", "Anything else?"},
		{"What did I do? I sorted them.", ""},
		{"Sorted 40 notes.\n\nShall I go on with\nthe rest?", "Shall I go on with the rest?"},
		{"There are two. Which one?", "Which one?"},
		{"It is in 3.5. Shall I use it?", "Shall I use it?"},
		{"Shall I ask Mr. Smith?", "Shall I ask Mr. Smith?"},
		{"Shall I use one, e.g. the first?", "Shall I use one, e.g. the first?"},

		// What may stand behind the question mark.
		{"Which **one?**", "Which **one?**"},
		{"**Which one?**", "Which one?**"},
		{"(Or both?)", "(Or both?)"},
		{"Did you mean “later?”", "Did you mean “later?”"},
		{"Meinten Sie „später?“", "Meinten Sie „später?“"},
		{"C'est « oui ? »", "C'est « oui ? »"},
		{"Shall I? 🙂", "Shall I? 🙂"},
		{"Shall I? 👍🏽", "Shall I? 👍🏽"},
		{"Really?!", "Really?!"},
		{"Really!?", "Really!?"},

		// Scripts.
		{"どれですか？", "どれですか？"},
		{"終わりました。続けますか？", "終わりました。続けますか？"},
		{"أي واحد؟", "أي واحد؟"},
		{"Ποιο\u037e", "Ποιο\u037e"},
		{"Sorted; done;", ""},

		// Code, quotations, tables, tasks and headings.
		{"Run this:\n```\nls *.m?\n```", ""},
		{"Run this:\n```sh\nls *.m?", ""},
		{"~~~\nwhat?\n~~~\n", ""},
		{"```\ncode\n```\nIs that right?", "Is that right?"},
		{"````\n```\nno end?\n````\nReally?", "Really?"},
		{"It is\n\n    ls *.m?", ""},
		{"Use the operator `a?`", ""},
		{"Do you mean `a`?", "Do you mean `a`?"},
		{"The note says:\n> Who goes there?", ""},
		{"| name |\n|---|\n| who? |", ""},
		{"Open todos:\n- [ ] ask Anna?\n- [ ] ask Ben?", ""},
		{"# What now?\nDone.", ""},
		{"# Done\nWhich one?", "Which one?"},

		// Lists.
		{"Which one?\n- the first\n- the second", "Which one?\n- the first\n- the second"},
		{"Which one?\n\n1. the first\n\n2. the second,\n   and more", "Which one?\n1. the first\n2. the second, and more"},
		{"I need to know:\n1. Which folder?\n2. Which date?", "1. Which folder?\n2. Which date?"},
		{"I need to know:\n* Which folder?\n* **Which date?**", "* Which folder?\n* **Which date?**"},
		{"Found:\n- a.md: who is it?\n- b.md: nobody", ""},
		{"Found:\n- a.md: who is it?", ""},
		{"- the first\n- the second\n\nWhich one?", "Which one?"},
		{"- the first\n- the second\nWhich one?", "Which one?"},
		{"Which one?\n- the first\n\nI go on with it.", ""},
		{"Which one?\n\n```\na\n```\n\n- the first", ""},
	} {
		if got := session.AsksFor(c.text); got != c.question {
			t.Errorf("%q asks for %q, want %q", c.text, got, c.question)
		}
	}
}

// FuzzAsksFor: no text is too odd, and a question is made of what was said.
func FuzzAsksFor(f *testing.F) {
	f.Add("Which one?\n- a\n  b\n\n- c")
	f.Add("```\n?\n````?")
	f.Fuzz(func(t *testing.T, text string) {
		question := session.AsksFor(text)
		said := strings.Join(strings.Fields(text), "")
		if got := strings.Join(strings.Fields(question), ""); !strings.Contains(said, got) {
			t.Errorf("%q was never said in %q", question, text)
		}
		if question != "" && strings.TrimSpace(question) == "" {
			t.Errorf("%q asks for nothing", text)
		}
	})
}
