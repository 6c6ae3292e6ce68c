// Package outline finds the structure of a document.
package outline
