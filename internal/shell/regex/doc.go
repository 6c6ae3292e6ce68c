// Package regex is the regular expressions of POSIX and GNU tools.
//
// It reads the Basic and Extended patterns of grep and sed with the GNU
// operators, the Perl patterns of grep -P, and fixed texts, and finds what these
// tools find in a UTF-8 locale: of the matches that begin first the longest, or
// with Perl the first in the order of the alternatives.
//
//	Basic, Extended ─┐
//	Perl ────────────┼─▶ nodes ─▶ program ─▶ automaton    is there a match, where does it end
//	Fixed ───────────┘     │         │   ╰─▶ threads      the same, when tries take too long
//	                       │         ├─────▶ groupFinder  what did the groups match
//	                       ▼         ╰─────▶ tracker      references, look-around
//	                     needle, a text that is wherever a match is
//
// A search first looks for the needle, which most texts do not have. The automaton
// is deterministic; its states are made when they are first reached, kept between
// searches and forgotten when they are too many. It works on characters, of which
// those that the pattern does not tell apart are one letter. A byte that is no part
// of a character matches only itself: neither a dot nor [^a].
//
// # Limits
//
// The automaton and the threads read a text a bounded number of times. References
// and look-around need the tracker, which tries every way and can take time
// exponential in the text. Each search has a number of steps; one that runs out
// of them counts as not matching and [Regexp.Err] says so from then on. An
// interval goes up to 32767, as in GNU, as long as the whole pattern, written
// without intervals, has no more than some 500,000 parts.
//
// # Differences from GNU
//
// The groups are those of glibc: of all ways to make the longest match the first
// in order, which is not always what POSIX asks. Where a repeated part can match
// nothing, as in (a*){2,3}, what its groups hold can differ.
//
// grep -o -w with a pattern that can end in the middle of a word sometimes misses
// a match that this package finds. A range of characters beyond ASCII, as
// [à-ü], goes by their code points. An operator at the start of an Extended
// pattern, which grep warns of, is passed over without a warning.
//
// Perl has what regexp of the standard library has, and besides look-around, \K,
// references by number, \h, \R, \N and comments. A look-behind need not have one
// length but goes back 1024 bytes at most. Possessive quantifiers, atomic groups,
// recursion, conditions, verbs, named references and groups inside a look-around
// are errors that say so.
package regex
