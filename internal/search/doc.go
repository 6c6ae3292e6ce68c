// Package search finds files of a folder by their names and their lines.
package search
