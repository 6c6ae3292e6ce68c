// Package session is what stands between a model's call and a tool: modes, rules, approvals, limits and audit.
//
// [Guard] puts layers around every tool of a set:
//
//	model's call ─▶ tool.Run ─▶ found, arguments valid ──┐
//	                   │                                 ▼
//	    unknown, invalid, too late       ┌─ audit ──── one line for every call ────────────────┐
//	                   │                 │ ┌─ limits ── counted, or refused by name ─────────┐ │
//	                   ▼                 │ │ ┌─ plan ── of a request that waits for a yes ─┐ │ │
//	           audit, counted            │ │ │ ┌─ permission ── mode, rules, the user ───┐ │ │ │
//	                                     │ │ │ │ ┌─ run ── approval, duration, rate ───┐ │ │ │ │
//	                                     │ │ │ │ │            t.Execute                │ │ │ │ │
//	                                     │ │ │ │ └─────────────────────────────────────┘ │ │ │ │
//	                                     │ │ │ └─────────────────────────────────────────┘ │ │ │
//	                                     │ │ └─────────────────────────────────────────────┘ │ │
//	                                     │ └─────────────────────────────────────────────────┘ │
//	                                     └─────────────────────────────────────────────────────┘
//
// The audit is outermost, because a call that was refused is a line too. Limits
// come before permission: nobody is asked about a call that could not run anyway.
// The time that a person takes to answer is not part of the duration. The plan is
// there if the request wants it ([Message].Confirm): the first call that is not
// read-only waits until the user has agreed to go on. A yes is for the whole request
// and is no approval; other words are told to the model.
//
// # Who decides
//
//	mode         a call that changes something                   its context is approved
//	autonomous   runs                                            yes
//	supervised   asks first if it is destructive, changes more   if the user said yes
//	             than Bulk files, or the path policy wants it
//	restricted   is not offered to the model                     –
//	custom       as the rules say; where none speaks, as         if the user or a rule
//	             supervised                                      said yes
//
// Under a staged review ([ledger.Hunks], [ledger.WholeTurn]) the review is the
// approval: what would be asked runs, approved, and only a rule that denies still
// holds. Nobody is asked twice.
//
// A user who says no ends the run with [tool.Cancelled]. With nobody to ask, the
// run ends with [Unattended]. What a rule denies is told to the model, which goes
// on.
//
// # Which rule wins
//
// A [Rule] has a glob of tools and a glob of paths, each of which may be left out.
// For every path that the call touches, the first rule of the most specific kind
// that matches decides:
//
//  1. rules with a tool and a path
//  2. rules with a path alone
//  3. rules with a tool alone
//  4. rules with neither
//
// The strictest of these verdicts is that of the call: deny over ask over allow. A
// path of which no rule speaks counts as supervised would have it, so that an
// allowed file in a bulk does not allow the rest. A call that touches no path
// knows kinds 3 and 4 only.
//
// A tool that is not read-only and cannot tell its paths (see [Toucher]) may touch
// any. A rule for some paths that denies then asks, under a staged review too,
// because nobody knows whether it is meant; a rule for path "**" decides as usual.
//
// A path that is denied to all tools is closed: it is not read, listed or found
// either ([Rules.Closes]). Other rules with a path are about changes. One for a
// tool that only reads could not be kept, and is refused.
//
// # Limits
//
// By the names of the configuration, with their defaults; – is none:
//
//	                          documents  project  tabs   vault  coding
//	maxActionsPerRequest      20         –        –      –      –
//	maxIterations             10         –        20     10     –
//	max_tool_calls_per_job    –          12       –      –      –
//	max_schema_retries        5          5        5      5      5
//	maxTokensPerIteration     4000       4000     4000   4000   –
//	temperature               0.7        0.7      0.7    0.7    –
//	bulk                      10         10       10     10     10
//	maxDestructivePerMinute   20         20       20     20     –
//	wallTime                  30m        30m      30m    30m    2h
//
// An action is a call of a tool that is not read-only: reading many documents to
// sort them is one request, and what may run away is writing. The steps and the
// model's tokens, calls and time are kept by the agent ([Limits.Agent]); actions
// and the destructive rate are kept here, and calls and time as well if there is
// no agent ([Config.Alone]). tabs has twice the steps of documents, as long
// documents are read piece by piece. maxDestructivePerMinute counts the files of
// destructive calls in the last minute; while it is used up further ones are
// refused and the model goes on. A single call may be larger than the rest of it:
// a folder of 30 files is deleted at once, and nothing more for a minute. coding
// has only the time, as its work is long and its shell cannot tell what it deletes.
//
// # What a request brings with it
//
// A [Message] is told to the model behind the document that is open and the context
// rows that the user has picked, as data between tags:
//
//	Current document: "notes/a.md"
//	Current document context:
//	<document>
//	…
//	</document>
//
//	Context that the user has picked. …
//	<context id="c1" kind="selection" file="notes/b.md" lines="3-4 of 9">
//	…
//	</context>
//	<context id="c2" kind="file" file="notes/c.md" problem="…">
//	</context>
//
//	User request: …
//
// An end tag inside of data is written <\/…, so that [Requested] finds the words of the
// user again whatever they came with. Rows of files are read anew for every request.
// Attachments are blocks of their own behind it.
//
// # Where a session stands
//
// A [Session] moves between few states, by a table (state.go). One that has asked the
// user something is WaitingForUser and tells what for ([Waiting]): in the middle of a
// run it wants an answer (Clarify), otherwise the next message is the answer. All of
// it is read off what was said ([Recall], [OpenQuestion], [AsksFor]), and is therefore
// the same in the next program.
package session
