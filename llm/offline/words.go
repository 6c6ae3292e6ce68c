package offline

import "strings"

// set makes a set of the words of a line; a blank inside a word is written _.
func set(lines ...string) map[string]bool {
	words := map[string]bool{}
	for _, line := range lines {
		for _, word := range strings.Fields(line) {
			words[strings.ReplaceAll(word, "_", " ")] = true
		}
	}
	return words
}

// Words that decide what can be a name, a title, content, or a sentence. They
// are made when the grammar is.
var (
	everything                                                                                                                                                                                                                                          map[string]bool
	templates                                                                                                                                                                                                                                           map[string]string // built-in templates by what people call them
	determiners, docNouns, docPlurals, kindsOfFile, called, folderWords, roots, headingNouns, pronouns                                                                                                                                                  map[string]bool
	these, plurals, explicit, abbreviations, contentWords, extensions, bareExtensions, notPaths, prepositions, notNames                                                                                                                                 map[string]bool
	mildNames, mildStarts, partNouns, notAlone, startsPart, notTitles, grammarWords, nameless, vague, announcing, textNouns, saying                                                                                                                     map[string]bool
	describing, inventions, subjects, connectors, negations, limiting, limitingReason, reasons, remarks                                                                                                                                                 map[string]bool
	cancels, choosing, vagueContent, works, openers, dates, adjectives, repeating, textNames, ends, things, places, notVerbs, moments, unspecific, notFound, structures, structureKinds, excusable, excuses, finishedWords, shapes, looks, furtherVerbs map[string]bool
)

func loadWords() {
	everything = allDocuments()
	templates = map[string]string{
		"meeting": "meeting-notes", "meeting notes": "meeting-notes", "meeting note": "meeting-notes", "meeting-notes": "meeting-notes", "meeting minutes": "meeting-notes", "minutes": "meeting-notes",
		"journal": "journal", "journal entry": "journal", "diary": "journal", "diary entry": "journal", "daily": "journal", "daily note": "journal",
		"todo": "todo-list", "todo list": "todo-list", "to-do list": "todo-list", "to do list": "todo-list", "todo-list": "todo-list", "to-do": "todo-list", "task list": "todo-list", "checklist": "todo-list", "todos": "todo-list", "tasks": "todo-list",
	}
	// Words around names and content.
	determiners = set("the my our your this that these those its his her their existing")
	docNouns = set("note document doc file page entry memo")
	docPlurals = set("notes documents docs files pages entries memos")
	kindsOfFile = set("markdown text md")
	called = set("called named titled entitled")
	folderWords = set("folder directory subfolder dir sub-folder subdirectory folders")
	roots = set("root root_folder root_directory top_level top-level main_folder root_level vault_root top base_folder root_of_the_vault",
		"top_folder main_directory / . root_of_my_vault root_of_the_folder vault's_root project_root workspace_root root_of_the_workspace")
	headingNouns = set("heading section header chapter subsection subheading headline")
	pronouns = set("it this that them these those they everything something anything nothing all one here there him her me us that_one this_one")

	these = set("it this that this_note this_document this_doc this_file this_page that_note that_document that_doc that_file that_page",
		"the_note the_document the_doc the_file the_page the_current_note the_current_document the_current_file the_current_doc",
		"the_open_note the_open_document the_open_file current_note current_document current_file the_current_page",
		"the_same_note the_same_file the_same_document this_one that_one here this_entry my_current_note my_current_document the_new_note",
		"the_new_file the_new_document the_new_doc the_new_page my_open_note the_text this_text the_active_document the_active_note the_active_file",
		"them these those they these_notes those_notes these_files those_files these_documents those_documents the_document_i_have_open the_note_i_have_open")
	plurals = set("them these those they these_notes those_notes these_files those_files these_documents those_documents")
	explicit = set("all every each everything everywhere any")

	abbreviations = set("mr mrs ms dr prof st vs etc e.g i.e approx inc no")
	contentWords = set("content contents text following this these")
	extensions = set("md markdown mdx txt text yaml yml json jsonc jsonl toml ini cfg conf csv tsv html htm xml rst org tex",
		"go py js ts css sh bak log properties env sql rb rs java c h cpp old orig tmp pdf docx doc odt adoc svelte tsx jsx crontab png jpg")
	bareExtensions = set("md txt markdown yaml yml json csv html pdf bak toml")
	notPaths = set("and/or either/or yes/no w/o n/a he/she his/her true/false on/off input/output pros/cons to/from his/hers read/write am/pm 24/7 km/h")
	prepositions = set("to in at under with on from into as everywhere by below above after before onto inside of for instead across throughout beneath within off")
	loadNames()
	loadSentences()
}

// loadNames: words that decide what can be a name, a title or content.
func loadNames() {
	// notNames make a sentence of what would be a name.
	notNames = set("it them because since if unless except don't doesn't please instead everywhere should would could can cannot can't",
		"which who whose whom i you we he she they i'm i've i'd you're it's that's isn't is are was were has have had do does did",
		"but than then so that when while until into without not never maybe perhaps also what why how where anymore any")
	mildNames = set("it i you we he she they it's is are was were has have had do does did but than then so that when while until into without not never what why how where can if")
	notAlone = set("all every each everything anything something nothing the my up out off down back over again one some many few more most",
		"notes files documents docs pages entries folder folders directory sentence sentences paragraph paragraphs line lines word words text content contents list lists",
		"me us him her someone french english german spanish italian pdf html and or to in of for on with from as by at about")
	startsPart = set("some end top bottom beginning start front more another any all every each everything both either neither something anything nothing first last",
		"line lines paragraph paragraphs sentence sentences word words heading headings section sections todo todos task tasks mention mentions following typos other others",
		"content contents up out off down over back")
	mildStarts = set("a an about how what why where who when which to in on at with for of from as by under over after before between",
		"text second third fourth next title tone style spelling grammar list me us")
	partNouns = set("line lines paragraph paragraphs sentence sentences word words heading headings section sections item items half part parts top bottom end beginning start rest tone style title format spelling grammar intro introduction conclusion")
	notTitles = set("that which with about for in to from where and called named titled on of containing saying into under using based by as if or but because when inside is",
		"summarising summarizing describing explaining listing at the it this")
	grammarWords = set("that which with about for in to from where and called named titled on of containing saying into under using based by as or but all every each the a an my note notes file document documents files",
		"new folder list it this them these those then please")
	// nameless words say nothing about which document is meant.
	nameless = set("old older oldest new newer newest unused useless unnecessary duplicate duplicates duplicated outdated obsolete boring bad wrong irrelevant redundant stale ancient",
		"worst best biggest smallest longest shortest recent latest last first stuff things thing junk crap garbage mess important relevant good other others remaining rest same few many some")
	vague = set("worst best oldest biggest smallest old older new newer newest unused useless unnecessary duplicate duplicates duplicated outdated obsolete boring bad wrong irrelevant redundant stale ancient",
		"mentions mention occurrences occurrence instances todos todo tasks task to-dos lines line headings heading links link tags tag words word sentences paragraphs paragraph spaces images image folders folder directories",
		"stuff things thing junk crap garbage mess important relevant good other others remaining rest text content contents section sections items item blank typos errors mistakes characters double trailing whitespace data changes history",
		"me us i of few many recent latest last first big large small long short shortest longest completed done finished open same following")

	announcing = set("two three four five several some few couple the a an this these another one following new next single additional extra simple short quick")
	textNouns = set("tasks todos to-dos line lines text sentence sentences paragraph paragraphs word words phrase item items bullet bullets point points entry entries comment content contents quote message snippet list-item body todo-item checkbox note reminder remark thought")
	saying = set("saying says that reads reading called of for named with containing as about: which states stating: is being:")
	describing = set("new a an some more another two three four five several few short brief long quick the couple of nice good detailed little catchy compelling my better")
	inventions = set("file note document page folder subsection subheading header title heading headings bullet bullets points items sections sentence-long paragraph paragraphs sentence sentences section summary conclusion introduction intro description descriptions list table story poem essay article ideas thoughts suggestions",
		"examples example details detail information info explanation analysis overview outline review recipe recipes plan plans limerick haiku letter email text content draft joke jokes facts notes tips steps questions answers translation comparison report blog post dialogue scene chapter quote context background comments tests documentation links link references index toc")
	subjects = set("about on of describing explaining for that which summarising summarizing comparing between to with how why regarding covering introducing mentioning from in \x00")
}

// loadSentences: words that decide what a sentence is, and what belongs to it.
func loadSentences() {
	connectors = set("and then , & plus also afterwards — –")
	negations = set("don't dont not never do_not stop avoid shouldn't cannot can't won't isn't doesn't without why")
	limiting = set("nope wait rather except unless if don't dont not never without excluding but only besides keep leave skip ignore when apart until while")
	// limitingReason is what a reason must not have in it to be left out.
	limitingReason = set("except unless if excluding but only keep leave skip ignore")
	reasons = set("because since")
	remarks = set("i i'm i've i'd i'll we we're we've my our there there's it it's they they're these those this that the some most because since a an all each he she his her its as so",
		"thanks which otherwise unfortunately currently lately everything nothing here someone somebody people one many several your you for")
	// cancels are sentences that take back what was asked for.
	cancels = set("no nope wait stop oops cancel nevermind never_mind just_kidding no_wait")
	// choosing is what a choice of documents has at least one of.
	choosing = set("both two three four five all every each any everything notes note documents document docs doc files file pages page entries entry memos memo contents content")
	vagueContent = set("links references examples details information comments")
	works = set("novel book manuscript story")
	openers = set("update edit modify change")
	dates = set("today's_date the_current_date the_date_of_today the_date_today")
	adjectives = set("note file document doc page place list one new blank empty quick short simple a an another the plain markdown text little small big separate single")
	// repeating is what a part without its verb must have.
	repeating = set("to in into with under from as by : for")
	// textNames can name folders, though not documents.
	textNames = set("lists list text content contents notes files")
	ends = set("end top bottom beginning start front very_end very_top list middle last first first_line last_line")
	things = set("list checklist notes log journal diary agenda tracker inbox minutes wishlist note_list")
	places = set("through in inside within for from to under across throughout at on below into")
	notVerbs = set("the my i in it what which who how where is are did do have to there this next more nothing number word cool nice great perfect ok okay hello hi hey thanks task item all action todo dir tree text content daily note notes")
	moments = set("morning evening afternoon weekend week month year night spring summer autumn fall winter time advance hour minute office city town person")
	unspecific = set("tag link table checkbox duplicates duplicate typos formatting whitespace everything content contents text lines line spaces errors mistakes comments tags links images headings paragraph sentence section word emojis punctuation something anything fluff repetition")
	structures = set("list checkbox_list bullet_list numbered_list column columns row rows comment remark note line lines word words front_matter frontmatter metadata yaml properties property header headers headings footer footers footnote footnotes table tables image images picture pictures",
		"bookmark bookmarks anchors numbering line_numbers page_numbers formatting markdown bold italics emphasis emoji emojis icons colour color colours colors tags tag date dates timestamp timestamps",
		"citations citation bibliography glossary appendix whitespace blank_line blank_lines empty_line empty_lines newline line_break line_breaks separator divider horizontal_rule checkboxes checkbox todos tasks bullets wikilinks backlinks hyperlinks url urls section subsection sections subsections")
	structureKinds = set("yaml markdown proper missing appropriate some any its all wiki internal external basic relevant empty blank table-style nice")
	furtherVerbs = set("add append put insert include move delete remove tag link tick rename open show list find read write save")
	shapes = set("bold italic italics uppercase lowercase capitals caps underlined strikethrough hyperlink wikilink wikilinks link links heading headings")
	looks = set("outline summary overview gist copy structure contents number count rundown synopsis recap")
	finishedWords = set("completed done finished ticked checked closed open unfinished pending")
	excusable = set("delete remove trash bin erase discard archive move tick check mark complete rename")
	excuses = set("i i've i'm we we've it it's they they're that's he she")
	notFound = set("and notes files documents docs all every everything me a an out your how why what when who whether someone something anything ways way good best some more")

}

// allDocuments is what stands for all documents.
func allDocuments() map[string]bool {
	all := set("everywhere everything all_of_it all_of_them all_over")
	nouns := []string{"notes", "documents", "docs", "files", "pages", "entries", "markdown files", "text files", "the notes"}
	for _, noun := range nouns {
		for _, before := range []string{"all", "all my", "all the", "all of my", "all the other", "all our", "all other", "all of the", "my", "the", "our", "all these", "all of our", "the whole set of"} {
			all[before+" "+noun] = true
		}
		for _, before := range []string{"every", "each", "every single", "any"} {
			all[before+" "+strings.TrimSuffix(noun, "s")] = true
		}
	}
	for _, noun := range []string{"vault", "workspace", "project", "notebook", "folder", "collection", "knowledge base", "repository", "repo", "book", "manuscript", "novel"} {
		for _, before := range []string{"the whole", "the entire", "my whole", "my entire", "all of my", "all of the", "this whole", "this entire"} {
			all[before+" "+noun] = true
		}
		if noun != "book" && noun != "manuscript" && noun != "novel" && noun != "project" {
			all["the "+noun], all["my "+noun], all["this "+noun] = true, true, true
		}
	}
	all["every entry"] = true
	return all
}
