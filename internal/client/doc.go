// Package client talks to a server of Redline.
//
//	               HTTP: sessions, jobs, reviews, turns
//	Client ─────────────────────────────────────────────▶ server
//	   │           SSE: the events of a job
//	   └─ Converse
//	         │     WebSocket: commands ▶, ◀ events of a session
//	         ▼
//	   Conversation: what the terminal and the JSONL talk to
//
// The server may be one that runs somewhere, by its URL; one of the same user on the
// same folder, by its unix socket; or one in the same process, by a listener in memory.
// What it refuses comes back as a [wire.Error], in its words.
package client
