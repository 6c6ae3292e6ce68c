package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A writer fills gaps. It remembers everything it has written, so that no long
// sentence comes twice and no two neighbouring paragraphs have the same shape.
type writer struct {
	dice      dice
	banks     banks
	sentences map[string]use
	chapterNo int
	lastShape *fragment
	written   int // paragraphs so far
}

// A use says how often a sentence is in the book, and in which chapter last.
type use struct{ times, chapter int }

// A long sentence of the grammar may come back once, if the reader has had this many chapters to forget it.
const forgotten = 7

// errStale says that a bank has nothing new to give for now.
var errStale = errors.New("every attempt repeats a sentence")

// A draft is one attempt at a passage: its text, and the fragments to be marked as used if it is kept.
type draft struct {
	text  string
	taken map[*fragment]bool
	shape *fragment
	slack int // how far from the least used fragments this attempt may go
}

// attempts is how often a passage is drawn again because one of its sentences is already in the book.
const attempts = 400

// passage returns one or more paragraphs of the given kind, such as "place", "habit Dov" or "talk Dov Petra".
func (w *writer) passage(s scene, kind string) (string, error) {
	words := strings.Fields(kind)
	cast := s.present[:1]
	if len(words) > 1 {
		cast = nil
		for _, name := range words[1:] {
			p, err := personNamed(name)
			if err != nil {
				return "", err
			}
			cast = append(cast, p)
		}
	}
	if words[0] == "talk" && len(cast) != 2 {
		return "", fmt.Errorf("%q needs two people", kind)
	}
	for try := range attempts {
		d := draft{taken: map[*fragment]bool{}, slack: try / (attempts / 4)}
		if w.lastShape != nil {
			d.taken[w.lastShape] = true
		}
		shape, err := w.banks.pick(&w.dice, "shape "+words[0], d.taken, d.slack)
		if err != nil {
			return "", err
		}
		delete(d.taken, w.lastShape)
		d.shape = shape
		d.taken[shape] = true
		if d.text, err = w.expand(&d, s, cast, shape.text); err != nil {
			return "", err
		}
		if w.isNew(d.text) {
			w.keep(d)
			return d.text, nil
		}
	}
	return "", fmt.Errorf("%s in %s: %w", kind, s.place, errStale)
}

var slot = regexp.MustCompile(`\{[^{}]+\}`)

var choice = regexp.MustCompile(`<[^<>]+>`)

// expand replaces each {slot} and each <choice|of|words> in a template. "¶" opens a new paragraph.
func (w *writer) expand(d *draft, s scene, cast []person, template string) (string, error) {
	var failed error
	text := choice.ReplaceAllStringFunc(template, func(m string) string {
		options := strings.Split(m[1:len(m)-1], "|")
		return options[w.dice.upTo(len(options))]
	})
	text = slot.ReplaceAllStringFunc(text, func(m string) string {
		name := strings.TrimRight(m[1:len(m)-1], "0123456789")
		out, err := w.fill(d, s, cast, name)
		if err != nil {
			failed = err
		}
		return out
	})
	return strings.ReplaceAll(text, " ¶ ", "\n\n"), failed
}

// fill returns the text for one slot. A slot whose name has a capital gives text with a capital.
func (w *writer) fill(d *draft, s scene, cast []person, name string) (string, error) {
	who := cast[0]
	switch name {
	case "V", "A":
		return who.called(), nil
	case "B":
		return cast[1].called(), nil
	case "he", "He":
		return sameCase(name, who.he), nil
	case "him":
		return who.him, nil
	case "his", "His":
		return sameCase(name, who.his), nil
	case "P":
		p, err := placeNamed(s.place)
		name, _, _ := strings.Cut(p.name, " in ")
		return name, err
	case "remark":
		return w.speech(d, s, cast[:1], "remark")
	case "answer":
		return w.speech(d, s, cast[1:], "answer")
	case "habitB":
		return w.habit(d, s, cast[1:])
	case "habit":
		return w.habit(d, s, cast)
	}
	heading := strings.ToLower(name)
	switch heading {
	case "place":
		heading += " " + s.place
	case "weather":
		heading += " " + s.weather
		if dark := heading + " at night"; s.time == "night" && len(w.banks[dark]) > 0 {
			heading = dark
		}
	case "time":
		heading += " " + s.time
	case "memory", "thought":
		if !w.banks.fresh(heading+" "+who.name, d.taken) {
			return w.whole(d, s, cast, heading+" any")
		}
		return w.whole(d, s, cast, heading+" "+who.name)
	}
	text, err := w.draw(d, s, cast, heading)
	return sameCase(name, text), err
}

// draw takes a fragment from a bank and expands it in its turn.
func (w *writer) draw(d *draft, s scene, cast []person, heading string) (string, error) {
	f, err := w.banks.pick(&w.dice, heading, d.taken, d.slack)
	if err != nil {
		return "", err
	}
	d.taken[f] = true
	return w.expand(d, s, cast, f.text)
}

// habit draws what the first of the cast does with their hands: in every second case something
// that they do only here, if there is such a bank.
func (w *writer) habit(d *draft, s scene, cast []person) (string, error) {
	heading := "habit " + cast[0].name
	if here := heading + " at " + s.place; w.dice.upTo(2) == 0 && len(w.banks[here]) > 0 {
		heading = here
	}
	return w.draw(d, s, cast, heading)
}

// whole draws a fragment that consists of whole sentences.
func (w *writer) whole(d *draft, s scene, cast []person, heading string) (string, error) {
	text, err := w.draw(d, s, cast, heading)
	if err != nil {
		return "", err
	}
	return capital(text), nil
}

// speech returns a line of dialogue which says who speaks. In the bank, " / "
// marks where "said so-and-so" may stand.
func (w *writer) speech(d *draft, s scene, cast []person, kind string) (string, error) {
	who := cast[0]
	line, err := w.draw(d, s, cast, kind+" "+who.name)
	if err != nil {
		return "", err
	}
	first, rest, split := strings.Cut(line, " / ")
	whole := strings.ReplaceAll(line, " / ", " ")
	switch n := w.dice.upTo(4); {
	case n == 0:
		beat, err := w.habit(d, s, cast)
		return fmt.Sprintf("%s %s. %s", who.called(), beat, quoted(whole)), err
	case n == 1 && strings.HasSuffix(whole, "."):
		beat, err := w.habit(d, s, cast)
		return fmt.Sprintf("%s, and %s.", tagged(whole, who.called()), beat), err
	case split && strings.HasSuffix(first, ","):
		return fmt.Sprintf("%s, %s", tagged(first, who.called()), quoted(rest)), nil
	case split:
		return fmt.Sprintf("%s. %s", tagged(first, who.called()), quoted(rest)), nil
	}
	return tagged(whole, who.called()) + ".", nil
}

// tagged quotes a line and adds who says it: "Come in," said Dov
func tagged(line, name string) string {
	if strings.HasSuffix(line, "?") {
		return quoted(line) + " asked " + name
	}
	return quoted(strings.TrimRight(line, ".,")+",") + " said " + name
}

func quoted(s string) string { return `"` + s + `"` }

var sentenceEnd = regexp.MustCompile(`[.?!]"?\s+`)

// isNew reports whether the text has no sentence of more than six words that the reader would recognise.
func (w *writer) isNew(text string) bool {
	for _, s := range sentenceEnd.Split(text, -1) {
		u := w.sentences[normal(s)]
		if len(strings.Fields(s)) > 6 && (u.times > 1 || u.times == 1 && w.chapterNo-u.chapter < forgotten) {
			return false
		}
	}
	return true
}

func (w *writer) keep(d draft) {
	w.written++
	w.remember(d.text, 1)
	for f := range d.taken {
		f.uses++
		f.last = w.written
	}
	w.lastShape = d.shape
}

// remember counts the sentences of a text as used so many times.
func (w *writer) remember(text string, times int) {
	for _, s := range sentenceEnd.Split(text, -1) {
		w.sentences[normal(s)] = use{w.sentences[normal(s)].times + times, w.chapterNo}
	}
}

// normal leaves only what makes two sentences the same to a reader.
func normal(s string) string {
	return strings.ToLower(strings.Trim(strings.TrimSpace(s), `".,;:?!`))
}

func sameCase(like, s string) string {
	if r, _ := utf8.DecodeRuneInString(like); unicode.IsUpper(r) {
		return capital(s)
	}
	return s
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
