// Package server is the HTTP face of the engine.
//
//	request ── Guard: host · origin · token · type and size of the body ── routes ── engine
//
// Whoever sends a request has to show a token, whatever address it comes from. A page
// of another site that makes a browser send one is told by its Host or its Origin,
// also if it has guessed the port; see [Guard].
package server
