package offline

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// -update writes what the parser says into testdata/phrasings.txt. Every line
// that changes is to be read then: the file says what people mean.
var updatePhrasings = flag.Bool("update-phrasings", false, "renew testdata/phrasings.txt")

const phrasings = "testdata/phrasings.txt"

// sunday is the day on which the phrasings are said.
var sunday = time.Date(2026, time.November, 15, 9, 30, 0, 0, time.UTC)

// phrasing is a block of the file: what a person says ("> …" lines) and the
// requests that it stands for.
type phrasing struct {
	section string
	said    string
	means   []string
}

// readPhrasings reads the file. Sections begin with "## ", remarks with "# ".
func readPhrasings(t testing.TB) []phrasing {
	data, err := os.ReadFile(phrasings)
	if err != nil {
		t.Fatal(err)
	}
	var all []phrasing
	section, fresh := "", true
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		text, said := strings.CutPrefix(line, ">")
		switch {
		case strings.HasPrefix(line, "## "):
			section = line
		case line == "" || strings.HasPrefix(line, "#"):
			fresh = true
		case said && fresh:
			all = append(all, phrasing{section: section, said: strings.TrimPrefix(text, " ")})
			fresh = false
		case said:
			all[len(all)-1].said += "\n" + strings.TrimPrefix(text, " ")
		default:
			all[len(all)-1].means = append(all[len(all)-1].means, line)
			fresh = true
		}
	}
	return all
}

func TestPhrasings(t *testing.T) {
	all := readPhrasings(t)
	kinds := map[Kind]int{}
	for i, p := range all {
		var got []string
		for _, r := range parse(p.said, sunday) {
			got = append(got, render(r))
			kinds[r.Kind]++
		}
		if *updatePhrasings {
			all[i].means = got
			continue
		}
		if diff := cmp.Diff(p.means, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", p.said, diff)
		}
	}
	if *updatePhrasings {
		writePhrasings(t, all)
	}
	for _, kind := range allKinds {
		if kinds[kind] < 3 {
			t.Errorf("only %d phrasings of %q", kinds[kind], kind)
		}
	}
}

var allKinds = []Kind{
	Unknown, Help, Thanks, Create, CreateFolder, Daily, Append, Prepend, Insert, AddSection, Replace, RenameName,
	RemoveText, RemoveSection, Tick, Untick, AddTodo, ListTodos, CollectTodos, Move, Rename, Delete, Find, List, Read,
	Outline, Count, Summarise, OrganiseTopic, OrganiseDate, Merge, Split, Link, Contents, Tag, Sort, Undo, Continue, Copy, Extract, Untag, History, Recent, Again,
}

func writePhrasings(t *testing.T, all []phrasing) {
	data, err := os.ReadFile(phrasings)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(data), "\n## ")
	var b strings.Builder
	b.WriteString(head)
	section := ""
	for _, p := range all {
		if p.section != section {
			section = p.section
			fmt.Fprintf(&b, "\n%s\n", section)
		}
		b.WriteByte('\n')
		for line := range strings.SplitSeq(p.said, "\n") {
			fmt.Fprintln(&b, strings.TrimRight("> "+line, " "))
		}
		for _, line := range p.means {
			fmt.Fprintln(&b, line)
		}
	}
	if err := os.WriteFile(phrasings, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is in these sections is never read as a request to take something away,
// whatever the file says it means.
func TestNothingIsLostByMistake(t *testing.T) {
	n := 0
	for _, p := range readPhrasings(t) {
		unknown := strings.HasPrefix(p.section, "## not understood")
		if !unknown && !strings.HasPrefix(p.section, "## not destructive") {
			continue
		}
		n++
		for _, r := range parse(p.said, sunday) {
			if destructive[r.Kind] || unknown && r.Kind != Unknown {
				t.Errorf("%q is read as %s", p.said, render(r))
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d phrasings that must not be taken for a request", n)
	}
}

// Courtesy before and behind a request, its case and its final mark say nothing.
func TestCourtesy(t *testing.T) {
	frames := []string{
		"please %s", "%s, please", "can you %s?", "Could you please %s for me?", "I'd like you to %s.", "go ahead and %s!",
		"Actually, %s instead", "Hey, would you %s? Thanks!", "ok now %s", "I want you to %s", "Hi! Please %s. Thank you.",
		"  %s\n", "Let's %s", "First, %s.", "I was wondering if you could %s", "%s.", "%s!",
	}
	requests := []string{
		"delete draft.md", "move a.md to archive", "replace foo with bar in a.md", "rename a.md to b.md", "list my notes",
		"append \"x\" to a.md", "create a note called Rome", "tick \"call Ana\" in todo.md", "split novel.md by headings",
		"organise my notes by topic", "merge a.md and b.md into c.md", "find \"harbour\"", "summarise plan.md",
	}
	for _, request := range requests {
		want := parse(request, sunday)
		for _, frame := range frames {
			for _, text := range []string{request, strings.ToUpper(request[:1]) + request[1:]} {
				said := fmt.Sprintf(frame, text)
				if diff := cmp.Diff(want, parse(said, sunday)); diff != "" {
					t.Errorf("%q is not %q (-want +got)\n%s", said, request, diff)
				}
			}
		}
	}
}

// Quoted text is never read: whatever it is, it arrives as it was written.
func TestQuotationsAreKept(t *testing.T) {
	texts := []string{
		"delete all notes", "a, b and then c", "to todo.md", "please", "It's Anna's; isn't it?", "# Title\n\n- one\n- two\n", "…  two  blanks  ",
		"x in y under z with w", "and then delete b.md", "Zoë — “naïve”", "[[link]] and `code`", "e.g. 3.5 % of it.", "[ ] open", "?!", "1. one\r\n2. two",
	}
	for _, text := range texts {
		want := []Request{{Kind: Append, Docs: []string{"log.md"}, Text: text}}
		if diff := cmp.Diff(want, parse(`append "`+text+`" to log.md`, sunday)); diff != "" {
			t.Errorf("quoted %q (-want +got)\n%s", text, diff)
		}
		want = []Request{{Kind: Create, Title: "log.md", Text: strings.TrimRight(text, " \r\n")}}
		if diff := cmp.Diff(want, parse("Create log.md with this content:\n\n"+text, sunday)); diff != "" {
			t.Errorf("behind a colon %q (-want +got)\n%s", text, diff)
		}
	}
}

// Every example of the documentation is understood, and those of one row as the
// same kind of request.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/offline.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "\n## Requests\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := 0
	for line := range strings.SplitSeq(table, "\n") {
		if !strings.HasPrefix(line, "| ") || !strings.Contains(line, "`") {
			continue
		}
		rows++
		kinds := map[Kind]bool{}
		for i, example := range strings.Split(line, "`") {
			if i%2 == 0 || strings.HasPrefix(example, "redline ") {
				continue
			}
			r := parse(example, sunday)[0]
			kinds[r.Kind] = true
			if r.Kind == Unknown {
				t.Errorf("%q is documented, and not understood", example)
			}
		}
		if len(kinds) != 1 {
			t.Errorf("one row has the kinds %v: %s", kinds, line)
		}
	}
	if rows < 25 {
		t.Errorf("only %d rows", rows)
	}
}

func TestDates(t *testing.T) {
	tests := map[string]string{
		"today": "2026-11-15", "tomorrow": "2026-11-16", "yesterday": "2026-11-14", "monday": "2026-11-16", "last monday": "2026-11-09",
		"next sunday": "2026-11-22", "this sunday": "2026-11-15", "last sunday": "2026-11-08", "2026-05-01": "2026-05-01", "may 3": "2026-05-03",
		"3 may 2025": "2025-05-03", "the 3rd of may 2024": "2024-05-03", "march 2024": "2024-03", "2023": "2023", "last year": "2025",
		"last month": "2026-10", "two weeks ago": "2026-11-01", "3 days ago": "2026-11-12", "the day after tomorrow": "2026-11-17",
		"1.5.2026": "2026-05-01", "december": "2026-12", "sept 5": "2026-09-05", "feb 29 2024": "2024-02-29",
		"3/4/2026": "", "feb 30": "", "may": "2026-05", "13": "", "someday": "", "2023 2024": "", "": "", "the": "", "1000000 days ago": "",
	}
	for said, want := range tests {
		got := ""
		if p, ok := readPeriod(strings.Fields(said), sunday); ok {
			got = fmt.Sprintf("%04d", p.year)
			if p.month != 0 {
				got += fmt.Sprintf("-%02d", p.month)
			}
			if p.day != 0 {
				got += fmt.Sprintf("-%02d", p.day)
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

// FuzzParse holds three laws: parsing ends without a panic, says the same twice,
// also at the same time, and copies what it copies from the message.
func FuzzParse(f *testing.F) {
	for _, p := range readPhrasings(f) {
		f.Add(p.said)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first := parse(text, sunday)
		if len(first) == 0 {
			t.Fatal("no request, not even an unknown one")
		}
		var again []Request
		var group sync.WaitGroup
		group.Go(func() { again = parse(text, sunday) })
		group.Wait()
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("two readings of %q\n%s", text, diff)
		}
		for _, r := range first {
			copied(t, text, r)
		}
	})
}

// copied checks that the slots of a request are parts of the message.
func copied(t *testing.T, text string, r Request) {
	if !strings.Contains(strings.ToLower(text), strings.ToLower(r.Heading)) {
		t.Errorf("the heading %q is not part of %q", r.Heading, text) // "add these Agenda items" has it in lower case
	}
	parts := []string{r.Title, r.Old, r.New, r.Select.Words, r.Select.Mentions, r.Select.About}
	if r.List {
		parts = append(parts, strings.Split(r.Text, "\n")...)
	} else {
		parts = append(parts, strings.TrimPrefix(r.Text, "# "))
	}
	for _, doc := range r.Docs {
		if _, number, ok := strings.Cut(doc, " "); ok && strings.Trim(number, "0123456789") == "" {
			continue // of "chapters 1 to 5"
		}
		parts = append(parts, strings.Split(doc, "/")...)
	}
	for _, part := range parts {
		if part == sunday.Format(time.DateOnly) || r.Kind == Create && strings.HasPrefix(r.Text, "#") || !r.Date.IsZero() {
			continue // a heading with its text, or a day
		}
		if !strings.Contains(text, part) {
			t.Errorf("%q is not part of %q: %s", part, text, render(r))
		}
	}
}

// render writes a request as the file of phrasings has it: the fields that are
// set, in the order of the struct.
func render(r Request) string {
	kind := string(r.Kind)
	if r.Kind == Unknown {
		return "unknown"
	}
	return kind + fields(reflect.ValueOf(r))
}

func fields(v reflect.Value) string {
	var b strings.Builder
	for i := range v.NumField() {
		name, field := strings.ToLower(v.Type().Field(i).Name), v.Field(i)
		if name == "kind" || field.IsZero() {
			continue
		}
		switch value := field.Interface().(type) {
		case time.Time:
			fmt.Fprintf(&b, " %s=%s", name, value.Format(time.DateOnly))
		case Selection:
			fmt.Fprintf(&b, " select(%s)", strings.TrimSpace(fields(field)))
		case bool:
			fmt.Fprintf(&b, " %s", name)
		case time.Month, int:
			fmt.Fprintf(&b, " %s=%d", name, value)
		default:
			fmt.Fprintf(&b, " %s=%q", name, value)
		}
	}
	return b.String()
}
