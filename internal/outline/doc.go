// Package outline finds the structure of a document.
//
// A document is Markdown as CommonMark defines it, with the tables and
// footnotes of GitHub, the wikilinks of Obsidian, and front matter:
//
//	---                          front matter: no heading, no Markdown link;
//	up: "[[Home]]"               a wikilink in quotes is a link
//	---
//	# Winter                     heading: level 1, lines 4 to 9
//	See [[Heaters#Prices|them]]  wikilink: target "Heaters", anchor "Prices"
//	and [the rule][r].
//	## Costs                     heading: level 2, lines 7 to 9
//	`[[code]]`                   code: nothing in it is a link
//	[r]: ../rules.md#repairs     definition: target "../rules.md"
//
// A [Link] knows the exact bytes of its target, so that these can be replaced
// and no other byte is touched; [Link.Spell] writes another target the way the
// link wants it.
package outline
