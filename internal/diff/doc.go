// Package diff compares documents by line, sentence and word, applies and merges what it found, and reads and writes unified patches.
//
// # Changes
//
// A diff is a list of [Change]: lines A of the old document are replaced by
// lines B of the new one. Everything between two changes is equal, byte for
// byte, terminators included.
//
//	     old                      new
//	0  ┌────────────┐          0 ┌────────────┐
//	   │ # Title    │ ──────────▶│ # Title    │
//	1  ├────────────┤          1 ├────────────┤
//	   │ red fox    │            │ grey fox   │
//	2  ├────────────┤ Change 0   │ brown bear │   A [1,2) → B [1,3)
//	   │            │ ──────────▶├────────────┤ 3
//	3  ├────────────┤            │            │
//	   │ lost line  │ Change 1   ├────────────┤ 4 A [3,4) → B [4,4)
//	4  ├────────────┤ ──────────▶│ the end    │
//	   │ the end    │            └────────────┘ 5
//	5  └────────────┘
//
// The changes of one diff are sorted and never overlap, so any subset of them
// applies: all of them make the new document, none leaves the old one. [Lines]
// finds them, [Apply] applies them, [Split] makes large ones smaller, [Map]
// tells where a line went, [Touching] which changes of two diffs meet.
//
// # How lines are compared
//
//	bytes ──▶ trim ──▶ ids ──▶ drop ──▶ anchors ──▶ gaps ──▶ slide ──▶ changes
//
// Equal bytes at both ends are cut off by comparing memory. Each distinct line
// left becomes a small number, so that everything behind works on numbers.
// Lines that only one document has are changes without further ado. Long
// documents are then cut at lines that both have exactly once and in the same
// order, and only the gaps between these anchors are searched for a shortest
// edit script, by znkr.io/diff. A gap too long for that is searched window by
// window, so no input takes quadratic time. Last, changes that could as well
// sit some lines higher or lower slide to where a person expects them.
//
// Words go the same way, twice: first whole sentences, then the words inside
// sentences that resemble each other. See [Words].
//
// # Three documents
//
// [Merge3] reduces each side to regions outside of which every shortest edit
// script agrees. Regions of both sides that do not touch are merged; regions
// that touch are a conflict, unless both sides made the same of them. A merge
// is therefore never clean by the luck of one alignment among several.
package diff
