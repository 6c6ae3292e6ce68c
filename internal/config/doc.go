// Package config finds out what the user wants from files, the environment and flags.
//
// Every key is known to one table, [Keys]. The sources are heard in this order,
// and a later one wins:
//
//	defaults ─▶ ~/.config/redline/config.toml ─▶ .redline/config.toml ─▶ REDLINE_… ─▶ flags
//	                                              of the folder: what could
//	                                              hurt only if it is trusted
//
// What comes out knows of each value where it is from, and what the folder's
// file wanted in vain. Nothing is accepted and then ignored: an unknown key, a
// wrong type and a value without sense are errors that name the place.
package config
