// Package workspace is the only door to the user's folder: it names, reads, lists, watches and replaces files below one root, and nothing else.
//
// # Two steps to a file
//
// A name that comes from a person or a model is a string. [Folder.Resolve]
// turns it into a [Path]: it checks the spelling, applies the [Policy] of the
// caller, follows symbolic links inside the folder, and applies the policy
// again to where they lead. Every other method takes a Path and follows no
// link at all, in any component:
//
//	"journal/today.md"                    a string from outside
//	      │  Resolve: spelling, policy, links, policy
//	      ▼
//	Path{journal/2026-03-14.md}           inside, no link, allowed
//	      │  Read, Create, Replace, Move…: no link followed,
//	      ▼  one open directory per component
//	bytes on disk
//
// Whoever swaps a file for a link between the two steps gets an error, not a
// file: there is no moment at which a checked name can lead elsewhere.
//
// # Writing
//
// A file is replaced by writing a temporary file beside it and renaming that
// into place; it is never truncated. Where the system can exchange two names
// in one step, what came out of the place is compared with what the caller
// expected there, and put back if it is something else: nothing that another
// program wrote is overwritten unseen. Nothing is deleted: [Folder.Trash] moves.
package workspace
