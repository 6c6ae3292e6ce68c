// Package ops is every operation on documents, once.
//
// A [Desk] is a folder as one turn works on it: what it reads has the turn's own
// changes in it, and what it writes belongs to the turn, staged or on the disk as
// its review says. Names come from models and are checked by the policy; errors
// are of one type, [Error], with a code of one table, [Facts].
//
//	tool contract → Desk → ledger.Turn → workspace → disk
//	                 ├── search
//	                 └── outline (headings, links)
package ops
