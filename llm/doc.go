// Package llm is the vocabulary of talking to language models.
//
// A [Message] is made of blocks: text, thinking, images, documents, tool calls
// and tool results. A [Provider] answers a [Request] with a stream of events:
//
//	start
//	├─ thinking_start  thinking_delta…  thinking_end
//	├─ text_start      text_delta…      text_end
//	├─ toolcall_start  toolcall_delta…  toolcall_end      any number, may overlap
//	│
//	├─ restart   (what was said is void, it begins anew; from a retry or a router)
//	├─ route     (which model answers, and why; from a router)
//	│
//	done         stop reason, usage, cost, latency, failure
//
// A [Builder] puts them together again, and [PartialJSON] reads the arguments
// of a call while they arrive. Failures of a model are data: the last event of
// a stream carries a [Failure], sorted by what can be done about it.
//
// One package below this one speaks each wire protocol; [Emit] gives all of
// them the same stream, [Adapt] lets any of them continue a conversation that
// another one began, [Endpoint] is how they reach their server, and [Retry]
// asks again when that makes sense.
package llm
