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
	{Request{Kind: Help}, "[i need|i want|give me] help [me]"},
	{Request{Kind: Help}, "(what|which things|what all|what else) (can|could|do) (you|i|we) (do|ask|say|understand|help me with|help with|ask you) [here|for me|with my notes|with this]"},
	{Request{Kind: Help}, "(what are|list|show|show me|tell me) (your|the|all) [your] [available] (commands|capabilities|abilities|features|skills|functions|requests)"},
	{Request{Kind: Help}, "(who|what) are you|how (do|does) (you|this|it) work|how do i use (you|this|it)|what is this|what's this|how can you help [me]|what are you able to do|what can i do here"},
	{Request{Kind: Thanks, What: "greeting"}, "(hello|hi|hey|good morning|good evening|good afternoon) [there|again|everyone|redline]"},
	{Request{Kind: Thanks}, "(thanks|thank you|thx|ty|cheers|hello|hi|hey|good morning|good evening|good afternoon|goodbye|bye|ok|okay|great|perfect|nice|cool|awesome|got it|well done|good job|that's all|that is all|looks good|lgtm|no thanks|nothing) [a lot|so much|very much|there|again|everyone|work|redline|for (that|your help|the help|everything)|job|a bunch|thanks|you] [(that's|that is|this is|it's|looks|that looks|that was|all) (great|perfect|nice|good|all|awesome|wonderful|exactly right|what i wanted|very nice)]"},
	{Request{Kind: Undo}, "(undo|revert|roll back|rollback|reverse|take back|discard|cancel) [<back>]"},
	{Request{Kind: Undo}, "(take|put|roll|change) (that|it|this|everything|things) back [the way it was|to how it was|as it was|the way they were|to the way it was]"},
	{Request{Kind: Undo}, "(how do i|how can i|how to|how do you) (undo|revert|take back|roll back|restore) [<back>|a change|changes|an edit|my changes|something|deleted files|a deleted (file|note)]"},
	{Request{Kind: Undo}, "(restore|recover|undelete|bring back|get back) {doc} [from the trash]"},
	{Request{Kind: Undo}, "(bring|get|give|put) (it|that|them|those|this|everything) back"},
	{Request{Kind: Undo}, "(i changed my mind|that was wrong|that was a mistake) [undo (it|that)]"},
	{Request{Kind: Undo}, "(go back|revert) to (the previous|the last|an earlier|the old) (version|state) [of {doc}]"},
	{Request{Kind: History}, "what (changed|has changed|did you change|have you changed|was changed|did you do|have you done|did you just do|have you just done|happened) [today|yesterday|so far|just now|since (yesterday|this morning|last time)|recently|here|this week]"},
	{Request{Kind: History}, "(show|show me|list|see|view|what are|give me) [<all>] [the|your|my] [last|latest|recent|previous] (changes|edits|history|change history|change log|modifications) [you made|made today|today|so far]"},
	{Request{Kind: Recent}, "(<show>|what are|what is|what's|which|which are|which is|find|open|read) [<my>] [{_}] (most recent|latest|newest|last modified|recently (changed|edited|modified|updated|created)|last edited|most recently (changed|edited|modified|updated|created)|recent) [{_}] <notes>"},
	{Request{Kind: Recent}, "(what|which) <notes> (did i|have i|was|were) [last|recently] (change|changed|edit|edited|modify|modified|update|updated|touch|touched|work on|worked on) [last|recently|today|yesterday|this week]"},
	{Request{Kind: Again}, "(do|repeat|apply|make) (the same|that|this|it|the same thing|the same change|that change|the change|the same edit) [thing|again|change|changes] (for|in|to|with|on) {docs}"},
	{Request{Kind: Again}, "[and] the same (for|in|to|with|on) {docs}|same (for|in|to|with|on) {docs}|(do|now do) {docs} the same way"},
	{Request{Kind: Undo}, "(undo|revert|take back|roll back) (the|that|your|my) (last|second|first|latest|previous|other|final) (part|half|bit|piece|request|one|thing|two changes|file|document|note) [of it|of that|you (changed|made|did)]"},
	{Request{Kind: Undo}, "(undo|revert|take back|roll back) (the|your|all) [last|recent|latest] (changes|change|edits|edit|deletion|move) (to|in|of|on) {docs}"},
	{Request{Kind: Continue}, "(go on|continue|carry on|keep going|more|do the rest|finish it|finish the rest|and the rest|the rest|resume|next) [with (it|that|the rest|this)]"},
}

var todoRules = []rule{
	{Request{Kind: CollectTodos}, "(extract|collect|gather|pull|pull out|compile|consolidate|copy|put|combine|move|merge|aggregate|bring|list|get|take|save|write) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|out of {docs}|across {docs}|in {docs}|everywhere] (into|to|onto|in (a|one)) [a|one|the|my] [single|new|central|master] [<note>] [<called>] {title}"},
	{Request{Kind: CollectTodos}, "(extract|collect|gather|pull|pull out|compile|consolidate|combine|aggregate|bring) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|out of {docs}|across {docs}|everywhere] in [a|one|the|my] [single|new|central|master] [<note>] [<called>] {title}"},
	{Request{Kind: CollectTodos}, "(extract|collect|gather|pull|compile|consolidate|copy|put|combine|aggregate|bring) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|across {docs}|everywhere] (into|in|to) (a|one) [single|new|central|master] (note|file|document|doc|page|place|list)"},
	{Request{Kind: CollectTodos}, "(extract|collect|gather|compile|consolidate|aggregate) [<all>] [<my>] [<open>] <todos> [together] [from {docs}|out of {docs}|across {docs}|in {docs}|everywhere]"},
	{Request{Kind: CollectTodos}, "<make> <a> [new|single] [<note>|list] [<called> {title}] (with|containing|of|listing|that lists|that contains|from|to collect) [<all>] [<my>] [<open>] <todos> [from {docs}|across {docs}|in {docs}|everywhere]"},
	{Request{Kind: CollectTodos}, "<make> {file} (with|containing|of|listing|that lists|from) [<all>] [<my>] [<open>] <todos> [from {docs}|across {docs}|in {docs}|everywhere]"},
	{Request{Kind: ListTodos, Done: true}, "(<show>|what are|which are|find|what|which) [<all>] [<my>] <done> <todos> [do i have|are there|have i] [<in> {docs}|<wherever>|i have]"},
	{Request{Kind: ListTodos, Done: true}, "(what|which) [of] [<my>] <todos> (are|have been|have i|did i) <done> [already] [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos, Done: true}, "what have i (done|finished|completed) [so far|already] [<in> {docs}]"},
	{Request{Kind: ListTodos}, "(<show>|what are|which are|find|what's on|what is on|read|what|which|what other|are there|do i have|have i got|is there) [a] [<all>] [<my>] [<open>] <todos> [do i [still] have|are there|are [still] <open>|are left|remain|i have|that are [still|not] (<open>|<done>)] [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos}, "(what|which) [<open>] <todos> (does|do|are in|is in|has) {docs} [have|contain] [left]"},
	{Request{Kind: ListTodos}, "what [else] (do i [still] (have|need) to do|is [still] left to do|should i do|needs to be done|is left|remains to be done|still needs to be done|is there to do|'s left to do) [<in> {docs}|<wherever>|today|next|still]"},
	{Request{Kind: ListTodos}, "(do i have|is there) (anything|something) [left] (to do|open) [<in> {docs}]"},
	{Request{Kind: ListTodos}, "(what's|what is|whats) [still] (open|unfinished|outstanding|pending|not done|undone) [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos}, "what's [still] left [to do] [<in> {docs}|<wherever>]"},
	{Request{Kind: ListTodos}, "(what|which) (is|things are) [still] (open|unfinished|outstanding|pending|not done) [<in> {docs}|<wherever>]"},

	{Request{Kind: Untick, Select: Selection{All: true}}, "(untick|uncheck|unmark|un-tick|un-check|reopen) (everything|(all|every|each) [of] [<my>] [<done>] <todos>) [(in|on|of|from) {docs}]"},
	{Request{Kind: Untick, Select: Selection{All: true}}, "(mark|set) (everything|(all|every|each) [of] [<my>] [<done>] <todos>) [(in|on|of|from) {docs}] (as|to) (not <done>|undone|open|incomplete|unfinished|pending)"},
	{Request{Kind: Untick}, "(untick|uncheck|unmark|un-tick|un-check|reopen) the {nth} [<done>] <todo> [(in|on|from|of) {doc}]"},
	{Request{Kind: Untick}, "(mark|set|flag|make) the {nth} [<done>] <todo> [(in|on|from|of) {doc}] [as|to] (not <done>|undone|open|incomplete|unfinished|pending)"},
	{Request{Kind: Tick}, "(mark|set|flag|make) the {nth} [<open>] <todo> [(in|on|from|of) {doc}] [as|to] [be] <done> [(in|on|of) {doc}]"},
	{Request{Kind: Tick}, "(tick|tick off|check|check off|cross off|strike off|complete|finish) [off] the {nth} [<open>] <todo> [off] [(in|on|from|of|off) {doc}] [off]"},
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
	{Request{Kind: Tick}, "(check off|tick off|cross off|tick|strike off|complete the|check the|finish the|complete|check off the box for|(tick|check) the (box|checkbox) (for|next to|of|beside)|tick off the) [the] [<todo>] {text} (in|on|from|off|of) {docs}"},
	{Request{Kind: Tick}, "(check off|tick off|cross off|tick|strike off|(tick|check) the (box|checkbox) (for|next to|of|beside)) [the] [<todo>] {text}"},
	{Request{Kind: Tick}, "(check|complete|finish) [the] <todo> {text} [off]"},
	{Request{Kind: Tick}, "(check|complete) {quote} [(in|on) {docs}]"},
	{Request{Kind: Tick}, "(check|tick|cross|strike) [the] [<todo>] {text} off (in|on|from|of|my|the) {docs}"},
	{Request{Kind: Tick}, "(check|tick|cross|strike) [the] [<todo>] {text} off [my list|the list]"},

	{Request{Kind: AddTodo}, "(<add>|create|make|new|start|set|give me|i need) [<a>] [new|open] <newtodo> [item] (to|in|into|on|at the end of) {docs} (:|to|saying|that says|called|which says|with the text|named) {text}"},
	{Request{Kind: AddTodo}, "(<add>|create|make|new|start|set|give me|i need) [<a>] [new|open] <newtodo> [for me] [to|saying|that says|called|for|which says|about|with the text|named|that reads] {text} (to|in|into|on|at the end of) {docs}"},
	{Request{Kind: AddTodo}, "(<add>|create|make|new|start|set|give me|i need) [<a>] [new|open] <newtodo> [for me] [to|saying|that says|called|for|which says|about|with the text|named|that reads] {text}"},
	{Request{Kind: AddTodo}, "(<add>|create) [the following|these|some|two|three|four|five|several|a few|a couple of|the] [new] <todos> (to|in|into|on) {docs} : {text}"},
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
	{Request{Kind: Daily}, "(log|record) that {text}"},
	{Request{Kind: Daily}, "(daily note|today's note|journal entry)"},
}
