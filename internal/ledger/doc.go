// Package ledger owns every change to the user's folder: it stages, reviews, writes, undoes and remembers them.
package ledger
