// Package toolsettest plays readable cases through the tools of a toolset, on a real folder with a real ledger.
//
// A case is a txtar archive. Everything behind the calls is written by
// go test -update:
//
//	What the case shows, in a sentence or two.
//	-- before/notes/a.md --         the folder at the start
//	one
//	-- calls --                     one call a line: the tool's name and its arguments
//	read_document {"path":"notes/a.md"}
//	!write notes/a.md "another text\n"
//	edit_document {"path":"notes/a.md","operation":"append","content":"two"}
//	-- results --                   what each call returned
//	> 1 read_document {"path":"notes/a.md"}
//	ok {"path":"notes/a.md","content":"one\n"}
//	| one
//	-- after/notes/a.md --          the folder at the end
//	another text
//	-- ledger --                    what the turn changed: kind, path, hunks
//	turn 1, optimistic, empty
//
// Of a result the first line is the canonical result, behind "ok" or "failed";
// the lines with a bar are what the model reads. What the tool says of the call
// beforehand stands above: destructive, asks, the paths that it would touch.
//
// Files whose bytes a text file cannot show have " (quoted)" behind their name
// and hold Go strings, one for each line. A name with a slash at its end is an
// empty folder; "link.md -> a.md" is a symbolic link.
//
// Lines of the calls that begin with "!" are done by the harness. Words with
// blanks are quoted; text is always a Go string:
//
//	!review hunks            the review of the case; only as the first line
//	!write PATH TEXT         another program writes
//	!fill PATH N TEXT        the same, N times the text
//	!chmod PATH 0444         another program changes the mode
//	!remove PATH             another program deletes
//	!open PATH               the user has this document open
//	!approve                 the user agrees to the next call beforehand
//	!answer TEXT             what the user will answer to the next question
//	!cancel                  the context of the next call has ended
//	!turn                    the turn ends and another begins
//
// In arguments $FOLDER is the folder's absolute name, and $hash(PATH) or
// $hash(PATH:2-3) is the hash of a document or of some lines as the turn sees
// it. In results hashes are numbered: <hash 1> is the same one everywhere.
//
// What a tool says beforehand is compared with what it then does: one that only
// reads changes nothing, one that tells which paths it touches changes no others,
// and if it cannot tell them, its error is that of the call.
//
// When a case has been compared, its turns are undone, or rejected where
// nothing reached the disk, and the folder has to be what it was before; unless
// another program wrote.
//
// [Story] tells the same story through every toolset and every review.
package toolsettest
