package staged

import (
	"path/filepath"
	"strings"

	"redline/internal/shell/tree"
)

// What a command works on, for those who run one.
type (
	Base   = tree.Base
	Tree   = tree.Tree
	Effect = tree.Effect
)

// What is at the name of an effect.
const (
	None  = tree.None
	Plain = tree.Plain
	Dir   = tree.Dir
	Link  = tree.Link
)

// The limits of what one command changes.
const (
	MostBytes = 64 << 20 // that it writes to files
	MostFiles = 50_000   // and folders that it changes
)

// NewTree mounts a folder for one command, with these limits. root is its absolute
// name; one that begins with the letter of a drive is mounted below that letter.
func NewTree(base Base, root string) *Tree {
	root = filepath.ToSlash(root)
	if !strings.HasPrefix(root, "/") {
		root = "/" + strings.Replace(root, ":", "", 1)
	}
	return tree.New(base, root, tree.Options{Limit: MostBytes, Most: MostFiles})
}
