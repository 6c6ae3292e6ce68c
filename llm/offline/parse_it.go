package offline

import (
	"slices"
	"strings"
)

// expand makes several requests of one that a request can only have once.
func expand(r Request) []Request {
	var all []Request
	switch {
	case (r.Kind == Tag || r.Kind == Tick || r.Kind == Untick) && r.List:
		for tag := range strings.SplitSeq(r.Text, "\n") {
			one := r
			one.Text, one.List = tag, false
			all = append(all, one)
		}
	case r.Kind == Create && strings.Contains(r.Title, "\n"):
		for title := range strings.SplitSeq(r.Title, "\n") {
			one := r
			one.Title = title
			all = append(all, one)
		}
	case r.Kind == CreateFolder:
		for folder := range strings.SplitSeq(r.Folder, "\n") {
			all = append(all, Request{Kind: CreateFolder, Folder: folder})
		}
	default:
		all = []Request{r}
	}
	return all
}

// resolve looks up "it" and "them" among the requests of the same message.
func (p *parser) resolve() {
	for i := range p.requests {
		r := &p.requests[i]
		if r.Kind == Again && i > 0 {
			again, ok := p.requests[i-1].repeated(*r)
			if !ok {
				again = Request{Text: strings.TrimSpace(p.text)}
			}
			*r = again
		}
		if (r.Kind == OrganiseTopic || r.Kind == OrganiseDate) && r.Folder == "" && !r.Select.Given() && p.place != "/" {
			r.Folder = p.place
		}
		if r.Folder == thatFolder || r.Select.Folder == thatFolder {
			r.Folder = p.folderBefore(i)
		}
		if r.Folder == "" && r.Kind == Move && r.New == "" || r.Select.Folder == thatFolder {
			*r = Request{Text: strings.TrimSpace(p.text)}
		}
		if !r.This {
			continue
		}
		plural := r.Kind == Delete && r.Select.All
		r.Select.All = r.Select.All && !plural
		if own := r.Docs; i > 0 && p.requests[i-1].lends(r) {
			if r.Kind == Link && len(own) == 1 && len(r.Docs) == 1 && !r.This {
				r.Docs = append(r.Docs, own...)
			}
			continue
		}
		if p.spoken != "" && !plural {
			r.Docs, r.This = []string{p.spoken}, false
			continue
		}
		if plural || p.remark && destructive[r.Kind] {
			*r = Request{Text: strings.TrimSpace(p.text)} // who "they" are was not said
		}
	}
	if !slices.ContainsFunc(p.requests, func(r Request) bool { return r.Kind != Unknown }) {
		p.requests = nil
	}
}

// repeated is a request once more, of other documents.
func (r Request) repeated(of Request) (Request, bool) {
	switch r.Kind {
	case Append, Prepend, Insert, AddSection, Replace, RenameName, RemoveText, RemoveSection, Tick, Untick, AddTodo, Move, Delete,
		Read, Outline, Count, Summarise, Split, Contents, Tag, Untag, Sort, ListTodos:
	default:
		return Request{}, false
	}
	if r.New != "" && r.Kind == Move {
		return Request{}, false // two documents cannot have one path
	}
	r.Docs, r.This, r.Everywhere, r.Select, r.Every = slices.Clone(of.Docs), of.This, of.Everywhere, of.Select, false
	return r, true
}

// folderBefore is the folder that the nearest request before one was about.
func (p *parser) folderBefore(i int) string {
	for i--; i >= 0; i-- {
		if r := p.requests[i]; (r.Kind == CreateFolder || r.Kind == Move) && r.Folder != thatFolder {
			return r.Folder
		}
	}
	return ""
}

// lends gives the documents of a request to a later one that speaks of them.
func (r *Request) lends(to *Request) bool {
	switch {
	case r.Kind == Create && !r.Date.IsZero():
		return true // its name is not known before it is made
	case r.Kind == Create && r.Title != "" || r.Kind == Merge && r.Title != "" || r.Kind == CollectTodos && r.Title != "":
		to.Docs = []string{r.Title}
		if r.Folder != "" && r.Folder != "/" && !strings.Contains(r.Title, "/") {
			to.Docs[0] = r.Folder + "/" + r.Title
		}
	case (r.Kind == Rename || r.Kind == Move) && r.New != "":
		to.Docs = []string{r.New}
	case r.Kind == Daily:
		to.Docs, to.Date = []string{r.Date.Format("2006-01-02")}, r.Date
	case r.Kind == Find && r.What == "about" && (destructive[to.Kind] || to.Kind == Move || to.Kind == Merge || to.Kind == Tag):
		to.Select = Selection{About: r.Text}
	case r.Kind == Find:
		to.Select = Selection{Mentions: r.Text}
	case r.Kind == List && r.Folder != "" && r.Folder != "/":
		to.Select = Selection{Folder: r.Folder}
	case r.Kind == Link && len(r.Docs) == 2:
		to.Docs = slices.Clone(r.Docs[:1])
	case r.Kind == Link && r.This && len(r.Docs) == 1:
		return true // what it is comes out when it is done
	case len(r.Docs) > 0:
		to.Docs = slices.Clone(r.Docs)
	case r.Select.Given():
		to.Select = r.Select
	default:
		return false
	}
	to.This = false
	return true
}
