package offline

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// loose are the documents directly in a folder, without the one that explains it.
func (w *work) loose(q Request) (folder string, list []string) {
	if q.Folder != "" {
		var ok bool
		if folder, ok = w.findFolder(q.Folder); !ok {
			end(fmt.Sprintf("There is no folder “%s”.%s", q.Folder, foldersThere(w)))
		}
	}
	pick := w.list().files
	if q.Select.Given() {
		s := q.Select
		if s.Folder != "" {
			folder, _ = w.findFolder(s.Folder)
		}
		s.Loose, s.All = false, s.All || s.Loose
		pick = w.selected(s)
	}
	for _, f := range pick {
		name := folded(nameOf(f))
		if folderOf(f) == folder && isNote(f) && name != "readme" && name != "index" {
			list = append(list, f)
		}
	}
	return folder, list
}

// organise moves loose documents into folders by topic.
func (w *work) organise(q Request) string {
	w.need(toMove)
	folder, list := w.loose(q)
	if len(list) == 0 {
		return fmt.Sprintf("There are no loose documents in %s, so there is nothing to organise.", folderName(folder))
	}
	homes := w.folderTopics(folder)
	var others []string
	for _, f := range w.list().files {
		if isNote(f) && folderOf(f) != folder && slices.ContainsFunc(homes, func(h string) bool { return below(f, h) }) {
			others = append(others, f)
		}
	}
	const most = 150 // documents that are looked into
	if len(list) > most {
		list = list[:most]
	}
	docs := w.read(append(slices.Clone(list), others[:min(len(others), most-len(list))]...)...)
	s := newSorter(w, homes, list, docs)
	s.intoFolders()
	s.intoTopics(folder)
	return w.moveAll(list, s.home, "topic")
}

// moveAll moves documents to the folders they were given, and names those that
// were given none.
func (w *work) moveAll(list []string, home map[string]string, by string) string {
	var changes []change
	var stay []string
	for _, f := range list {
		if home[f] == "" {
			stay = append(stay, f)
			continue
		}
		changes = append(changes, moving(f, path.Join(home[f], path.Base(f))))
	}
	staying := ""
	if len(stay) > 0 {
		verb := "stay where they are"
		if len(stay) == 1 {
			verb = "stays where it is"
		}
		staying = fmt.Sprintf("%s %s: I could not tell the %s.", listed(stay, maxListed), verb, by)
	}
	if len(changes) == 0 {
		return inOne("I moved nothing.", staying)
	}
	return inOne(movedReport(changes, w.change(changes...)), staying)
}

// folderTopics are the folders below one that documents can go to.
func (w *work) folderTopics(folder string) []string {
	var list []string
	for _, f := range w.list().folders {
		if below(f, folder) && folderOf(f) == folder && !strings.HasPrefix(path.Base(f), ".") && dateOfPath(f).year == 0 {
			list = append(list, f)
		}
	}
	return list
}

// sorter finds a folder for each document.
type sorter struct {
	homes   []string // existing folders
	list    []string // what is to be sorted
	docs    map[string]*document
	vectors map[string]vector
	centre  map[string]vector // of the documents of a folder
	byName  map[string]string // the path of a document, by its folded name
	home    map[string]string // the folder that a document goes to
	dated   map[string]bool   // folders of documents that are named after days
	lower   bool              // folders here are written without capitals
}

func newSorter(w *work, homes, list []string, docs []*document) *sorter {
	s := &sorter{
		homes: homes, list: list, docs: map[string]*document{}, vectors: map[string]vector{}, centre: map[string]vector{},
		byName: map[string]string{}, home: map[string]string{}, dated: map[string]bool{}, lower: true,
	}
	for _, f := range w.list().files {
		s.byName[folded(nameOf(f))] = f
	}
	for _, d := range docs {
		if d.failure == "" {
			s.docs[d.path], s.vectors[d.path] = d, weigh(d)
		}
	}
	scale(s.vectors)
	for _, h := range homes {
		if strings.ToLower(path.Base(h)) != path.Base(h) {
			s.lower = false
		}
		c := vector{}
		all, days := 0, 0
		for _, d := range docs {
			if below(d.path, h) {
				all++
				if dateIn(nameOf(d.path)).day != 0 {
					days++
				}
				for t, n := range s.vectors[d.path] {
					c[t] += n
				}
			}
		}
		s.centre[h], s.dated[h] = c, 2*days > all
	}
	return s
}

// intoFolders gives documents a folder that is there already.
func (s *sorter) intoFolders() {
	for _, f := range s.list {
		if s.docs[f] == nil || s.docs[f].blank() {
			continue
		}
		best, second := "", 0.0
		top := 0.0
		for _, h := range s.homes {
			switch score := s.fit(f, h); {
			case score > top:
				best, second, top = h, top, score
			case score > second:
				second = score
			}
		}
		if top >= 0.2 && top >= 1.2*second {
			s.home[f] = best
		}
	}
}

// fit is how well a document goes into a folder.
func (s *sorter) fit(f, folder string) float64 {
	d := s.docs[f]
	score := 0.0
	if !s.dated[folder] { // what happened on a day may be about anything
		score = likeness(s.vectors[f], s.centre[folder])
	}
	name := stems(termsOf(path.Base(folder)))
	field := fieldTerms[fieldOf(folder)]
	for _, t := range d.tags() {
		if hasAll(name, stems(termsOf(t))) {
			score += 0.5
		}
	}
	title := distinctive(nameOf(f) + " " + d.title())
	if slices.ContainsFunc(title, func(t string) bool { return slices.Contains(name, t) }) {
		score += 0.4
	}
	if n := fieldHits(d, field); n > 1 {
		score += 0.1 * float64(min(4, n))
	}
	links, there := linked(d), 0
	for _, l := range links {
		if p := s.byName[folded(path.Base(l))]; p != "" && below(p, folder) {
			there++
		}
	}
	if there > 1 { // one link is only a mention
		score += 0.2 * float64(there) / float64(len(links))
	}
	return score
}

// fieldHits is how many different words of a field are in a document.
func fieldHits(d *document, field map[string]bool) int {
	seen := map[string]bool{}
	for _, t := range distinctive(nameOf(d.path) + " " + strings.Join(d.tags(), " ") + " " + strings.Join(d.lines[d.frontMatter():], " ")) {
		if field[t] {
			seen[t] = true
		}
	}
	return len(seen)
}

// intoTopics makes folders for what several of the documents that are left have in
// common: a tag, a word of their names, a field, a frequent word.
func (s *sorter) intoTopics(parent string) {
	give := func(topic string, list []string) {
		folder := path.Join(parent, s.folderName(topic))
		for _, h := range s.homes {
			if slices.Equal(stems(termsOf(path.Base(h))), stems(termsOf(topic))) {
				folder = h
			}
		}
		for _, f := range list {
			s.home[f] = folder
		}
	}
	s.group(1, give, func(d *document) []string {
		var list []string
		for _, t := range d.tags() {
			if !common[stem(folded(t))] {
				list = append(list, folded(t))
			}
		}
		return list
	})
	s.group(1, give, func(d *document) []string { return distinctive(nameOf(d.path)) })
	alone := 0
	if len(s.homes) > 0 {
		alone = 1
	}
	s.group(alone, give, func(d *document) []string { // a topic can be seen in a single document
		var list []string
		top := 1
		for _, field := range slices.Sorted(maps.Keys(knownTopics)) {
			switch n := fieldHits(d, fieldTerms[field]); {
			case n > top:
				list, top = []string{field}, n
			case n == top && n > 1:
				list = append(list, field)
			}
		}
		if len(list) > 1 {
			return nil
		}
		return list
	})
	s.group(1, give, func(d *document) []string {
		var list []string
		v := s.vectors[d.path]
		for _, t := range v.terms() {
			if strings.Count(folded(d.text()), t) > 1 {
				list = append(list, t)
			}
		}
		return list
	})
}

// group gives those of the documents without a folder that share a topic one, the
// largest groups first. A group has more members than others.
func (s *sorter) group(others int, give func(topic string, list []string), topics func(*document) []string) {
	for {
		members := map[string][]string{}
		left := 0
		for _, f := range s.list {
			if s.home[f] != "" || s.docs[f] == nil || s.docs[f].blank() {
				continue
			}
			left++
			seen := map[string]bool{}
			for _, t := range topics(s.docs[f]) {
				if !seen[t] {
					members[t] = append(members[t], f)
				}
				seen[t] = true
			}
		}
		best := ""
		for _, t := range slices.Sorted(maps.Keys(members)) {
			n := len(members[t])
			if n > others && (best == "" || n > len(members[best])) && (n < left || len(s.list) == n || left < 4) {
				best = t
			}
		}
		if best == "" {
			return
		}
		give(best, members[best])
	}
}

// folderName is a topic as the name of a folder, written as the others are.
func (s *sorter) folderName(topic string) string {
	name := strings.TrimSuffix(nameFor(topic), ".md")
	if s.lower {
		return strings.ToLower(name)
	}
	return capitalised(name)
}

// organiseByDate moves loose documents into folders by year, or by year and month.
func (w *work) organiseByDate(q Request) string {
	w.need(toMove)
	folder, list := w.loose(q)
	if len(list) == 0 {
		return fmt.Sprintf("There are no loose documents in %s, so there is nothing to organise.", folderName(folder))
	}
	home := map[string]string{}
	for f, d := range w.datesOf(list) {
		switch {
		case d.year == 0 || q.By == "month" && d.month == 0:
		case q.By == "month":
			home[f] = path.Join(folder, fmt.Sprintf("%04d/%02d", d.year, d.month))
		default:
			home[f] = path.Join(folder, fmt.Sprintf("%04d", d.year))
		}
	}
	return w.moveAll(list, home, "date")
}
