// Package jsonl keeps conversations in session files, one JSON object a line.
//
// A session file only ever grows: first a line about the session, then one line
// for each message. One process writes to it, any number read it.
//
//	Create ── Append… ── Close        the file appears with the first message
//	Resume ── Append… ── Close        what a crash left is repaired first
//	Read, List, Latest, Find          never wait for a writer, change nothing
//	Fork                              a new file with the messages up to one
//	Markdown, HTML                    a transcript for people
//
// docs/sessions.md has the format and the rules.
package jsonl
