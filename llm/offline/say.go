package offline

import (
	"fmt"
	"strings"
)

// listed names things in a sentence, not more than so many.
func listed(list []string, most int) string {
	switch n := len(list); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), n-most)
	case n == 1:
		return list[0]
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}

// either names things of which one is meant.
func either(list []string) string {
	switch n := len(list); {
	case n > maxOptions:
		return fmt.Sprintf("%s or one of %d more", strings.Join(list[:maxOptions], ", "), n-maxOptions)
	case n <= 1:
		return strings.Join(list, "")
	default:
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
}

// counted is a number with its noun, which is regular.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shortly is the beginning of a text, on one line.
func shortly(s string, runes int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > runes {
		return strings.TrimSpace(string(r[:runes-1])) + "…"
	}
	return s
}

// inOne joins sentences that are not empty.
func inOne(list ...string) string {
	var kept []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// goOn is what an answer ends with that is not the whole of it.
const goOn = "say: go on"

// maxListed is how many names a sentence has at most.
const maxListed = 12

// report says what came of changes: done is the sentence about those that were
// made, "" if none was; the rest is what failed and what is left.
func report(done string, outs []outcome) string {
	var failed []string
	left := 0
	for _, o := range outs {
		switch {
		case o.left:
			left++
		case o.failure != "":
			failed = append(failed, fmt.Sprintf("%s: %s", o.path, strings.TrimPrefix(o.failure, o.path+": ")))
		}
	}
	words := done
	if len(failed) > 0 {
		verb := "This did not work:"
		if done == "" {
			verb = "I changed nothing:"
		}
		words = inOne(words, fmt.Sprintf("%s %s.", verb, strings.Join(failed[:min(len(failed), 5)], "; ")))
		if more := len(failed) - 5; more > 0 {
			words = strings.TrimSuffix(words, ".") + fmt.Sprintf("; and %d more.", more)
		}
	}
	if left > 0 {
		verb := "are"
		if left == 1 {
			verb = "is"
		}
		words = inOne(words, fmt.Sprintf("%d more %s left, since I may only make so many changes for one message. To do the rest, %s", left, verb, goOn))
	}
	return words
}

// made are the paths of the changes that were made.
func made(outs []outcome) []string {
	var list []string
	for _, o := range outs {
		if o.done() {
			list = append(list, o.path)
		}
	}
	return list
}

// unable says that there is no tool for it.
func (w *work) unable(v verb) string {
	if w.readOnly() {
		return "I can only read here: the tools that change documents are not offered (restricted mode). Nothing was changed."
	}
	what := map[verb]string{
		toCreate: "create documents", toEdit: "edit documents", toMove: "move or rename files", toDelete: "delete files", toFolder: "make folders",
	}[v]
	return fmt.Sprintf("I cannot do that here: the tools that are offered cannot %s. Nothing was changed.", what)
}

// readOnly tells whether nothing can be changed at all.
func (w *work) readOnly() bool {
	for _, v := range []verb{toCreate, toEdit, toMove, toDelete, toFolder} {
		if w.hands.able(w.replay, v) {
			return false
		}
	}
	return true
}

// need ends the request if there is no tool for a change.
func (w *work) need(verbs ...verb) {
	for _, v := range verbs {
		if !w.hands.able(w.replay, v) {
			end(w.unable(v))
		}
	}
}
