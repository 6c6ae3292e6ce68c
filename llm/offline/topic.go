package offline

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
)

// common are words that say nothing about a topic.
var common = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a about above after again against ago all almost already also although always am among an and another any
		anybody anyway are around as ask asked at away back be became because become been before began behind being below best better between both but by
		came can cannot come comes could day days did do does doing done down during each early either else end enough even ever every everybody everything
		few find first five for found four from full gave get gets getting give given go goes going gone good got great had half has have having he her here
		hers herself him himself his how however i idea if in instead into is it its itself just keep kept knew know known last late later least left less let
		like likely little long look looked made make makes making many may maybe me mean might mine more most mostly much must my myself near need needs never new next
		nine no nobody none nor not note notes nothing now of off often oh old on once one ones only onto open or other others otherwise our ours out over own part
		people per perhaps person place please point put quite rather read really right said same saw say says second see seem seems seen set seven several shall she should
		since six small so some somebody someone something soon still such sure take taken takes taking tell ten than that the their theirs them then there these
		they thing things think this those though thought three through thus till time times to today todo together told tomorrow too took toward tried try turn two under
		until up upon us use used uses using usual very want wants was way ways we week weeks well went were what when where whether which while who whole whom whose
		why will with within without work world would year years yes yesterday yet you your yours yourself draft untitled document file page list item items text
		january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
		jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun title date tag tags true false http https www com`) {
		m[stem(w)] = true
	}
	return m
}()

// distinctive are the words of a text that can tell one topic from another, without
// their plural.
func distinctive(s string) []string {
	var list []string
	for _, t := range termsOf(s) {
		t = stem(t)
		if len([]rune(t)) < 3 || common[t] || strings.ContainsFunc(t, unicode.IsDigit) {
			continue
		}
		list = append(list, t)
	}
	return list
}

// knownTopics are topics that people keep notes on, with words that tell them.
var knownTopics = map[string]string{
	"recipes":  "recipe cook cooking bake baking oven flour butter sugar salt dough bread soup cake sauce ingredient serve simmer tablespoon teaspoon tbsp tsp onion garlic boil stir pan dish meal dinner",
	"travel":   "travel trip flight hotel itinerary airport train ticket passport visa luggage museum hostel booking sightseeing tour holiday vacation journey",
	"meetings": "meeting agenda attendee minute standup retrospective retro decision participant",
	"finance":  "finance budget invoice tax salary rent expense bank loan payment insurance pension mortgage account",
	"health":   "health doctor dentist workout exercise medicine symptom clinic diet sleep running gym yoga medication",
	"reading":  "book reading author novel chapter library fiction review",
	"work":     "work client customer sprint roadmap release deadline project team deploy milestone stakeholder launch",
	"home":     "home house kitchen plumber roof garden paint furniture landlord repair bathroom",
	"garden":   "garden plant seed tomato soil compost prune watering sow harvest",
	"people":   "birthday gift friend family mother father sister brother",
	"journal":  "journal diary gratitude mood dream",
	"shopping": "shopping grocery supermarket buy milk egg",
	"ideas":    "idea brainstorm concept",
	"learning": "course lecture study exam lesson homework exercise vocabulary",
	"music":    "music song guitar piano concert album chord band",
}

// fieldOf is the field that a folder's name stands for, or "".
func fieldOf(folder string) string {
	name := stems(termsOf(path.Base(folder)))
	for field := range knownTopics {
		if slices.Contains(name, stem(field)) {
			return field
		}
	}
	return ""
}

var fieldTerms = func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for field, list := range knownTopics {
		m[field] = map[string]bool{stem(field): true}
		for t := range strings.FieldsSeq(list) {
			m[field][stem(t)] = true
		}
	}
	return m
}()

// vector is how much each word counts in a text.
type vector map[string]float64

// weigh counts the words of a document: those of its name, headings and tags more.
func weigh(d *document) vector {
	v := vector{}
	add := func(s string, weight float64) {
		for _, t := range distinctive(s) {
			v[t] += weight
		}
	}
	add(nameOf(d.path), 3)
	for _, t := range d.tags() {
		add(t, 3)
	}
	for _, h := range d.headings() {
		add(h.text, 1)
	}
	add(strings.Join(d.lines[d.frontMatter():], "\n"), 1)
	for t, n := range v {
		v[t] = 1 + math.Log(n)
	}
	return v
}

// scale weighs words by how rare they are among all the vectors.
func scale(list map[string]vector) {
	in := map[string]int{}
	for _, v := range list {
		for t := range v {
			in[t]++
		}
	}
	for _, v := range list {
		for t := range v {
			v[t] *= math.Log(float64(len(list)+1) / float64(in[t]))
		}
	}
}

// terms are the words of a vector in their order, so that sums are always the same.
func (v vector) terms() []string {
	list := make([]string, 0, len(v))
	for t := range v {
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}

func (v vector) length() float64 {
	sum := 0.0
	for _, t := range v.terms() {
		sum += v[t] * v[t]
	}
	return math.Sqrt(sum)
}

// likeness is 1 for two texts with the same words, and 0 for two that share none.
func likeness(a, b vector) float64 {
	sum := 0.0
	for _, t := range a.terms() {
		sum += a[t] * b[t]
	}
	if n := a.length() * b.length(); n > 0 {
		return sum / n
	}
	return 0
}

// linked are the documents that a text links to.
func linked(d *document) []string {
	var list []string
	for _, m := range wikiLink.FindAllStringSubmatch(d.text(), -1) {
		list = append(list, strings.TrimSpace(m[1]))
	}
	return list
}
