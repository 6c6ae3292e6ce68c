// Package agent runs a model with tools until the work is done.
//
// An [Agent] holds a conversation: system prompt, model, tools, messages. Prompt
// adds a message and runs the loop:
//
//	            ┌──────────── steer, follow-up ───────────┐
//	            ▼                                         │
//	messages → compact → transform → llm.Provider → assistant message
//	            ▲                                         │ tool calls
//	            └──────────── tool results ◄── tools ◄────┘
//
// Everything that happens is an [Event]; docs/events.md draws their order. The
// loop itself touches no file, no network and no database: the model behind the
// [llm.Provider] and the tools do. Whether the provider calls a model directly
// or through a server that holds the keys (package llm/app) is all the same to it.
package agent
