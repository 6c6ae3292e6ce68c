// Package route chooses between a local and a remote model for every step.
//
// A [Router] is an [llm.Provider] that has two others behind it. In mode local
// or remote it always asks that one. In mode hybrid_auto a job starts with the
// local model and leaves it for the remote one when the local one proves unfit:
//
//	            ┌──────────── failed, attempts left: again
//	            ▼      │
//	new job ─▶ local ──┴─▶ remote ─▶ end of the job
//	                 what a job leaves for:
//	                   an ability that the local model lacks (images, tools)
//	                   a conversation larger than its context window
//	                   a step that takes too long
//	                   requests that fail, schemas that do not match: the Nth in a row
//	                   a refusal: asking again would change nothing
//	                   a proposal that did not pass the checks
//	                   tool calls used up without a result
//
// The first four are seen while a step runs, and the same step is answered by
// the remote model: what the local one said is void, which an EventRestart
// tells. The others are known to the one who runs the steps, who reports them
// with [Router.Observe]. Remote stays chosen until [Router.NewJob]. It never
// falls back to local: a remote failure ends the step, and says why remote was
// asked at all.
//
// Every step begins with an EventRoute that says which model answers and why,
// and every change within a step is told by another one.
package route
