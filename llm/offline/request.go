// Package offline is a built-in, deterministic model: it understands a documented set of requests in plain English.
package offline

import "time"

// Kind is what a request asks for.
type Kind string

// The kinds of requests. docs/offline.md has the phrasings of each.
const (
	Unknown       Kind = ""               // not understood: Text is that part of the message
	Help          Kind = "help"           // what can you do
	Thanks        Kind = "thanks"         // thanks, hello
	Create        Kind = "create"         // a document, with content or from a template
	CreateFolder  Kind = "create-folder"  //
	Daily         Kind = "daily"          // the daily note of a day; Text is added to it, if any
	Append        Kind = "append"         // Text at the end of Docs
	Prepend       Kind = "prepend"        // Text at the beginning of Docs
	Insert        Kind = "insert"         // Text under Heading of Docs
	AddSection    Kind = "add-section"    // a new heading Heading with Text, in Docs
	Replace       Kind = "replace"        // Old by New, in Docs or Everywhere
	RenameName    Kind = "rename-name"    // a person or place Old becomes New, whole words, everywhere or in Docs
	RemoveText    Kind = "remove-text"    // Old from Docs: the words, or What (line, sentence, paragraph, item) they are in
	RemoveSection Kind = "remove-section" // Heading with all below it from Docs
	Tick          Kind = "tick"           // the todo Text, or all (Select.All); in Docs if given
	Untick        Kind = "untick"         //
	AddTodo       Kind = "add-todo"       // Text as an open todo to Docs; or to where todos are
	ListTodos     Kind = "list-todos"     // which are open (or done: Done); in Docs or Everywhere
	CollectTodos  Kind = "collect-todos"  // all open todos into one note named Title
	Move          Kind = "move"           // Docs (or Select) into the folder Folder, or to the path New
	Copy          Kind = "copy"           // Docs[0] as a new document New, or into the folder Folder
	Rename        Kind = "rename"         // the document Docs[0] gets the name New
	Delete        Kind = "delete"         // Docs, or what Select says
	Find          Kind = "find"           // documents with Text in them, or in their name
	List          Kind = "list"           // documents (What is folders: folders); of Folder, or what Select says
	Read          Kind = "read"           // show Docs
	Outline       Kind = "outline"        // headings of Docs
	Count         Kind = "count"          // What: words, documents, todos, lines, headings, or mentions of Text
	Summarise     Kind = "summarise"      // by extraction; Docs, or Folder; into the new document Title, if any
	OrganiseTopic Kind = "organise-topic" // loose notes of Folder (or the root) into folders by topic
	OrganiseDate  Kind = "organise-date"  // … by year, or by month: By
	Merge         Kind = "merge"          // Docs[0] and Docs[1]… into one (Title, or the first)
	Split         Kind = "split"          // Docs[0] by headings of level Level (0: the topmost that repeats)
	Extract       Kind = "extract"        // the section Heading of Docs[0] becomes a document of its own, named Title if given
	Link          Kind = "link"           // mentions of titles (of Text, if any) become links, in Docs or in all; or Docs[0] gets a link to Docs[1]
	Contents      Kind = "contents"       // a table of contents in Docs
	Tag           Kind = "tag"            // Text as a tag of Docs
	Untag         Kind = "untag"          //
	Sort          Kind = "sort"           // the list, or the lines, of Docs alphabetically
	Undo          Kind = "undo"           // it tells how: a model cannot undo
	History       Kind = "history"        // it tells where: a model knows no past
	Recent        Kind = "recent"         // it tells why not: no tool tells when a document was changed
	Again         Kind = "again"          // the request before, of Docs
	Continue      Kind = "continue"       // go on with what was left of the last request
)

// Request is what a person asks for, as the grammar understands it. Names of
// documents are as the person wrote them, without quotes and words such as "my
// note"; finding the document is the business of whoever carries it out.
type Request struct {
	Kind Kind
	Docs []string // names of documents, in the order that the kind wants
	This bool     // "this note", "it": the open document, or the one that was last spoken of; Docs is empty then

	Text     string // what to add, find, tick, count
	List     bool   // Text is several items, a line each, to be added as a list
	Title    string // of a new document
	Template string // of a new document: meeting-notes, journal, todo-list, or one of the user's own
	Heading  string // where, or which section
	Old, New string // words to replace; New is also a new name or path
	Folder   string // where to, or where in; "/" is the root

	Everywhere bool   // in all documents
	Word       bool   // only whole words
	Done       bool   // todos that are done
	Every      bool   // each occurrence: in the open document, or in all if none is open
	Nth        int    // of Tick, Untick: the first todo is 1, the last is -1
	Level      int    // of headings
	By         string // of OrganiseDate: year or month
	What       string // of Count, RemoveText, List; of Find: names, or about; of Thanks: greeting

	Date   time.Time // of Daily, or a day that is part of a title; zero if none
	Select Selection // documents that are not named one by one
}

// Selection chooses documents by what they are. Empty fields choose all; several
// must all hold.
type Selection struct {
	Pattern  string // a glob of names, such as draft-* or *.bak
	Words    string // words that the name or path contains, in singular or plural: "meeting" for "meeting notes", "journal"
	Mentions string // words that its name or its text contains
	About    string // words that its name, title or tags have
	Tag      string // that it has in its front matter
	Year     int    // that the name, the path, or else the front matter or first lines speak of
	Month    time.Month
	Before   time.Time // older than this day, by the same date
	Folder   string    // below it; "/" is everything
	Loose    bool      // not in any folder
	Empty    bool      // nothing but blanks in it
	Number   int       // there are so many of them, if that was said
	All      bool      // all of them, said explicitly
}

// Given tells whether the selection says anything.
func (s Selection) Given() bool { return s != Selection{} }
