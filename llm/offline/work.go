package offline

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// work is one answer in the making: the requests of the user are run over hands.
type work struct {
	*conversation
	*replay
	hands hands
	today time.Time

	listing  *listing             // nil: not known, or not any more
	texts    map[string]*document // that were read and not changed since
	found    map[string]found     // what was searched for since the last change
	requests []Request            // what is asked for
	left     []Request            // what was not done, or not all of it
	asking   bool                 // the last words are a question, about the first of what is left
	changed  bool                 // the request that runs has changed something
	skipped  bool                 // a question of the request that runs was not answered
	unclear  []Request            // what was not done for want of an answer
	given    []string             // what the user answered to such questions
	answers  []string             // those of them that are still to be used
	leftOut  []string             // documents of the request that runs for which there was no room
	more     bool                 // there are more documents than the request that runs could see
	several  bool                 // the message asks for several things
	spoken   string               // the document that this message was about so far
}

// lastWords end the run of a request.
type lastWords string

// end ends the request with these words.
func end(words string) { panic(lastWords(words)) }

// run carries out what the user asks for.
func (w *work) run() (a answer) {
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case wanted:
			a = answer{calls: stop}
		default:
			panic(stop)
		}
	}()
	w.several = len(w.requests) > 1
	var words []string
	for i, q := range w.requests {
		said, more := w.request(q)
		if said = strings.TrimSpace(said); said != "" && !slices.Contains(words, said) {
			words = append(words, said)
		}
		if !more {
			w.left = append(w.left, w.requests[i+1:]...)
			break
		}
	}
	text := strings.Join(words, "\n\n")
	if !w.asking && strings.HasSuffix(text, "?") {
		text += "\n\n(That is all.)" // else it would be taken for a question to the user
	}
	return answer{text: text}
}

// request carries out one request and says what came of it; more tells whether
// there is room for another one.
func (w *work) request(q Request) (words string, more bool) {
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case lastWords:
			words, more = string(stop), !w.asking
			if w.asking {
				w.left = append(w.left, q)
			}
			w.unanswered(q)
		case exhausted:
			w.left = append(w.left, q)
			words, more = "This needs more steps than I may take for one message, so it is not finished. To do the rest, "+goOn, false
		default:
			panic(stop)
		}
	}()
	do := acts[q.Kind]
	if do == nil {
		do = (*work).unknown
	}
	if w.hands == nil && needsTools(q.Kind) {
		return noTools, true
	}
	w.leftOut, w.more, w.skipped, w.changed = nil, false, false, false
	if oneByOne[q.Kind] && (len(q.Docs) > 1 || q.Select.Given() || q.Everywhere) {
		words = w.each(do, q)
	} else {
		words = do(w, q)
	}
	w.unanswered(q)
	if words == "" {
		words = "There is nothing to change any more, so I changed nothing."
	}
	if len(w.leftOut) > 0 || w.more {
		w.left = append(w.left, w.rest(q))
	}
	return words, true
}

// unanswered keeps a request that did nothing for want of an answer.
func (w *work) unanswered(q Request) {
	if w.skipped && !w.changed {
		w.unclear = append(w.unclear, q)
	}
}

// oneByOne are the kinds that change one document at a time.
var oneByOne = map[Kind]bool{Insert: true, AddSection: true, RemoveSection: true, Contents: true, Sort: true}

// each does a request for each of several documents, as far as there is room.
func (w *work) each(do func(*work, Request) string, q Request) string {
	list := w.targets(q)
	if len(list) == 0 {
		return "No document fits that, so I changed nothing."
	}
	if w.steps > 0 {
		room := max(w.steps-w.stepped-2, 1) // one to read, one for the last words
		w.leftOut = append(w.leftOut, list[min(room, len(list)):]...)
		list = list[:min(room, len(list))]
	}
	w.read(list...)
	var all []string
	q.This, q.Everywhere, q.Select = false, false, Selection{}
	for _, p := range list {
		q.Docs = []string{p}
		all = append(all, w.one(do, q))
	}
	if n := len(w.leftOut); n > 0 {
		all = append(all, fmt.Sprintf("%s left: to do the rest, %s", counted(n, "document"), goOn))
	}
	return strings.Join(all, "\n")
}

// one does a request for one of several documents; what ends it does not end those
// for the others.
func (w *work) one(do func(*work, Request) string, q Request) (words string) {
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case lastWords:
			if w.asking {
				panic(stop)
			}
			words = string(stop)
		default:
			panic(stop)
		}
	}()
	return do(w, q)
}

// rest is a request for what is left of one. Where it would do again what is done, it
// is about the documents that were left out.
func (w *work) rest(q Request) Request {
	switch q.Kind {
	case Append, Prepend, Tag, Untag, Move, Delete, Insert, AddSection, RemoveSection, Contents, Sort:
		q.Docs, q.This, q.Everywhere, q.Select = w.leftOut, false, false, Selection{}
	case Merge: // their text is where it belongs
		return Request{Kind: Delete, Docs: w.leftOut}
	}
	return q
}

// wholly ends the request before anything is changed if there may not be enough room
// for all of its steps: it must not be cut off between two changes.
func (w *work) wholly(steps int) {
	if w.steps > 0 && w.steps-w.stepped < steps || w.limits.calls > 0 && w.limits.calls-w.called < steps {
		panic(exhausted{})
	}
}

const noTools = "I have no tools for documents here, so I can do nothing but talk, and I am no language model: I am the built-in model of Redline."

func needsTools(k Kind) bool {
	return !slices.Contains([]Kind{Unknown, Help, Thanks, Undo, History, Recent, Continue}, k)
}

// acts are what is done for each kind of request.
var acts map[Kind]func(*work, Request) string

func init() {
	acts = map[Kind]func(*work, Request) string{
		Unknown: (*work).unknown, Help: (*work).help, Thanks: (*work).thanks, Undo: (*work).undo, Continue: (*work).nothingLeft,
		Create: (*work).create, CreateFolder: (*work).createFolder, Daily: (*work).daily,
		Append: (*work).append, Prepend: (*work).prepend, Insert: (*work).insert, AddSection: (*work).addSection,
		Replace: (*work).replace, RenameName: (*work).renameName, RemoveText: (*work).removeText, RemoveSection: (*work).removeSection,
		Tick: (*work).tick, Untick: (*work).untick, AddTodo: (*work).addTodo, ListTodos: (*work).listTodos, CollectTodos: (*work).collectTodos,
		Move: (*work).move, Rename: (*work).rename, Delete: (*work).delete,
		Find: (*work).findText, List: (*work).listDocuments, Read: (*work).readOut, Outline: (*work).outline, Count: (*work).count, Summarise: (*work).summarise,
		OrganiseTopic: (*work).organise, OrganiseDate: (*work).organiseByDate,
		Merge: (*work).merge, Split: (*work).split, Link: (*work).link, Contents: (*work).contents, Tag: (*work).tag, Sort: (*work).sort,
		Copy: (*work).copy, Extract: (*work).extract, Untag: (*work).untag, History: (*work).history, Recent: (*work).recent,
	}
}

// list is everything there is.
func (w *work) list() *listing {
	if w.listing == nil {
		if !w.hands.able(w.replay, toList) {
			end("I cannot list files here: no tool for that is offered. Name a file by its path.")
		}
		w.listing = w.hands.list(w.replay)
		if w.listing.failure != "" {
			end("I could not list the documents: " + w.listing.failure)
		}
	}
	return w.listing
}

// search finds documents with a text in them.
func (w *work) search(text string) found {
	f, known := w.found[text]
	if !known {
		f = w.hands.search(w.replay, text)
	}
	if f.failure != "" {
		end("I could not search: " + f.failure + ".")
	}
	if w.found == nil {
		w.found = map[string]found{}
	}
	w.found[text] = f
	return f
}

// read reads documents, those that are not known yet in one step.
func (w *work) read(paths ...string) []*document {
	var missing []string
	for _, p := range paths {
		if w.texts[p] == nil && !slices.Contains(missing, p) {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		if w.texts == nil {
			w.texts = map[string]*document{}
		}
		room := false
		for i, d := range w.hands.read(w.replay, missing) {
			w.texts[missing[i]] = d
			room = room || d.failure != tooMany
		}
		if !room {
			panic(exhausted{})
		}
	}
	var list []*document
	for _, p := range paths {
		list = append(list, w.texts[p])
	}
	return list
}

// change makes changes in one step; those for which a text was no longer what it
// was when it was read are tried once more on the new one.
func (w *work) change(changes ...change) []outcome {
	outs := w.changeOnce(changes)
	for i, o := range outs {
		if o.left {
			w.leftOut = append(w.leftOut, changes[i].path)
		}
	}
	var again []int
	var paths []string
	for i, o := range outs {
		if o.stale && changes[i].edit != nil {
			again = append(again, i)
			paths = append(paths, changes[i].path)
		}
	}
	if len(again) == 0 {
		return outs
	}
	var second []change
	for i, d := range w.read(paths...) {
		c := changes[again[i]]
		c.doc = d
		second = append(second, c)
	}
	for i, o := range w.changeOnce(second) {
		outs[again[i]] = o
	}
	return outs
}

func (w *work) changeOnce(changes []change) []outcome {
	for i := range changes {
		changes[i].day = w.today.Format(time.DateOnly)
		if changes[i].edit != nil && changes[i].doc == nil {
			changes[i].doc = w.read(changes[i].path)[0]
		}
	}
	outs := w.hands.change(w.replay, changes)
	w.found = nil
	for i, c := range changes {
		delete(w.texts, c.path)
		w.listing = w.listing.after(c, outs[i])
		if !outs[i].done() {
			continue
		}
		w.spoken, w.changed = outs[i].path, true
		switch c.verb {
		case toDelete:
			w.spoken = ""
		case toMove:
			w.texts = nil // links to it have changed with it
		}
	}
	return outs
}
