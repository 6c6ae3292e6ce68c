// Package console is the terminal and the JSONL in front of a conversation.
//
// It knows nothing of models, files or ledgers: it sends commands, hears events,
// and asks for decisions, all in the types of package wire.
//
//	                 Do(message)
//	Ask, Prompt ───────────────────▶ Conversation
//	     ▲   events, one by one           │
//	     └────────────────────────────────┘
//	         │ a question, an approval: the keyboard, if somebody is there
//	         │ the state says that the run is over
//	         ▼
//	      Review ──── Open, Split, Decide ────▶ Reviews
//
// There are three faces. With a terminal, text appears as it is written and
// everything goes to one screen. Without one, the answer alone goes to Out and
// the rest to Err, both without escape sequences, and nobody is asked. [JSON] is
// for programs.
//
// All that comes from models, files and names passes [Clean] before it is shown.
package console
