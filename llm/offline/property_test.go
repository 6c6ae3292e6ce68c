package offline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"redline/llm"
	"redline/llm/offline"
)

// offers are the tools of the toolsets, those that change something last.
var offers = map[string][]string{
	"documents": {"read_document", "list_documents", "search_documents", "clarify_user", "create_document", "edit_document", "delete_document", "move_document", "create_folder"},
	"project":   {"read_file", "search_project", "list_files", "clarify_user", "propose_edits"},
	"vault":     {"read_file", "list_files", "clarify_user", "bash", "edit_file", "write_file"},
	"coding":    {"read", "clarify_user", "bash", "edit", "write"},
	"none":      {},
}

// limits are how many answers there may be for one message, with calls, and how many
// calls.
var limits = map[string][2]int{"documents": {9, 0}, "project": {0, 12}, "vault": {9, 0}, "coding": {50, 0}, "none": {0, 0}}

// outputs are what tools say, true to their form or not.
var outputs = []string{
	"", "a.md\nb.md\nnotes/\nnotes/Rome.md", "[list_documents: 12 more are not shown. List a folder further down, or use search_documents.]",
	"a.md\n  line 1: - [ ] call Ana\nnotes/Rome.md\n  line 3: # Rome\n[search_documents: \"x\" is in the name or text of 2 documents.]",
	"# Rome\n\n- [ ] call Ana\n- [x] done\n\n## Sights\r\n\n```\n# code\n", "---\ntags: [a]\n---\n", "\ufeffx", "[a.md is empty: there is no text in it.]",
	"text\n[read_document: only the beginning of a.md is shown, 5 of 9 bytes, up to line 1 of 2.]",
	"Error (not_found): there is no a.md.\n- Use list_documents.", "Error (stale): a.md: it has changed", "Error: Read the file again.",
	"a.md, lines 1 to 2 of 9 (base_file_hash sha256:" + strings.Repeat("0", 64) + "):\n     1\t# A\n     2\t- [ ] b\n[Lines are left out here. Read on with start_line 3.]",
	"a.md, line 3 of 9 (base_file_hash sha256:" + strings.Repeat("0", 64) + "):\n     3\tx\n[Lines are left out here. Read on with start_line 4.]",
	"a.md, the beginning of line 1 of 1:\n     1\txxx\n[Line 1 is longer than these 3 bytes.]", "a.md is empty. base_file_hash sha256:" + strings.Repeat("1", 64),
	"a.md, lines 1 to 2:\n     1\t- [ ] call Ana\n     2\tx\n\n[There are more results.]",
	"stdout:\n./a.md\n./notes/\n./notes/Rome.md\nstderr:\n\nexit code: 0", "stdout:\n./a.md:1:- [ ] call Ana\nstderr:\n\nexit code: 0", "stdout:\n\nstderr:\nno\nexit code: 1",
	"     1  # A\n     2  - [ ] call Ana", "WARNING: File has 9 lines, showing first 2. Use offset and limit parameters to read more.\n\n     1  # A\n     2  x",
	"     1\t# A\n     2\t- [ ] call Ana\n[These are the lines 1 to 2 of 3. Read on with start_line 3.]", "     1\tx\n[This is only the beginning of line 1, which is longer than 256 KB. …]",
	"There is nothing in the vault.", "a.md\nnotes/\n[12 more. Narrow the path or the pattern.]", "     3\tlast",
	"     1  x… [only the first 2000 characters of this line are shown]", "The file a.md is empty (0 lines).",
	"no_user_answer: the user skipped the question.", "yes", "the second", "2", "Done: created a.md.", "Done: moved a.md to b.md.", "Replaced 1 occurrence in a.md (1 line changed)",
	llm.Lost, "\n\n\n", "- \n-\n1.\n# \n[[]]\n[[a|]]\n- [ ] \n", "\x00\xff",
}

// converse lets the model answer, with tools that say what dice choose, until it has
// its last words.
func converse(t testing.TB, toolset, text string, seed uint64, restricted bool) []llm.Message {
	t.Helper()
	dice := rand.New(rand.NewPCG(seed, 1))
	req := llm.Request{Model: offline.Model(), Messages: []llm.Message{llm.User(text)}}
	for _, name := range offers[toolset] {
		changes := slices.Index(offers[toolset], name) > slices.Index(offers[toolset], "clarify_user")
		if !restricted || !changes {
			req.Tools = append(req.Tools, llm.ToolSpec{Name: name})
		}
	}
	model := offline.New()
	model.Now = today
	steps, calls := 0, 0
	for {
		m, err := llm.Collect(model.Stream(context.Background(), req))
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, m)
		if len(m.ToolCalls()) == 0 {
			if m.Stop() != llm.StopEnd || strings.TrimSpace(m.Text()) == "" {
				t.Fatalf("the last words are %q (%s)", m.Text(), m.Stop())
			}
			return req.Messages
		}
		steps++
		calls += len(m.ToolCalls())
		if most := limits[toolset]; most[0] > 0 && steps > most[0] || most[1] > 0 && calls > most[1] {
			t.Fatalf("%d steps with %d calls", steps, calls)
		}
		for _, c := range m.ToolCalls() {
			if !slices.ContainsFunc(req.Tools, func(s llm.ToolSpec) bool { return s.Name == c.Name }) {
				t.Fatalf("%s is not offered", c.Name)
			}
			if !json.Valid(c.Arguments) {
				t.Fatalf("%s: the arguments are no JSON: %s", c.Name, c.Arguments)
			}
			output := outputs[dice.IntN(len(outputs))]
			if dice.IntN(2) == 0 {
				output = plausible(c, dice)
			}
			req.Messages = append(req.Messages, llm.Answer(llm.ToolResult{CallID: c.ID, Name: c.Name, Output: output, IsError: strings.HasPrefix(output, "Error") || dice.IntN(20) == 0}))
		}
	}
}

// plausible is an output in the form of the tool.
func plausible(c llm.ToolCall, dice *rand.Rand) string {
	texts := []string{"# Rome\n\nAna was here.\n\n- [ ] call Ana\n- [x] done\n\n## Sights\n\n- Forum", "one\ntwo\n\n[[Rome]]", "---\ndate: 2025-01-02\ntags: [x]\n---\nText of Ana. More text. Even more."}
	text := texts[dice.IntN(len(texts))]
	numbered := ""
	for i, line := range strings.Split(text, "\n") {
		sep := "\t"
		if c.Name == "read" {
			sep = "  "
		}
		numbered += fmt.Sprintf("%6d%s%s\n", i+1, sep, line)
	}
	switch c.Name {
	case "read_document":
		return text
	case "read":
		return strings.TrimSuffix(numbered, "\n")
	case "read_file":
		return fmt.Sprintf("a.md, lines 1 to 9 of 9 (base_file_hash sha256:%s):\n%s", strings.Repeat("0", 64), numbered)
	case "list_documents", "list_files":
		return "Rome.md\nnotes/\nnotes/Ana.md\nnotes/2025-01-02.md\nTodo.md\nloose.md"
	case "search_documents":
		return "Rome.md\n  line 5: - [ ] call Ana\nnotes/Ana.md\n  line 1: # Ana"
	case "bash":
		return "stdout:\n./Rome.md\n./notes/\n./notes/Ana.md\n./Todo.md\n./Rome.md:5:- [ ] call Ana\nstderr:\n\nexit code: 0"
	}
	return "Done."
}

var phrases = []string{
	strings.Repeat("find \"x\". find \"y\". ", 8),
	"create a note called Rome with \"x\"", "create a note from the journal template", "create today's daily note", "append \"x\" to Rome", "add \"x\" to it", "insert \"x\" under Sights in Rome",
	"insert \"- x\" under Sights", "prepend \"x\" to Rome", "add a section called Food to Rome", "replace \"Ana\" with \"Anna\" everywhere", "replace \"one\" with \"two\"", "rename Ana to Anna everywhere", "remove \"Ana\" from Rome",
	"remove the sentence with \"Ana\" from Rome", "remove the section Sights from Rome", "tick \"call Ana\"", "untick \"done\"", "tick all todos", "add a todo: x", "which todos are open?", "collect all open todos into a note called T",
	"move Rome to travel", "move all notes from 2025 to old", "rename Rome.md to Roma.md", "delete Rome", "delete Roma", "delete all notes from 2025", "delete all notes", "delete empty notes", "find \"Ana\"", "list my notes", "list my folders", "read Rome", "show the outline of Rome",
	"how many words are there?", "how often is Ana mentioned?", "summarise Rome", "organise my loose notes into folders by topic", "organise my loose notes by month", "merge Rome and Ana", "merge Rome and Ana into a note called B", "split Rome by headings",
	"add links between my notes", "link Rome to Ana", "add a table of contents to Rome", "tag Rome with x", "sort the list in Rome", "help", "thanks", "undo", "go on", "",
	"copy Rome to Roma", "extract the section Sights from Rome", "remove the tag x from Rome", "do the same for Ana", "add a table of contents to all notes", "add \"x\" under Sights in all notes", "read the second one", "what changed?",
	"show my recent notes", "delete all notes about Ana", "move all notes tagged x to old", "tick the first todo in Rome", "rename the heading Sights to Views in Rome", "delete Rome and Ana.md", "find Ana in the notes folder",
}

// TestEnds: whatever tools say, every kind of request comes to an end within its
// limits, and calls nothing that is not offered.
func TestEnds(t *testing.T) {
	rounds := uint64(5)
	if testing.Short() {
		rounds = 2
	}
	for toolset := range offers {
		t.Run(toolset, func(t *testing.T) {
			t.Parallel()
			for i, phrase := range phrases {
				for seed := range rounds {
					converse(t, toolset, phrase, seed, seed%5 == 0)
					// More than there is room for.
					if seed%4 == 0 {
						converse(t, toolset, strings.Join(phrases[i:min(i+8, len(phrases))], ". "), seed, false)
					}
				}
			}
		})
	}
}

// FuzzEnds: the same for whatever a user may say.
func FuzzEnds(f *testing.F) {
	for _, phrase := range phrases {
		f.Add(phrase)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := fnv.New64a()
		h.Write([]byte(text))
		for toolset := range offers {
			first := converse(t, toolset, text, h.Sum64(), false)
			second := converse(t, toolset, text, h.Sum64(), false)
			if len(first) != len(second) || first[len(first)-1].Text() != second[len(second)-1].Text() {
				t.Errorf("%s: the same conversation has two ends", toolset)
			}
		}
	})
}
