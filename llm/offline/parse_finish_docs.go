package offline

import (
	"slices"
	"strings"
)

// finishDelete wants documents that are named, or a choice that was spelt out.
func finishDelete(r *Request, c *clause, captures []capture) bool {
	if r.Title != "" {
		r.Docs, r.Title = []string{strings.TrimPrefix(strings.TrimSuffix(r.Folder, "/")+"/"+r.Title, "/")}, ""
		r.Folder = ""
	}
	if r.Everywhere {
		return r.Select.All
	}
	if s, ok := took(captures, "docs"); ok && r.This && plurals[c.low(s)] {
		r.Select.All = true // they are looked up among the requests before it
	}
	return (len(r.Docs) > 0 || r.This || r.Select.Given()) && !mixed(r.Docs)
}

// mixed tells that a list of names has file names in it and parts of a sentence.
func mixed(names []string) bool {
	sentence := func(name string) bool {
		return !documentFile(name) && strings.Contains(name, " ") && strings.ToLower(name) == name
	}
	return slices.ContainsFunc(names, documentFile) && slices.ContainsFunc(names, sentence)
}

func finishMove(r *Request, c *clause, captures []capture) bool {
	if _, ok := took(captures, "new"); ok {
		if len(r.Docs) != 1 && !r.This || !documentFile(r.New) && !strings.Contains(r.New, "/") {
			return false
		}
		if dir, ok := strings.CutSuffix(r.New, "/"); ok {
			r.Folder, r.New = dir, ""
		}
	}
	if r.Title != "" {
		r.Docs, r.Title = []string{r.Title}, ""
	}
	if s, ok := took(captures, "parent"); ok {
		if _, year := c.period(s); year {
			return false
		}
		var from Request
		readFolder(c, s, &from)
		r.Folder = strings.TrimPrefix(strings.TrimPrefix(r.Folder, strings.TrimPrefix(from.Folder, "/")), "/")
		for i, doc := range r.Docs {
			if from.Folder != "/" && !strings.Contains(doc, "/") {
				r.Docs[i] = from.Folder + "/" + doc
			}
		}
		if r.Select.Given() && r.Select.Folder == "" && from.Folder != "/" {
			r.Select.Folder = from.Folder
		}
	}
	if _, ok := took(captures, "under"); ok && r.Select == (Selection{Folder: r.Select.Folder}) {
		if verb := c.tokens[c.skip(0)].low; verb == "rename" || verb == "change" {
			r.Kind, r.Docs, r.New, r.Folder, r.Select = Rename, []string{r.Select.Folder + "/"}, r.Folder, "", Selection{}
			return true
		}
		r.Docs, r.Select = []string{r.Select.Folder + "/"}, Selection{}
	}
	if r.Everywhere && !r.Select.All {
		return false
	}
	return r.Folder != "" || r.New != ""
}

func finishRename(r *Request, c *clause, captures []capture) bool {
	s, _ := took(captures, "new")
	first := c.tokens[s.from].low
	if s.to-s.from > 10 || r.New == "" || len(r.Docs)+len(r.Select.Words) == 0 && !r.This {
		return false
	}
	if slices.ContainsFunc(c.tokens[s.from:s.to], func(t token) bool { return t.low == "to" }) {
		return false
	}
	if first == "something" || first == "a" || first == "an" || first == "be" || first == "lowercase" {
		return false
	}
	if strings.Contains(r.New, "/") {
		r.Kind = Move
	}
	return true
}

// finishMerge takes "merge a into b" for what it is: b gets a.
func finishMerge(r *Request, c *clause, captures []capture) bool {
	if len(r.Docs) == 1 && r.Title != "" && !r.Select.Given() {
		r.Docs, r.Title = []string{r.Title, r.Docs[0]}, ""
	}
	if r.Everywhere && !r.Select.All || pronouns[strings.ToLower(r.Title)] {
		return false
	}
	return len(r.Docs) > 1 || r.Select.Given()
}

func finishFind(r *Request, c *clause, captures []capture) bool {
	s, ok := took(captures, "text")
	if !ok {
		return r.Text != ""
	}
	if s.from > 0 && r.What == "" && (c.tokens[s.from-1].low == "about" || c.tokens[s.from-1].low == "on" || c.tokens[s.from-1].low == "regarding") {
		r.What = "about"
	}
	first := c.tokens[c.trim(s).from]
	if first.form != plain {
		return true
	}
	if notFound[first.low] {
		return false
	}
	what := c.undetermined(c.trim(c.lead(s)))
	if r.Text = c.cut(what); c.tokens[what.from].form == quoted && what.to-what.from == 1 {
		r.Text = c.tokens[what.from].value
	}
	return s.to-s.from <= 12
}

func finishList(r *Request, c *clause, captures []capture) bool {
	if r.Select.Loose && r.Folder == "" || r.Select.Given() || r.Folder != "" {
		s, ok := took(captures, "words")
		return !ok || s.to-s.from == 1
	}
	return !r.Everywhere || r.Select.All
}

func finishRead(r *Request, c *clause, captures []capture) bool {
	return len(r.Docs) > 0 || r.This
}

func finishOne(r *Request, c *clause, captures []capture) bool {
	if s, ok := took(captures, "docs"); ok && r.Everywhere && works[c.tokens[s.to-1].low] {
		r.Docs, r.Everywhere = []string{c.tokens[s.to-1].value}, false // "the whole novel"
	}
	return len(r.Docs) > 0 || r.This || r.Select.Given()
}

func finishTick(r *Request, c *clause, captures []capture) bool {
	if r.Select.All {
		return true
	}
	s, ok := took(captures, "text")
	if !ok {
		return true // a quotation
	}
	if first := c.tokens[s.from]; first.form == quoted && s.to-s.from == 2 && textNouns[c.tokens[s.from+1].low+"s"] {
		r.Text = first.value // the "x" task
	}
	tok, one := c.only(s)
	if parts := c.items(s); len(parts) > 1 && !r.List && !slices.ContainsFunc(parts, func(part span) bool { return part.to-part.from > 1 }) {
		r.Text, r.List = "", true // "milk and eggs"
		for _, part := range parts {
			value, _ := c.literal(part)
			r.Text = strings.TrimPrefix(r.Text+"\n"+value, "\n")
		}
	}
	return r.Text != "" && (!one || !tok.file) && c.tokens[s.from].low != "off" && c.tokens[s.from].low != "box"
}

func finishSummarise(r *Request, c *clause, captures []capture) bool {
	if len(captures) == 0 {
		return false
	}
	// "what is x about" asks about the world, unless x is clearly a document
	if c.tokens[len(c.tokens)-1].low == "about" && len(r.Docs) > 0 {
		s, _ := took(captures, "doc")
		return named(c.tokens[s.from:s.to]) || determiners[c.tokens[s.from].low] && docNouns[c.tokens[s.to-1].low] || c.tokens[s.from].low == "my"
	}
	return true
}

func finishLink(r *Request, c *clause, captures []capture) bool {
	from, one := took(captures, "doc")
	to, two := took(captures, "doc2")
	if one && two && len(r.Docs) == 1 {
		r.This = these[c.low(from)]
		return r.This && !these[c.low(to)] // "link it to a.md"
	}
	if len(r.Docs) == 0 && !r.This && !r.Select.Given() {
		r.Everywhere = true
	}
	return true
}

// finishOrganise keeps "sort" and "put" for those that say where to.
func finishOrganise(r *Request, c *clause, captures []capture) bool {
	if r.Select.Loose || r.Folder == "/" {
		r.Folder, r.Select.Loose = "", false
	}
	if r.Select.Folder != "" {
		r.Folder, r.Select.Folder = r.Select.Folder, ""
	}
	r.Select.All = false
	return true
}

func finishCollect(r *Request, c *clause, captures []capture) bool {
	return !pronouns[strings.ToLower(r.Title)]
}
