package offline

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

func (w *work) summarise(q Request) string {
	if len(q.Docs) == 1 && q.Folder == "" {
		if folder, ok := w.folderMeant(q.Docs[0]); ok {
			q.Docs, q.Folder = nil, folder
		}
	}
	list := w.targets(q)
	if len(list) == 0 && q.Folder != "" {
		list = w.selected(Selection{Folder: q.Folder})
	}
	if len(list) == 0 {
		list = []string{w.this()}
	}
	left := 0
	if most := min(10, w.room(0)); len(list) > most {
		left = len(list) - most
		list = list[:most]
	}
	var parts []string
	docs := w.read(list...)
	for _, d := range docs {
		if d.failure != "" {
			parts = append(parts, fmt.Sprintf("I could not read %s: %s.", d.path, d.failure))
			continue
		}
		most := 4
		if len(docs) > 1 {
			most = 2
		}
		text := strings.Join(summary(d, most), " ")
		switch {
		case text == "":
			parts = append(parts, fmt.Sprintf("%s has no sentences to choose from.", d.path))
		default:
			parts = append(parts, fmt.Sprintf("%s: %s", d.path, text))
		}
	}
	if len(list) == 1 {
		w.spoken = list[0]
	}
	if q.Title != "" {
		return w.keepSummary(q, parts)
	}
	words := "In its own words (the sentences that say most; I do not write new ones):\n\n" + strings.Join(parts, "\n\n")
	if left > 0 {
		words += fmt.Sprintf("\n\n%d more documents are left out: ask for them by name.", left)
	}
	return words
}

// keepSummary makes a document of a summary.
func (w *work) keepSummary(q Request, parts []string) string {
	w.need(toCreate)
	var body []string
	for _, p := range parts {
		source, text, ok := strings.Cut(p, ": ")
		if ok {
			p = text + " (" + w.linkTo(source) + ")"
		}
		body = append(body, p)
	}
	return w.create(Request{Kind: Create, Title: q.Title, Text: strings.Join(body, "\n\n")})
}

var sentenceBreak = regexp.MustCompile(`[.!?…]["”’)\]*_]*(?:\s+|$)`)

// sentencesOf are the sentences of the paragraphs of a document.
func sentencesOf(d *document) []string {
	var list []string
	var paragraph []string
	code := d.code()
	isHeading := map[int]bool{}
	for _, h := range d.headings() {
		for i := h.line; i <= h.last; i++ {
			isHeading[i] = true
		}
	}
	flush := func() {
		list = append(list, cutSentences(strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	for i, line := range d.lines {
		line = strings.TrimSpace(line)
		if code[i] || isHeading[i] || line == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "> [!") || bareItem.MatchString(line) || underline.MatchString(line) {
			flush()
			continue
		}
		if m := listItem.FindStringSubmatch(line); m != nil {
			flush()
			if todoItem.MatchString(line) {
				continue
			}
			line = m[4]
		}
		paragraph = append(paragraph, strings.TrimPrefix(line, "> "))
	}
	flush()
	return list
}

// cutSentences cuts a paragraph behind its full stops, but not behind those of
// abbreviations and numbers.
func cutSentences(text string) []string {
	var list []string
	start := 0
	for _, m := range sentenceBreak.FindAllStringIndex(text, -1) {
		next := strings.TrimLeft(text[m[1]:], `"“‘(*_[`)
		word := lastWord(text[start : m[0]+1])
		if text[m[0]] == '.' && m[1] < len(text) && (len([]rune(word)) <= 2 && word != "" && !unicode.IsDigit([]rune(word)[0]) || next != "" && unicode.IsLower([]rune(next)[0])) {
			continue
		}
		if s := strings.TrimSpace(text[start:m[1]]); s != "" {
			list = append(list, s)
		}
		start = m[1]
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		list = append(list, s)
	}
	return list
}

func lastWord(s string) string {
	fields := strings.Fields(strings.TrimRight(s, ".!?… "))
	if len(fields) == 0 {
		return ""
	}
	return strings.TrimLeft(fields[len(fields)-1], `"“(`)
}

// summary is the sentences of a document that say most, in their order: the first
// one, and those with the words that the document uses most.
func summary(d *document, most int) []string {
	list := sentencesOf(d)
	if len(list) <= most {
		return list
	}
	counts := map[string]int{}
	for _, s := range list {
		for _, t := range distinctive(s) {
			counts[t]++
		}
	}
	for _, t := range distinctive(d.title()) {
		counts[t] += 2
	}
	type scored struct {
		at    int
		score float64
	}
	var rank []scored
	for i, s := range list {
		terms := distinctive(s)
		score := 0.0
		for _, t := range terms {
			if counts[t] > 1 {
				score += math.Log(1 + float64(counts[t]))
			}
		}
		score /= math.Sqrt(float64(len(terms)) + 4)
		if i == 0 {
			score += 100
		}
		if n := wordCount(s); n < 5 || n > 45 {
			score /= 2
		}
		rank = append(rank, scored{i, score})
	}
	slices.SortStableFunc(rank, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var at []int
	for _, r := range rank[:most] {
		at = append(at, r.at)
	}
	slices.Sort(at)
	var out []string
	for _, i := range at {
		out = append(out, list[i])
	}
	return out
}
