package offline

import "fmt"

const whatItIs = "I am the built-in model of Redline. I am not a language model: I understand a fixed set of requests in plain English, without a key and without the network."

const examples = `For example:
- create a note called Rome with "book a room"
- add "call Ana" to my todo list, or: tick "call Ana"
- insert "- Pantheon" under Sights in Rome
- replace colour with color everywhere, or: rename Anna to Anne everywhere
- move Rome to travel, or: organise my loose notes into folders by topic
- find "budget", list my notes, summarise Rome, which todos are open?`

const howToConfigure = "For anything else, connect a language model: redline --model provider/name, with its key in the environment (such as ANTHROPIC_API_KEY or OPENAI_API_KEY). `redline models` lists them, and `redline config` shows what is set."

func (w *work) unknown(q Request) string {
	if w.several {
		return fmt.Sprintf("I did not understand “%s”.", shortly(q.Text, 80))
	}
	return "I did not understand that, and changed nothing. " + whatItIs + "\n\n" + examples + "\n\n" + howToConfigure
}

func (w *work) help(Request) string {
	return whatItIs + "\n\n" + examples + "\n\n" + howToConfigure
}

func (w *work) thanks(q Request) string {
	said := "You are welcome."
	if q.What == "greeting" {
		said = "Hello."
	}
	return said + " I am here for your documents: say “help” to see what I can do."
}

func (w *work) undo(Request) string {
	return "I cannot undo by myself, but you can: `redline undo` takes back everything that the last request changed, and `redline log` shows what there is. Nothing was changed."
}

func (w *work) history(Request) string {
	return "I have no memory of what was done, but Redline keeps it: `redline log` lists what every request changed, `redline show` and `redline diff` show it line by line, and `redline undo` takes it back. Nothing was changed."
}

func (w *work) recent(Request) string {
	return "I cannot tell which documents are the newest: no tool that I have says when one was changed. I can go by the dates in names and in the front matter: list my notes from June 2026. `redline log` shows what was changed here."
}

func (w *work) nothingLeft(Request) string {
	return "There is nothing to go on with: nothing was left over. I changed nothing."
}
