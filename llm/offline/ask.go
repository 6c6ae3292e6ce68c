package offline

import (
	"slices"
	"strconv"
	"strings"

	"redline/llm"
)

// noAnswer is what a question comes back with that the user skipped.
const noAnswer = "no_user_answer"

// ask asks the user. Where there is no tool for it, the question is the last thing
// that is said, and the answer comes with the next message.
func (w *work) ask(question string) (string, bool) {
	if len(w.answers) > 0 {
		a := w.answers[0]
		w.answers = w.answers[1:]
		return strings.TrimSpace(a), true
	}
	if !w.offers(llm.ClarifyTool) {
		w.asking = true
		end(question)
	}
	got := w.do(call{llm.ClarifyTool, arguments{"question": question}})[0]
	text := strings.TrimSpace(got.output)
	if got.failed || text == "" || strings.HasPrefix(text, noAnswer) {
		w.skipped = true
		return "", false
	}
	return text, true
}

// choose asks which one of some things is meant.
func (w *work) choose(question string, options []string) (int, bool) {
	text := strings.TrimSuffix(question, "?") + ": " + either(options) + "?"
	answer, ok := w.ask(text)
	if !ok {
		return 0, false
	}
	return picked(answer, options)
}

const maxOptions = 9

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"}

// picked is the option that an answer means.
func picked(answer string, options []string) (int, bool) {
	answer = strings.TrimSpace(strings.Trim(strings.TrimSpace(answer), ".!"))
	if n, err := strconv.Atoi(strings.TrimPrefix(answer, "#")); err == nil {
		return n - 1, n >= 1 && n <= len(options)
	}
	for _, prefix := range []string{"the one in ", "the one from ", "the one called ", "the one of ", "the one with "} {
		answer = strings.TrimPrefix(answer, prefix)
	}
	if rest, ok := strings.CutSuffix(answer, " one"); ok && !slices.Contains(ordinals, strings.TrimPrefix(rest, "the ")) {
		answer = rest
	}
	if list := matchNames(answer, options); len(list) == 1 {
		return slices.Index(options, list[0]), true
	}
	terms := termsOf(answer)
	for i, o := range ordinals[:min(len(ordinals), len(options))] {
		if slices.Contains(terms, o) {
			return i, true
		}
	}
	if slices.Contains(terms, "last") {
		return len(options) - 1, true
	}
	if slices.Contains(terms, "former") {
		return 0, true
	}
	// The words of one option that no other has.
	fit := -1
	for i, o := range options {
		if hasAll(termsOf(o), plainTerms(answer)) {
			if fit >= 0 {
				return 0, false
			}
			fit = i
		}
	}
	return fit, fit >= 0
}

// agrees asks a question that is answered by yes or no.
func (w *work) agrees(question string) bool {
	answer, ok := w.ask(question)
	return ok && isYes(answer)
}

func isYes(answer string) bool {
	terms := termsOf(answer)
	return len(terms) > 0 && slices.Contains([]string{"yes", "y", "yep", "yeah", "sure", "ok", "okay", "please", "do", "all", "both"}, terms[0])
}
