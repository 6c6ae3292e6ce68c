package offline

// classes are patterns with a name, for use in others.
var classes map[string]string

func loadClasses() {
	classes = map[string]string{
		"a":    "a|an|another|one|the|my|our|some",
		"my":   "the|my|our|your|these|those|that|this|of the|of my|of our|of these|of those",
		"all":  "all|every|each|any|all of|every single|each and every",
		"note": "note|document|doc|file|page|entry|memo|[blank|empty|plain] (markdown|text|md) (file|note|document|doc)|notebook page",
		"notes": "notes|note|documents|document|docs|doc|files|file|pages|page|entries|entry|memos|memo|" +
			"(markdown|text|md) (files|file|notes|documents|docs)",
		"plural": "notes|documents|docs|files|pages|entries|memos",
		"folder": "folder|directory|subfolder|dir|sub-folder|subdirectory",
		"called": "called|named|titled|entitled|with [the] (title|name|filename|file name|heading)|by the name of|and (call|name|title) it",
		"make":   "create|make|add|write|start|new|generate|begin|set up|draft|prepare|build|produce|give me|i need|i want|i would like|i'd like|let me have|set me up with|create for me|make me|create me|start me",
		"create": "create|make|new|generate|set up|prepare|make me|create me|give me|i need|i want|i'd like|i would like|create for me",
		"begin":  "create|make|add|start|new|begin|set up|give me|i need|i want|i'd like|i would like|make me|create me|start me|create for me|let me have|open up",
		"these":  "(the|this) following|this|these|the following (text|line|lines|content|items|bullet points|bullets|points|paragraph|sentence|entry|entries|item|list|todos|tasks|note)|this (text|line|paragraph|sentence|item|entry|content)|these (lines|items|entries|sentences|todos|tasks)|the (text|line|lines) below",
		"with": "with|containing|that (says|contains|reads|has|includes)|which (says|contains|reads|has)|saying|says|including|" +
			"(and|to) (put|write|add|include) [in it]|whose (content|text) is|and [with] [the] (content|text|contents|body) [of|being]",
		"add":  "add|append|put|insert|write|attach|stick|include|paste|place|log|note|record|save|jot down|jot|type|enter|tack on|tack|drop|copy|throw in|pop",
		"end":  "end|bottom|very end|tail",
		"top":  "top|beginning|start|very top|very beginning|very start|front|head",
		"in":   "in|inside|within|of|from|for|on|across|throughout|through|into",
		"word": "word|words|phrase|text|term|string|sentence|line|expression|spelling|title|heading|typo|misspelling",
		"mention": "mention of|mentions of|occurrence of|occurrences of|instance of|instances of|reference to|references to|" +
			"use of|uses of|usage of|appearance of|appearances of|case of",
		"wherever": "everywhere|globally|all over|(throughout|across|all over|in) (the|my|this|our|all of the) [whole|entire] (project|book|manuscript|story|series|codebase)|in every place|wherever it (appears|occurs)|throughout|across the board|everywhere in {docs}|" +
			"(in|inside|within|across|throughout|through|all over|all through) {docs}",
		"being": "character|person|protagonist|hero|heroine|figure|man|woman|girl|boy|city|town|village|place|country|" +
			"location|island|company|name|guy|dog|cat|river|main character",
		"remove":  "remove|delete|erase|strip|cut|take out|drop|get rid of|take|clear|cross out|throw out|eliminate|omit",
		"delete":  "delete|remove|trash|erase|discard|bin|get rid of|throw away|throw out|destroy|wipe|dump|dispose of|purge|permanently delete|permanently remove|delete permanently",
		"todo":    "todo|to-do|to do|task|todo item|to-do item|to do item|action item|checkbox|action|item|checklist item|chore|todo entry",
		"newtodo": "todo|to-do|to do|task|todo item|to-do item|to do item|action item|checkbox|checklist item|chore|todo entry|reminder",
		"todos": "todos|to-dos|to dos|tasks|todo items|to-do items|to do items|action items|checkboxes|checklist items|chores|" +
			"todo|to-do|task|action item|todo's|to-do list|todo list|to do list|task list|unchecked items|unticked items|checked items",
		"open":    "open|unfinished|outstanding|pending|remaining|incomplete|undone|unchecked|unticked|uncompleted|active",
		"done":    "done|completed|complete|finished|checked|ticked|closed|checked off|ticked off|crossed off",
		"section": "section|heading|header|chapter|subsection|subheading|part|headline|paragraph titled|paragraph called",
		"show":    "show me a list of|give me a list of|get me a list of|show a list of|show|show me|display|print|view|see|let me see|give me|get|get me|tell me|list|list me|pull up|bring up|output|give us",
		"organise": "organise|organize|sort|group|arrange|categorise|categorize|file|structure|tidy|tidy up|classify|" +
			"restructure|reorganise|reorganize|sort out|sort through|put|bring order to|clean up|move|separate|split|bucket|distribute|cluster|declutter",
		"stuff": "notes|files|documents|docs|pages|entries|everything|stuff|them|these|it|all|things|vault|workspace|notebook|" +
			"root folder|folder|root|root directory|mess|collection|library|knowledge base|note|directory|markdown files|text files|it all|them all|all of them",
		"loose": "loose|unsorted|unfiled|stray|scattered|uncategorised|uncategorized|unorganised|unorganized|messy|root-level|root|random|remaining|top-level|various",
		"topic": "topic|topics|subject|subjects|theme|themes|category|categories|content|contents|what they are about|project|area|type|what they're about|kind|tag|tags",
		"merge": "merge|combine|join|concatenate|consolidate|unite|fuse|put together|glue|glue together|stitch|stitch together|unify|bring together",
		"split": "split|split up|break|break up|divide|divide up|separate|chop|chop up|cut|cut up|break down|explode",
		"about": "about|on|regarding|concerning|mentioning|containing|referencing|discussing|related to|relating to|covering|" +
			"that (mention|mentions|contain|contains|talk about|talks about|reference|references|refer to|refers to|discuss|discusses|include|includes|are about|is about|deal with|say|says|have)|" +
			"which (mentions|contains|talks about|includes|has|says|mention|contain|talk about|reference|refer to|discuss|include|are about)|with|where (i|we) (mention|mentioned|wrote about|talk about|talked about)|mention|mentions",
		"verbsummary": "summarise|summarize|sum up|recap|condense|tldr of|tl;dr of|tldr|tl;dr|digest|outline briefly|give an overview of|give me an overview of",
		"summary":     "summary|overview|synopsis|gist|recap|tldr|tl;dr|short summary|brief summary|quick summary|brief overview|quick overview|rundown|digest",
		"copy":        "copy|duplicate|clone|make (a|one) (copy|duplicate) of|create (a|one) (copy|duplicate) of",
		"toc":         "table of contents|toc|contents table|list of contents|contents list|table of content|index of headings",
		"search":      "find|search|search for|look for|look up|locate|grep|grep for|hunt for|find me|seek|track down|query",
		"back":        "that|it|this|everything|all|all of it|all of that|the last change|the last changes|the last one|the last edit|the last action|your last change|your last changes|what you did|what you just did|those changes|these changes|the changes|your changes|all changes|all your changes|my last request|the last step|the last turn|the last thing [you did]|last change|the previous change|the deletion|the rename|the move|the edit",
	}
}
