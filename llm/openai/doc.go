// Package openai speaks the two protocols of OpenAI: Chat Completions and Responses.
//
// Chat Completions is also what most other servers speak, each in its own way.
// Their habits are data: [NewChat] finds them in a table by the dialect of the
// model, or by its provider, and treats a server that is not in the table as
// plainly compatible.
//
//	llm.Request ─ Adapt ─ dialect ─→ parameters of the SDK ─→ POST
//	llm.Event   ←─ Emitter ←─ decoder of the protocol ←─ server-sent events
//
// The SDK carries requests and splits the answer into events; the events are
// decoded here, which is several times faster and does not trip over the fields
// of other servers. The SDK's own retries are off, and nothing is read from the
// environment: the key, the organisation and the base URL are those of the
// [llm.Endpoint] alone.
//
// The limit of an answer is raised by what may be thought, which OpenAI counts
// as part of it.
//
// A refusal, which OpenAI streams apart from the text, becomes text with the
// stop reason content_filter.
package openai
