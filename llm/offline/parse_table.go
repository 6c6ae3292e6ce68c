package offline

// rule is a pattern and what it asks for. The first rule of the table that
// matches all of a clause wins, so that the special come before the general.
type rule struct {
	request Request // what a match is besides its slots
	pattern string
}

// rules is the grammar. docs/offline.md describes it for people.
var rules = [][]rule{
	talkRules, todoRules, dailyRules, sectionRules, nameRules, linkRules, removeRules, replaceRules,
	organiseRules, moveRules, createRules, addRules, lookRules,
}

var talkRules = []rule{
	{Request{Kind: Help}, "help [me]"},
	{Request{Kind: Help}, "(what|which things|what all|what else) (can|could|do) (you|i|we) (do|ask|say|understand|help me with|help with|ask you) [here|for me|with my notes|with this]"},
	{Request{Kind: Help}, "(what are|list|show|show me|tell me) (your|the|all) [your] [available] (commands|capabilities|abilities|features|skills|functions|requests)"},
	{Request{Kind: Help}, "(who|what) are you|how (do|does) (you|this|it) work|how do i use (you|this|it)|what is this|what's this|how can you help [me]|what are you able to do|what can i do here"},
	{Request{Kind: Thanks}, "(thanks|thank you|thx|ty|cheers|hello|hi|hey|good morning|good evening|good afternoon|goodbye|bye|ok|okay|great|perfect|nice|cool|awesome|got it|well done|good job|that's all|that is all|looks good|lgtm|no thanks|nothing) [a lot|so much|very much|there|again|everyone|work|redline|for (that|your help|the help|everything)|job|a bunch|thanks|you] [(that's|that is|this is|it's|looks|that looks|that was|all) (great|perfect|nice|good|all|awesome|wonderful|exactly right|what i wanted|very nice)]"},
	{Request{Kind: Undo}, "(undo|revert|roll back|rollback|reverse|take back|discard|cancel) [<back>]"},
	{Request{Kind: Undo}, "(take|put|roll|change) (that|it|this|everything|things) back [the way it was|to how it was|as it was|the way they were|to the way it was]"},
	{Request{Kind: Undo}, "(how do i|how can i|how to|how do you) (undo|revert|take back|roll back|restore) [<back>|a change|changes|an edit|my changes|something|deleted files|a deleted (file|note)]"},
	{Request{Kind: Undo}, "(restore|recover|undelete|bring back|get back) {doc} [from the trash]"},
	{Request{Kind: Undo}, "(i changed my mind|that was wrong|that was a mistake) [undo (it|that)]"},
	{Request{Kind: Undo}, "(go back|revert) to (the previous|the last|an earlier|the old) (version|state) [of {doc}]"},
	{Request{Kind: Continue}, "(go on|continue|carry on|keep going|more|do the rest|finish it|finish the rest|and the rest|the rest|resume|next) [with (it|that|the rest|this)]"},
}

var todoRules = []rule{
	{Request{Kind: CollectTodos}, "(extract|collect|gather|pull|pull out|compile|consolidate|copy|put|combine|move|merge|aggregate|bring|list|get|take|save|write) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|out of {docs}|across {docs}|in {docs}|everywhere] (into|to|onto|in (a|one)) [a|one|the|my] [single|new|central|master] [<note>] [<called>] {title}"},
	{Request{Kind: CollectTodos}, "(extract|collect|gather|pull|pull out|compile|consolidate|combine|aggregate|bring) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|out of {docs}|across {docs}|everywhere] in [a|one|the|my] [single|new|central|master] [<note>] [<called>] {title}"},
	{Request{Kind: CollectTodos}, "(extract|collect|gather|compile|consolidate|aggregate) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|out of {docs}|across {docs}|in {docs}|everywhere]"},
	{Request{Kind: CollectTodos}, "<make> <a> [new|single] [<note>|list] [<called> {title}] (with|containing|of|listing|that lists|that contains|from|to collect) [<all>] [<my>] [<open>] <todos> [from {docs}|across {docs}|in {docs}|everywhere]"},
	{Request{Kind: CollectTodos}, "<make> {file} (with|containing|of|listing|that lists|from) [<all>] [<my>] [<open>] <todos> [from {docs}|across {docs}|in {docs}|everywhere]"},
	{Request{Kind: ListTodos, Done: true}, "(<show>|what are|which are|find|what|which) [<all>] [<my>] <done> <todos> [do i have|are there|have i] [<in> {docs}|<wherever>|i have]"},
	{Request{Kind: ListTodos, Done: true}, "(what|which) [of] [<my>] <todos> (are|have been|have i|did i) <done> [already] [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos, Done: true}, "what have i (done|finished|completed) [so far|already] [<in> {docs}]"},
	{Request{Kind: ListTodos}, "(<show>|what are|which are|find|what's on|what is on|read|what|which|what other|are there|do i have|have i got|is there) [a] [<all>] [<my>] [<open>] <todos> [do i [still] have|are there|are [still] <open>|are left|remain|i have|that are [still|not] (<open>|<done>)] [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos}, "(what|which) [<open>] <todos> (does|do|are in|is in|has) {docs} [have|contain] [left]"},
	{Request{Kind: ListTodos}, "what [else] (do i [still] (have|need) to do|is [still] left to do|should i do|needs to be done|is left|remains to be done|still needs to be done|is there to do|'s left to do) [<in> {docs}|<wherever>|today|next|still]"},
	{Request{Kind: ListTodos}, "what's [still] left [to do] [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos}, "(what|which) (is|things are) [still] (open|unfinished|outstanding|pending|not done) [<in> {docs}|<wherever>]"},

	{Request{Kind: Untick}, "(untick|uncheck|unmark|un-tick|un-check|reopen) [the] [<todo>] {text} (in|on|from|of) {docs}"},
	{Request{Kind: Untick}, "(untick|uncheck|unmark|un-tick|un-check) [the] [<todo>] {text}"},
	{Request{Kind: Untick}, "reopen [the] <todo> {text}"},
	{Request{Kind: Untick}, "(mark|set|flag) [the] [<todo>] {text} (in|on|from) {docs} (as|to) (not <done>|undone|open|incomplete|todo|to do|unfinished|pending|not yet done)"},
	{Request{Kind: Untick}, "(mark|set|flag) [the] [<todo>] {text} (as|to) (not <done>|undone|open|incomplete|todo|to do|unfinished|pending|not yet done) [(in|on) {docs}]"},
	{Request{Kind: Tick, Select: Selection{All: true}}, "(mark|check|tick|set|check off|tick off|cross off|complete) (everything|(all|every|each) [of] [<my>] [<open>] <todos>) [(in|on|of|from) {docs}] [as|to] [<done>|off] [(in|on|of) {docs}]"},
	{Request{Kind: Tick}, "(mark|set|flag) [the] [<todo>] {text} (in|on|from) {docs} (as|to) <done>"},
	{Request{Kind: Tick}, "(mark|set|flag) [the] [<todo>] {text} (as|to) <done> [(in|on|inside) {docs}]"},
	{Request{Kind: Tick}, "(mark|set|flag) (as|to) <done> [the] [<todo>] {text} (in|on) {docs}"},
	{Request{Kind: Tick}, "(mark|set|flag) [as|to] <done> [the] [<todo>] {text}"},
	{Request{Kind: Tick}, "mark [the] [<todo>] {text} <done> (in|on) {docs}"},
	{Request{Kind: Tick}, "mark [the] [<todo>] {text} <done>"},
	{Request{Kind: Tick}, "(check off|tick off|cross off|tick|strike off|complete the|check the|finish the|complete|check off the box for|tick the box for|check the box for|tick off the) [the] [<todo>] {text} (in|on|from|off|of) {docs}"},
	{Request{Kind: Tick}, "(check off|tick off|cross off|tick|strike off|tick the box for|check the box for) [the] [<todo>] {text}"},
	{Request{Kind: Tick}, "(check|complete|finish) [the] <todo> {text} [off]"},
	{Request{Kind: Tick}, "(check|tick|cross|strike) [the] [<todo>] {text} off (in|on|from|of|my|the) {docs}"},
	{Request{Kind: Tick}, "(check|tick|cross|strike) [the] [<todo>] {text} off [my list|the list]"},

	{Request{Kind: AddTodo}, "(<add>|create|make|new|start|set|give me|i need) [<a>] [new|open] (<todo>|reminder) [item] (to|in|into|on|at the end of) {docs} (:|to|saying|that says|called|which says|with the text|named) {text}"},
	{Request{Kind: AddTodo}, "(<add>|create|make|new|start|set|give me|i need) [<a>] [new|open] (<todo>|reminder) [for me] [to|saying|that says|called|for|which says|about|with the text|named|that reads] {text} (to|in|into|on|at the end of) {docs}"},
	{Request{Kind: AddTodo}, "(<add>|create|make|new|start|set|give me|i need) [<a>] [new|open] (<todo>|reminder) [for me] [to|saying|that says|called|for|which says|about|with the text|named|that reads] {text}"},
	{Request{Kind: AddTodo}, "(<add>|create) [the following|these|some|two|three|four|five|several|a few|a couple of|the] [new] <todos> (to|in|into|on) {docs} {text}"},
	{Request{Kind: AddTodo}, "(<add>|create) [the following|these|some|two|three|four|five|several|a few|a couple of] [new] <todos> : {text}"},
	{Request{Kind: AddTodo}, "(<add>|create) {text} as [<a>] [new|open] (<todo>|todos) (to|in|into|on) {docs}"},
	{Request{Kind: AddTodo}, "(<add>|create) {text} as [<a>] [new|open] (<todo>|todos)"},
	{Request{Kind: AddTodo}, "(<add>) {text} (to|on|onto|in) [<my>] (todos|to-dos|tasks|todo list|to-do list|to do list|task list|list of todos|list of tasks|things to do|todo) (in|of|inside) {docs}"},
	{Request{Kind: AddTodo}, "(<add>) {text} (to|on|onto|in) [<my>] (todos|to-dos|tasks|todo list|to-do list|to do list|task list|list of todos|list of tasks|things to do)"},
	{Request{Kind: AddTodo}, "<add> to [<my>] (todos|to-dos|tasks|todo list|to-do list|to do list|task list) {text}"},
	{Request{Kind: AddTodo}, "(remind me to|remind me that i need to|i must remember to|i need to remember to|don't let me forget to|i have to remember to) {text}"},
	{Request{Kind: AddTodo}, "(todo|to-do) {text}"},
}

var dailyRules = []rule{
	{Request{Kind: Daily}, "(<make>|show|show me|go to|append|log) [<a>] [new] (daily|daily journal|day's) (note|entry|page|log|file|document) [for|of|dated] {date} [(<with>|:) {text}]"},
	{Request{Kind: Daily}, "(<make>|open|show|show me|go to) [<a>] [new] (daily|daily journal|day's) (note|entry|page|log|file|document) [(<with>|:) {text}]"},
	{Request{Kind: Daily}, "(<make>) [<a>] [new] (journal|diary) (entry|note|page) [for|of|dated|on] {date} [(<with>|:) {text}]"},
	{Request{Kind: Daily}, "(<make>) [<a>] [new] (journal|diary) (entry|page) [(<with>|:) {text}]"},
	{Request{Kind: Daily}, "(<make>|open) [<a>] (journal|diary|daily log) (for|of) {date} [(<with>|:) {text}]"},
	{Request{Kind: Daily}, "(<make>|open|go to) [the] [new] {date} [daily|journal|diary] (note|entry|page|log|journal|diary) [(<with>|:) {text}]"},
	{Request{Kind: Daily}, "<add> {text} (to|in|into|on|onto|at the end of) [<a>] (daily|daily journal) (note|entry|page|log) (for|of) {date}"},
	{Request{Kind: Daily}, "<add> {text} (to|in|into|on|onto|at the end of) {date} [daily|journal|diary] (note|entry|page|log|journal|diary)"},
	{Request{Kind: Daily}, "<add> {text} (to|in|into|on|onto|at the end of) [<a>] (daily|daily journal) (note|entry|page|log)"},
	{Request{Kind: Daily}, "<add> {text} (to|in|into|on|onto) [my|the] (journal|diary) [for] {date}"},
	{Request{Kind: Daily}, "<add> {text} (to|in|into|on|onto) (my|the) (journal|diary)"},
	{Request{Kind: Daily}, "<add> [<a>] [new] (entry|line|note) (to|in|into) (my|the) (journal|diary|daily note) (:|saying|that says|about|that) {text}"},
	{Request{Kind: Daily}, "<add> (to|in|into) (my|the) (journal|diary|daily note) that {text}"},
	{Request{Kind: Daily}, "<add> (to|in|into) [my|the] (daily note|daily log|journal|diary) [for {date}] {text}"},
	{Request{Kind: Daily}, "<add> to {date} [daily|journal|diary] (note|entry|page|log|journal|diary) {text}"},
	{Request{Kind: Daily}, "(daily note|today's note|journal entry)"},
}

var sectionRules = []rule{
	{Request{Kind: Contents}, "(<make>|insert|update|refresh|include|put|rebuild|regenerate) [<a>|an updated] [clickable|linked|short] <toc> (to|for|in|into|of|at|on|within|inside) [the (<top>|<end>) of] {docs}"},
	{Request{Kind: Contents, This: true}, "(<make>|insert|update|refresh|include|put|rebuild|regenerate) [<a>] <toc> [at the top|here|at the beginning]"},
	{Request{Kind: Contents}, "give {doc} <a> <toc>"},

	{Request{Kind: RemoveSection}, "<remove> [the] [whole|entire] (section|heading|chapter|subsection|part) [<called>|about|on] {heading} (from|in|of|inside) {docs}"},
	{Request{Kind: RemoveSection}, "<remove> [the|my] [whole|entire] {heading} (section|heading|chapter|subsection|part) (from|in|of|inside) {docs}"},
	{Request{Kind: RemoveSection}, "<remove> everything (under|below) [the heading|the section] {heading} (from|in|of|inside) {docs}"},
	{Request{Kind: RemoveSection, This: true}, "(remove|delete|erase|drop|get rid of) [the] [whole|entire] (section|heading|subsection) [<called>] {heading}"},
	{Request{Kind: RemoveSection, This: true}, "(remove|delete|erase|drop|get rid of) the [whole|entire] {heading} (section|heading|subsection)"},

	{Request{Kind: Prepend}, "(<add>|prepend) <these> (to|at|on|in|into) [the] <top> of {docs} {text}"},
	{Request{Kind: Insert}, "<add> <these> (under|below|beneath|in|to|into|within|underneath) [the] [<section>] [<called>] {heading} [heading|section|header|chapter] (in|of|inside|within) {docs} : {text}"},
	{Request{Kind: Prepend}, "prepend <these> (to|in|into|onto|before) {docs} {text}"},
	{Request{Kind: Append}, "<add> <these> (to|onto|in|into|on|at|at the end of) [the] [<end> of] {docs} {text}"},
	{Request{Kind: Insert}, "<add> {text} (under|below|beneath|in|to|into|after|within|inside|underneath|at the end of) [the] <section> [<called>] {heading} (in|of|to|inside|within|from) {docs}"},
	{Request{Kind: Insert}, "<add> {text} (under|below|beneath|in|to|into|within|inside|underneath|at the end of|at the top of) [the] {heading} [heading|section|header|chapter] (in|of|inside|within|from) {docs}"},
	{Request{Kind: Insert}, "<add> {text} (to|in|into) {docs} ((under|below|beneath|after|underneath) [the] [<section>] [<called>] {heading}|(in|within|at|into|to) [the] (<section> [<called>] {heading}|{heading} (section|heading|header|chapter))) [heading|section|header|chapter]"},
	{Request{Kind: Insert}, "(in|to) {docs} <add> {text} ((under|below|beneath|after|underneath) [the] [<section>] [<called>] {heading}|(in|within|at|into|to) [the] (<section> [<called>] {heading}|{heading} (section|heading|header|chapter))) [heading|section|header|chapter]"},
	{Request{Kind: Insert}, "<add> (under|below|beneath|underneath|in|to) [the] [<section>] [<called>] {heading} [heading|section|header|chapter] (in|of|inside|within) {docs} {text}"},
	{Request{Kind: Insert, This: true}, "<add> {text} (under|below|beneath|underneath) [the] [<section>] [<called>] {heading} [heading|section|header|chapter]"},
	{Request{Kind: Insert, This: true}, "<add> {text} (to|in|into) [the] {heading} (section|heading)"},

	{Request{Kind: AddSection}, "(<add>|create|make|start|give me) [<a>] [new|extra] (section|heading|header|subsection|subheading|headline) [<called>|for|on] {heading} (to|in|into|at the end of|at the bottom of|to the end of|to the bottom of|for|of|inside) {docs} [(<with>|:) {text}]"},
	{Request{Kind: AddSection}, "(<add>|create|make|start) [<a>] [new|extra] (section|heading|header|subsection|subheading|headline) (to|in|into|at the end of|at the bottom of|to the end of|to the bottom of|for|of|inside) {docs} (<called>|for) {heading} [(<with>|:) {text}]"},
	{Request{Kind: AddSection}, "(<add>|create|make|start) [<a>] [new|extra] {heading} (section|heading|header|subsection|subheading|headline) (to|in|into|at the end of|at the bottom of|to the end of|to the bottom of|for|of|inside) {docs} [(<with>|:) {text}]"},
	{Request{Kind: AddSection}, "(<add>|create|make|start) [<a>] [new|extra] {heading} (section|heading|header|subsection|subheading|headline) <with> {text} (to|in|into|at the end of|at the bottom of|inside) {docs}"},
	{Request{Kind: AddSection}, "(<add>|create|make|start) [<a>] [new|extra] (section|heading|header|subsection|subheading|headline) [<called>] {heading} <with> {text} (to|in|into|at the end of|at the bottom of|inside) {docs}"},
	{Request{Kind: AddSection, This: true}, "(<add>|create|make) [<a>] [new] (section|heading|subsection|subheading) <called> {heading} [(<with>|:) {text}]"},
	{Request{Kind: AddSection, This: true}, "(<add>|create|make) <a> [new] {heading} (section|heading) [(<with>|:) {text}]"},
}

var nameRules = []rule{
	{Request{Kind: RenameName}, "(rename|change|replace|switch) [every|all|each|any] [<mention>] [the|my|our] [name of the|name of] <being> [<called>|name|of|from|name from] {person} (to|into|as|with|by) {new} [<wherever>]"},
	{Request{Kind: RenameName}, "(rename|change) [every|all|each|any] <mention> [the|my|our] [<being>] {person} (to|into|as) {new} [<wherever>]"},
	{Request{Kind: RenameName}, "(rename {old}|change {person}) (to|into) {new} (everywhere|in all [my|the] <plural>|throughout [the|my] (book|novel|story|manuscript|vault|notebook|project|notes|folder|whole book|whole novel|entire novel)|across [all] [of] [my|the] <plural>|in (every|each) (note|document|file|chapter|page)|in all chapters|in the (book|novel|story|manuscript)|in the (whole|entire) (book|novel|story|manuscript|vault|notebook|project))"},
	{Request{Kind: RenameName}, "(rename|change) the <being> {person} [in {docs}] to {new}"},
	{Request{Kind: RenameName}, "(change|rename) the name [of] [the|my] [<being>] {person} (to|into) {new} [<wherever>]"},
	{Request{Kind: RenameName}, "change {person} name (to|into) {new} [<wherever>]"},
	{Request{Kind: RenameName}, "(change|rename) [the|my] {_} name from {person} (to|into) {new} [<wherever>]"},
	{Request{Kind: RenameName}, "[the|my] [<being>] [<called>|of] {person} (should|shall|must|will) [now|from now on] be (called|named|renamed to|renamed) {new} [<wherever>|from now on|instead]"},
	{Request{Kind: RenameName}, "[the|my] [<being>] [<called>|of] {person} is now (called|named|known as) {new} [<wherever>]"},
	{Request{Kind: RenameName}, "give [the|my] <being> {person} the [new] name {new} [<wherever>]"},

	{Request{Kind: Move}, "(rename|change) [the|my] <folder> {under} (to|into|as) {folder}"},
	{Request{Kind: Move}, "(rename|change) [the|my] {under} <folder> (to|into|as) {folder}"},
	{Request{Kind: Rename}, "(change|set|update) the (name|title|filename|file name) of {doc} (to|into|as) {new}"},
	{Request{Kind: Rename}, "give {doc} the [new] (name|title|filename|file name) {new}"},
	{Request{Kind: Rename}, "give {doc} a new (name|title|filename) {new}"},
	{Request{Kind: Rename}, "(rename|retitle|re-title) {doc} (to|into|as|so (it is|it's) called) {new}"},
}

var linkRules = []rule{
	{Request{Kind: Link}, "(turn|convert|change|make|link) [<all>] [the] (<mention>) {term} (into|to|as) [a|an] (link|links|wikilink|wikilinks|wiki link|wiki links) [to (it|{doc2})] [<wherever>]"},
	{Request{Kind: Link}, "(turn|convert|make) [<all>] [the] (mentions|names|titles) [of {docs}] (into|to|as) (links|wikilinks|wiki links) [<wherever>]"},
	{Request{Kind: Link}, "link [<all>] <mention> {term} [to (her|his|its|their|the|that) (note|page|document|file)|to it] [<wherever>]"},
	{Request{Kind: Link}, "link [<all>] <mention> {term} to {doc2} [<wherever>]"},
	{Request{Kind: Link}, "(add|create|insert|put|make|include|generate) [<a>] [new] (link|wikilink|wiki link|reference|backlink|cross-reference) to {doc2} (in|to|into|from|on|at the end of|at the bottom of|inside) {doc}"},
	{Request{Kind: Link}, "(add|create|insert|put|make|include) [<a>] [new] (link|wikilink|wiki link) (in|from) {doc} to {doc2}"},
	{Request{Kind: Link}, "link (from {doc} to|{doc} (to|with|and)) {doc2}"},
	{Request{Kind: Link}, "(add|create|insert|make|generate|build) [<all>] [the] [missing|useful] (links|wikilinks|wiki links|backlinks|cross-links|cross links|cross-references|cross references|connections|internal links) (between|among|across|in|to|for|within|throughout) [all] [of] [my|the] [related|various|different] (<stuff>|recipes|chapters)"},
	{Request{Kind: Link}, "(add|create|insert|make|generate|build) [<all>] [the] [missing] (links|wikilinks|wiki links|backlinks|cross-links|cross-references|internal links) (between|among|across|in|to|for|within) {docs}"},
	{Request{Kind: Link}, "(add|create|insert|make|generate) [all] [the] [missing] (links|wikilinks|wiki links|backlinks|cross-links|cross-references|internal links) [where (it makes sense|appropriate|useful|possible)|everywhere]"},
	{Request{Kind: Link}, "(link|connect|cross-link|crosslink|interlink|cross link|cross-reference) [up] [all] [of] [my|the|these] [related] (<stuff>) [together|with each other|to each other|to one another|with one another|among each other|up|with links|with wikilinks|by links]"},
	{Request{Kind: Link}, "(interlink|cross-link|crosslink) {docs}"},
	{Request{Kind: Tag}, "(tag|label) {select} (with|as|using) [the] [tag|tags|label|labels] {tag}"},
	{Request{Kind: Tag}, "(tag|label) {docs} (with|as|using) [the] [tag|tags|label|labels] {tag}"},
	{Request{Kind: Tag}, "(add|put|apply|give|attach|set|insert) [a|the] (tag|tags|label|labels|hashtag|hashtags) {tag} (to|on|in|for) {select}"},
	{Request{Kind: Tag}, "(add|put|apply|give|attach|set|insert) [a|the] (tag|tags|label|labels|hashtag|hashtags) {tag} (to|on|in|for) {docs}"},
	{Request{Kind: Tag}, "(add|put|apply|attach|insert) [a|the] {tag} (tag|tags|label|labels|hashtag|hashtags) (to|on|in|for) {select}"},
	{Request{Kind: Tag}, "(add|put|apply|attach|insert) [a|the] {tag} (tag|tags|label|labels|hashtag|hashtags) (to|on|in|for) {docs}"},
	{Request{Kind: Tag}, "give {docs} the (tag|tags|label|labels) {tag}"},
}

var removeRules = []rule{
	{Request{Kind: Undo}, "(remove|delete|undo) (the last change|your last change|your changes|what you (added|wrote|did))"},
	{Request{Kind: RemoveText}, "<remove> <all> [the] (<mention>) [the] [<word>] {old} [<wherever>|from {docs}]"},
	{Request{Kind: RemoveText, What: "line"}, "<remove> [<all>] [the|my] (line|lines) [<about>|saying|starting with|that starts with|beginning with|that reads|reading] {old} (from|in|of|inside) {docs}"},
	{Request{Kind: RemoveText, What: "sentence"}, "<remove> [<all>] [the|my] (sentence|sentences) [<about>|saying|starting with|that starts with|beginning with|that reads|reading] {old} (from|in|of|inside) {docs}"},
	{Request{Kind: RemoveText, What: "paragraph"}, "<remove> [<all>] [the|my] (paragraph|paragraphs) [<about>|saying|starting with|that starts with|beginning with|that reads|reading] {old} (from|in|of|inside) {docs}"},
	{Request{Kind: RemoveText, What: "item"}, "<remove> [<all>] [the|my] (<todo>|bullet|bullet point|list item|entry|items|todos|tasks|bullets|reminder) [<about>|saying|starting with|to|called|for|that reads|reading] {old} (from|in|of|off|inside) {docs}"},
	{Request{Kind: RemoveText}, "<remove> [<all>] [the] (word|words|phrase|text|term|string|expression|name|quote) {old} (from|in|inside) {docs}"},
	{Request{Kind: RemoveText}, "<remove> [<all>] [the] (word|words|phrase|text|term|string|expression) {old} [everywhere]"},
	{Request{Kind: Delete}, "<delete> [the|my] [<note>] [<called>] {file} (from|in) [the|my] {parent} <folder>"},
	{Request{Kind: Delete}, "<delete> [the] file {file}"},
	{Request{Kind: RemoveText}, "<remove> [<all>] {old} (from|off|out of) {docs}"},
	{Request{Kind: RemoveText, Everywhere: true}, "<remove> [all] {old} everywhere"},

	{Request{Kind: Delete}, "<delete> [the|my] [entire|whole|empty] <folder> [<called>] {under} [and (everything|all [the] <plural>) (in it|inside|it contains)|with (everything|all) in it|and [all] its contents|with [all] its contents|and all of its contents]"},
	{Request{Kind: Delete}, "<delete> [the|my] [entire|whole|empty] {under} <folder> [and (everything|all [the] <plural>) (in it|inside|it contains)|with (everything|all) in it|and [all] its contents|with [all] its contents|and all of its contents]"},
	{Request{Kind: Delete}, "<delete> {under} (and everything in it|and [all] its contents|with [all] its contents|and everything inside)"},
	{Request{Kind: Delete}, "<delete> [both] {docs} [permanently|completely|entirely|forever|for good|from my notes|from disk]"},
	{Request{Kind: Delete}, "(throw|put|move|send) {docs} (away|out|in the trash|in the bin|to the trash|to trash|into the trash|to the bin|into the bin|to the recycle bin)"},
	{Request{Kind: Delete}, "make {docs} (disappear|go away)"},
}

var replaceRules = []rule{
	{Request{Kind: Replace}, "(find and replace|search and replace|find & replace) [<all>] [the <word>|<word>|[the] <mention>] {old} (with|by|and replace (it|them) with) {new} [<wherever>]"},
	{Request{Kind: Replace}, "(<search>) [<all>] [the <word>|<word>|[the] <mention>] {old} [<wherever>] and (replace|change) (it|them|those|each|each one|that) (with|by|to|into) {new} [<wherever>]"},
	{Request{Kind: Replace, Word: true}, "(replace|exchange|swap|swap out) [<all>] [<mention>] [the] (word|words|name|term) {old} (with|by|for) [the] [word|words|name|term] {new} [<wherever>]"},
	{Request{Kind: Replace}, "(replace|exchange|swap|swap out) [<all>] [of] [<mention>] [the <word>|<word>] {old} (with|by|for) [the <word>|<word>] {new} [<wherever>]"},
	{Request{Kind: Replace}, "(replace|exchange|swap|swap out) [<all>] [<mention>] [the <word>|<word>] {old} <wherever> (with|by|for) [the <word>|<word>] {new}"},
	{Request{Kind: Replace}, "substitute {new} for [<all>] [<mention>] [the <word>|<word>] {old} [<wherever>]"},
	{Request{Kind: Replace}, "substitute [<all>] [<mention>] [the <word>|<word>] {old} (with|by) {new} [<wherever>]"},
	{Request{Kind: Replace}, "(use|write|say|put) [the <word>|<word>] {new} instead of [the <word>|<word>] {old} [<wherever>]"},
	{Request{Kind: Replace}, "(change|turn|correct|fix|update|edit|modify|alter|switch|convert|rename) (<all> [of] [the] [<mention>] [<word>]|<mention> [the <word>|<word>]|the (word|words|phrase|text|term|spelling|string|sentence|line) [of]) {old} (to|into|with|as) {new} [<wherever>]"},
	{Request{Kind: Replace}, "(change|update|bump|edit|modify|switch|set|raise|lower|increase) [the] [{_}] from {old} to {new} <wherever>"},
	{Request{Kind: Replace}, "(change|update|bump|edit|modify|switch|set) [the] [{_}] <wherever> from {old} to {new}"},
	{Request{Kind: Replace}, "(change|turn|correct|fix|update|edit|modify|alter|switch|convert) [the <word>|<word>] {old} <wherever> (to|into|with) {new}"},
	{Request{Kind: Replace}, "(change|turn|correct|fix|update|edit|modify|alter|switch|convert) [from] [the <word>|<word>] {old} (to|into|with) {new} [<wherever>]"},
	{Request{Kind: Replace}, "{old} should (be|read|say) [replaced (with|by)] {new} <wherever>"},
}
