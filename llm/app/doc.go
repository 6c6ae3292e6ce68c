// Package app carries a conversation through a server that holds the keys.
//
//	client                        server                         model
//	──────                        ──────                         ─────
//	New(Endpoint) ── POST ──────▶ Handler(Config)
//	  token          /v1/stream     Authorise  token → account
//	  model's name                  Resolve    name → Provider, Model
//	  the request                   Quota      may refuse
//	                                Provider.Stream ── key ─────▶
//	  llm.Event ◀── one a line ──── llm.Event ◀──────────────────
//	                                Track      usage, cost, how it ended
//
// The client is an [llm.Provider] like any other. It sends its own token and
// the name of a model, never a key, an address or a price; the server has its
// own facts of the model. What comes back are the events of the server's
// provider, with the provider, protocol and model of the server in their reply:
// so a history made through the server can go on there, and with the same model
// elsewhere, with its signatures intact. The abilities in the client's
// [llm.Model] decide only what the client refuses to send.
//
// The server is a plain [http.Handler]. It answers a request that it cannot take
// with a status and
//
//	{"error": {"class": "rate_limit", "message": "…", "retry": true}}
//
// and all others with status 200 and events, the last of which may tell a
// failure of the model. A client that goes away ends the request to the model at
// once. Every request that reached a model is tracked exactly once, however it
// ended.
//
// The same server also answers in one piece, for programs that speak no events: see
// [ChatPath].
package app
