package offline

import (
	"path"
	"slices"
	"strings"
)

// destructive kinds take something away.
var destructive = map[Kind]bool{Delete: true, RemoveText: true, RemoveSection: true}

// take notes what a slot says.
func (r *Request) take(part Request, slot string) {
	switch slot {
	case "doc", "docs", "one":
		r.Docs = append(part.Docs, r.Docs...)
	case "doc2":
		r.Docs = append(r.Docs, part.Docs...)
	case "parent":
		part.Folder = strings.TrimPrefix(part.Folder, "/")
		if part.Folder != "" && r.Folder != "" {
			r.Folder = part.Folder + "/" + r.Folder
		} else if part.Folder != "" {
			r.Folder = part.Folder + "/" // what is in it comes later, or is a document
		}
		part.Folder = ""
	case "folder":
		if strings.HasSuffix(r.Folder, "/") {
			part.Folder = r.Folder + part.Folder
		}
	}
	if len(r.Docs) > 0 || part.Everywhere || part.Select.Given() {
		r.This = false
	}
	r.This = r.This || part.This
	r.Everywhere = r.Everywhere || part.Everywhere
	r.List = r.List || part.List
	keep(&r.Text, part.Text)
	keep(&r.Title, part.Title)
	keep(&r.Template, part.Template)
	keep(&r.Heading, part.Heading)
	keep(&r.Old, part.Old)
	keep(&r.New, part.New)
	keep(&r.Folder, part.Folder)
	if part.Level != 0 {
		r.Level = part.Level
	}
	if part.Nth != 0 {
		r.Nth = part.Nth
	}
	if !part.Date.IsZero() {
		r.Date = part.Date
	}
	r.Select.take(part.Select)
}

func (s *Selection) take(part Selection) {
	keep(&s.Pattern, part.Pattern)
	keep(&s.Words, part.Words)
	keep(&s.Mentions, part.Mentions)
	keep(&s.About, part.About)
	keep(&s.Tag, part.Tag)
	keep(&s.Folder, part.Folder)
	if part.Year != 0 {
		s.Year, s.Month = part.Year, part.Month
	}
	if !part.Before.IsZero() {
		s.Before = part.Before
	}
	s.Loose = s.Loose || part.Loose
	s.Empty = s.Empty || part.Empty
	s.All = s.All || part.All
	s.Number = max(s.Number, part.Number)
}

func keep(field *string, value string) {
	if value != "" {
		*field = value
	}
}

// finish completes a request from what its slots say. False means that the rule
// does not fit after all.
func (r *Request) finish(c *clause, captures []capture) bool {
	check := finishers[r.Kind]
	if check != nil && !check(r, c, captures) {
		return false
	}
	if r.Folder == thatFolder && r.Kind != Move && r.Kind != Create {
		return false
	}
	if destructive[r.Kind] && slices.ContainsFunc(c.tokens, func(t token) bool { return t.form == plain && limiting[t.low] }) {
		return false
	}
	r.unfence()
	switch r.Kind {
	case Delete, Move, Merge, Tag, Untag:
	default: // where nothing can get lost, to mention something is enough
		keep(&r.Select.Mentions, r.Select.About)
		r.Select.About = ""
	}
	switch r.Kind {
	case Delete, Move, Tag, Untag, Merge, List, Tick, Untick:
		r.Everywhere = false
	default:
		r.Everywhere = r.Everywhere || r.Select.All
		r.Select.All = false
	}
	return true
}

// unfence takes content out of its fence when it is for a file of its own
// language; in Markdown the fence is wanted.
func (r *Request) unfence() {
	target := r.Title
	if target == "" && len(r.Docs) > 0 {
		target = r.Docs[0]
	}
	switch strings.ToLower(path.Ext(target)) {
	case "", ".md", ".markdown", ".mdx":
		return
	}
	if rest, ok := strings.CutPrefix(r.Text, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		if inner, ok := strings.CutSuffix(rest, "\n```"); ok {
			r.Text = inner
		}
	}
}

// finishers are the checks of kinds that need one.
var finishers = map[Kind]func(*Request, *clause, []capture) bool{
	Create: finishCreate, Daily: finishDaily, Append: finishAdd, Insert: finishAdd, Prepend: finishAdd, AddTodo: finishTodo,
	Replace: finishReplace, RenameName: finishName, RemoveText: finishRemove, Delete: finishDelete,
	Move: finishMove, Rename: finishRename, Merge: finishMerge, Find: finishFind, List: finishList,
	Read: finishRead, Tick: finishTick, Untick: finishTick, Summarise: finishSummarise, Link: finishLink,
	OrganiseTopic: finishOrganise, OrganiseDate: finishOrganise, Outline: finishOne, Split: finishOne, CollectTodos: finishCollect,
	Count: func(r *Request, _ *clause, _ []capture) bool {
		keep(&r.Text, r.Old)
		r.Old = ""
		return true
	},
	AddSection: func(r *Request, c *clause, captures []capture) bool {
		return c.inQuotes(captures, "heading") || !containsAny(r.Heading, " under ", " below ", " beneath ", " underneath ")
	},
	CreateFolder: func(r *Request, _ *clause, _ []capture) bool { return r.Folder != "/" && r.Folder != thatFolder },
	Sort:         func(r *Request, _ *clause, _ []capture) bool { return r.one() || len(r.Docs) > 0 },
	Tag:          func(r *Request, _ *clause, _ []capture) bool { return !r.Everywhere || r.Select.All },
}

// took returns the first span of a slot.
func took(captures []capture, slot string) (span, bool) {
	for _, capture := range captures {
		if capture.slot.name == slot {
			return capture.span, true
		}
	}
	return span{}, false
}

// inQuotes tells that a slot was one quotation.
func (c *clause) inQuotes(captures []capture, slot string) bool {
	s, ok := took(captures, slot)
	tok, one := c.only(c.trim(c.lead(s)))
	return ok && one && tok.form != plain
}

func finishCreate(r *Request, c *clause, captures []capture) bool {
	if verb := c.tokens[c.skip(0)].low; (verb == "give" || verb == "i" || verb == "i'd" || verb == "let") && slices.ContainsFunc(c.tokens[:min(5, len(c.tokens))], func(t token) bool { return determiners[t.low] }) {
		return false // "give me the Rome note" is there already
	}
	thing, isThing := took(captures, "thing")
	if isThing && r.Template == "" {
		r.Template = templates[strings.ToLower(c.cut(thing))]
	}
	if title, ok := took(captures, "title"); isThing && ok && title.from > thing.to && r.Template == "" {
		r.Title = c.cut(span{thing.from, title.to}) // "packing list for Rome"
	}
	if r.Template == "" && r.Text == "" && !c.inQuotes(captures, "title") && !strings.Contains(r.Title, ".") {
		r.Template = templates[strings.ToLower(r.Title)]
	}
	r.enumerate(c, captures, true)
	if title, ok := took(captures, "title"); isThing && ok && title.from > thing.to && r.Text != "" && (r.Template == "meeting-notes" || !r.List && !c.inQuotes(captures, "text")) {
		return false // "meeting notes for lunch with Ana"
	}
	if text, ok := took(captures, "text"); ok && !r.List && text.from > 0 && c.tokens[text.from-1].low == ":" && text.to-text.from < 5 && c.tokens[text.from].form == plain && r.Title != "" {
		title, _ := took(captures, "title")
		if title.to == text.from-1 {
			return c.tokens[title.from].form != plain || c.tokens[title.from].file // a colon in the title
		}
	}
	if r.Heading != "" {
		r.Text = strings.TrimSpace("# " + r.Heading + "\n\n" + r.Text)
		r.Heading = ""
	}
	return true
}

func finishDaily(r *Request, c *clause, captures []capture) bool {
	if r.Date.IsZero() {
		r.Date = dayOf(c.today).start()
	}
	if _, ok := took(captures, "text"); ok && !c.inQuotes(captures, "text") && c.structural(captures) {
		return false
	}
	return true
}

// finishAdd makes items of "milk, eggs and bread", and a todo of what is added
// to a list of todos.
func finishAdd(r *Request, c *clause, captures []capture) bool {
	if s, ok := took(captures, "docs"); ok && folderWords[c.tokens[s.to-1].low] && !explicit[c.tokens[s.from].low] {
		return false
	}
	if r.Select.Given() && !r.Select.All || r.Text == "" {
		return r.Text != "" && r.Select.Given()
	}
	if !c.inQuotes(captures, "text") && (inventions[strings.ToLower(r.Text)] || c.structural(captures) || documentFile(r.Text) && !strings.Contains(r.Text, " ")) {
		return false // "add comments to the code", "append a.md to b.md"
	}
	if tag := strings.TrimLeft(r.Text, "#"); len(tag) == len(r.Text)-1 && tag != "" && !strings.ContainsAny(tag, " \n#") {
		r.Kind, r.Text = Tag, tag
		return true
	}
	if text, ok := took(captures, "text"); ok && slices.ContainsFunc(c.tokens[text.from:c.lead(text).from], func(t token) bool { return strings.HasPrefix(t.low, "item") || strings.HasPrefix(t.low, "bullet") }) {
		r.List = true
	}
	listed := r.List || len(r.Docs) == 1 && containsAny(strings.ToLower(r.Docs[0]), "list", "groceries", "shopping", "packing", "todo", "wishlist")
	r.enumerate(c, captures, listed)
	verb := c.tokens[c.skip(0)].low
	if r.Kind == Append && (verb == "add" || verb == "put") && len(r.Docs) == 1 && todoFile(r.Docs[0]) && !strings.ContainsAny(r.Text[:1], "-*#[") && (r.List || !strings.Contains(r.Text, "\n")) {
		r.Kind = AddTodo
	}
	return true
}

// structural tells that content is something that documents are made of, and not its
// own words: "add front matter to a.md".
func (c *clause) structural(captures []capture) bool {
	s, _ := took(captures, "text")
	words := strings.Fields(c.low(c.trim(s)))
	for len(words) > 1 && (describing[words[0]] || determiners[words[0]] || structureKinds[words[0]]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	text, last := strings.Join(words, " "), words[len(words)-1]
	if len(words) < 4 && (last == "summary" || last == "overview" || docNouns[last]) && (strings.HasSuffix(words[0], "'s") || determiners[c.tokens[s.from].low] || len(words) > 1 && strings.HasSuffix(words[1], "'s")) {
		return true // "today's summary", "Ravi's note"
	}
	return structures[text] || inventions[text]
}

// reshaped tells that the new words of a replacement say what becomes of the old ones:
// "a link to a.md", "bold".
func (c *clause) reshaped(captures []capture) bool {
	s, ok := took(captures, "new")
	if !ok || c.inQuotes(captures, "new") {
		return false
	}
	words := strings.Fields(c.low(c.trim(s)))
	for len(words) > 1 && (describing[words[0]] || determiners[words[0]] || structureKinds[words[0]]) {
		words = words[1:]
	}
	if len(words) == 0 || !structures[words[0]] && !inventions[words[0]] && !shapes[words[0]] {
		return false
	}
	return len(words) == 1 && (s.to-s.from > 1 || shapes[words[0]]) || len(words) > 1 && subjects[words[1]]
}

// todoFile tells that a document is a list of todos by its name.
func todoFile(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	base, _, _ = strings.Cut(strings.ToLower(base), ".")
	return slices.Contains([]string{"todo", "todos", "to-do", "to do", "tasks", "todo list", "to-do list", "todo-list"}, base)
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// enumerate makes a list of content that is one in words. Where two words may
// be a list is decided by where they are going.
func (r *Request) enumerate(c *clause, captures []capture, listed bool) {
	s, ok := took(captures, "text")
	if !ok || c.inQuotes(captures, "text") || strings.Contains(r.Text, "\n") {
		return
	}
	s = c.trim(c.lead(s))
	parts := c.items(s)
	commas := 0
	for _, tok := range c.tokens[s.from:s.to] {
		if tok.form == soft && tok.low == "," {
			commas++
		}
	}
	if len(parts) < 2 || commas == 0 && !listed || commas > 0 && len(parts) < 3 && !listed {
		return
	}
	var items []string
	for _, part := range parts {
		if part.to-part.from > 5 {
			return
		}
		value, _ := c.literal(part)
		items = append(items, value)
	}
	r.Text, r.List = strings.Join(items, "\n"), true
}

// items are the parts between commas and "and".
func (c *clause) items(s span) []span {
	var parts []span
	from := s.from
	for i := s.from; i <= s.to; i++ {
		if i < s.to && c.tokens[i].low != "," && c.tokens[i].low != "and" && c.tokens[i].low != "&" {
			continue
		}
		if part := c.trim(span{from, i}); part.from < part.to {
			parts = append(parts, part)
		}
		from = i + 1
	}
	return parts
}

func finishTodo(r *Request, c *clause, captures []capture) bool {
	s, ok := took(captures, "text")
	if !ok || r.Text == "" {
		return false
	}
	if strings.Contains(c.cut(s), ",") && c.tokens[s.to-1].form != quoted && c.tokens[c.skip(0)].low == "add" {
		r.enumerate(c, captures, false)
	}
	docs, placed := took(captures, "docs")
	if placed && docs.from < s.from {
		if first := c.tokens[docs.from]; !determiners[first.low] && !named(c.tokens[docs.from:docs.to]) && strings.ToLower(first.value) == first.value {
			return false // "a todo to talk to Ana"
		}
	}
	if first := c.tokens[c.trim(s).from].low; first == "list" || first == "lists" {
		return false
	}
	for _, doc := range r.Docs {
		if p, ok := readPeriod(strings.Fields(strings.ToLower(doc)), c.today); (ok || moments[strings.ToLower(doc)]) && (p.day != 0 || !capital(c.cut(docs))) {
			return false
		}
	}
	return !r.Select.Given() || r.Select.All
}

// finishReplace refuses what is a wish and not a replacement of words: "change
// the tone to formal", "convert a.md to PDF".
func finishReplace(r *Request, c *clause, captures []capture) bool {
	old, _ := took(captures, "old")
	first := c.tokens[old.from]
	if r.Old == "" || r.Old == r.New || c.reshaped(captures) {
		return false
	}
	if !c.inQuotes(captures, "old") && first.form == plain && (explicit[first.low] || contentWords[first.low]) {
		return false // "replace everything in a.md with x"
	}
	if r.What == "heading" {
		return !r.Everywhere && !r.Select.Given() && len(r.Docs) < 2
	}
	placed := len(r.Docs) > 0 || r.This || r.Everywhere || r.Select.Given()
	if slices.ContainsFunc(c.tokens, func(t token) bool { return t.low == "everywhere" || t.low == "globally" || t.low == "throughout" }) && !placed {
		placed, r.Everywhere = true, true
	}
	if s := c.tokens[:old.from]; !placed && slices.ContainsFunc(s, func(t token) bool { return explicit[t.low] }) {
		r.Every = true
	}
	if c.inQuotes(captures, "old") {
		return true
	}
	if slices.ContainsFunc(c.tokens[:old.from], func(t token) bool { return t.low == "from" }) {
		return placed && old.to-old.from <= 4
	}
	last := c.tokens[old.to-1]
	if docNouns[last.low] || docPlurals[last.low] || contentWords[last.low] {
		return false
	}
	if (first.file || last.file) && !placed {
		return false
	}
	switch c.tokens[c.skip(0)].low {
	case "replace", "substitute", "swap", "exchange", "use", "find", "search", "write", "say", "put":
		return !determiners[first.low] || placed
	}
	counted := slices.ContainsFunc(c.tokens[:old.from], func(t token) bool {
		return explicit[t.low] || t.low == "word" || t.low == "phrase" || t.low == "spelling" || t.low == "text" || t.low == "of"
	})
	return !determiners[first.low] && first.low != "a" && first.low != "an" && (placed || counted) && (old.to-old.from <= 4 || counted)
}

func finishName(r *Request, c *clause, captures []capture) bool {
	for _, suffix := range []string{" name", "'s", "’s"} {
		if _, ok := took(captures, "person"); ok && containsAny(strings.ToLower(c.low(span{0, len(c.tokens)})), "'s name") {
			r.Old = strings.TrimSuffix(r.Old, suffix)
		}
	}
	if s, ok := took(captures, "old"); ok && (explicit[c.tokens[s.from].low] || determiners[c.tokens[s.from].low]) {
		return false
	}
	if documentFile(r.Old) || documentFile(r.New) || r.Old == "" || r.New == "" || pronouns[strings.ToLower(r.Old)] {
		return false
	}
	if s, ok := took(captures, "new"); ok && s.to-s.from > 4 && !c.inQuotes(captures, "new") {
		return false
	}
	r.Word = true
	if len(r.Docs) == 0 && !r.This && !r.Select.Given() {
		r.Everywhere = true
	}
	return true
}

// finishRemove refuses to take out what has no words of its own.
func finishRemove(r *Request, c *clause, captures []capture) bool {
	s, _ := took(captures, "old")
	if !c.inQuotes(captures, "old") {
		if s.from > 0 && r.What == "" && explicit[c.tokens[s.from-1].low] {
			return false
		}
		low := strings.Fields(c.low(c.undetermined(s)))
		if len(low) == 0 || unspecific[low[0]] || r.What != "" && strings.Trim(low[0], "0123456789") == "" || unspecific[low[len(low)-1]] || documentFile(r.Old) || explicit[low[0]] {
			return false
		}
		if len(low) > 1 && finishedWords[low[0]] {
			return false // "the completed todos"
		}
		if docPlurals[low[len(low)-1]] || docNouns[low[len(low)-1]] || folderWords[low[len(low)-1]] {
			return false
		}
		r.Old = c.cut(c.undetermined(s))
	}
	if r.What == "" && len(r.Docs) == 1 && strings.HasSuffix(strings.ToLower(strings.TrimSuffix(r.Docs[0], ".md")), "list") {
		r.What = "item"
	}
	if docs, ok := took(captures, "docs"); ok && !c.inQuotes(captures, "old") {
		if _, time := c.period(docs); time {
			return false // "delete the recipes from 2023"
		}
	}
	placed := len(r.Docs) > 0 || r.This || r.Everywhere || r.Select.Given()
	if !placed && slices.ContainsFunc(c.tokens[:s.from], func(t token) bool { return explicit[t.low] }) {
		placed, r.Everywhere = true, true
	}
	return placed
}
