// Package search finds files of a folder by their names and their lines.
//
// A pattern, a text or a regular expression, is looked for line by line. What it
// finds is what package regexp finds in each line; which files it looks at is
// what a walk of the workspace shows, with the changes over it that are not on
// the disk. Ripgrep finds the same lines in the same files, with these
// differences, which are meant:
//
//   - \w, \d, \s and \b are about ASCII, as everywhere in Go. Whole words are
//     those of any script.
//   - A carriage return before a line feed belongs to the end of the line.
//   - A glob to include does not bring back what an ignore file hides, and one to
//     exclude wins over it.
//   - A file is binary by its first 8 KB, and UTF-16 is not searched.
//
// Most texts have no match, and most of the work is to find that out:
//
//	pattern ──► expression ──┬─► needles: texts one of which every match holds
//	                         └─► program ──► dfa: a table, built as it is needed
//
//	bytes of a file ──► next needle ──► its line ──► dfa ──► does the line match?
//	        │  (no needles, or too many)              ▲
//	        └─────────────────────────────────────────┘
//
//	matching line ──► regexp: where in it ──► hit, with the lines around it
//
// Needles are found with the vector instructions behind bytes.IndexByte, by the
// byte of them that is most seldom met. The automaton reads a byte in a few
// processor cycles. Lines are not looked for before something matches in them.
package search
