package diff

import (
	"strings"

	"redline/internal/text"
)

// Patch is the unified patch of one file.
type Patch struct {
	// Old and New name the file before and after, as in "a/notes.md" and
	// "b/notes.md"; "/dev/null" is a file that does not exist. A patch without
	// names is printed as bare hunks.
	Old, New string
	Hunks    []Hunk
}

// NewPatch compares a and b with the usual context.
func NewPatch(oldName, newName string, a, b *text.Document) Patch {
	return Patch{Old: oldName, New: newName, Hunks: Hunks(a, b, Lines(a, b), Context)}
}

// Reverse is the patch that takes p back.
func (p Patch) Reverse() Patch {
	r := Patch{Old: p.New, New: p.Old, Hunks: make([]Hunk, len(p.Hunks))}
	for i, h := range p.Hunks {
		r.Hunks[i] = h.Reverse()
	}
	return r
}

// Append writes the patch to dst in a form that patch(1) and git apply accept.
// A patch without hunks is empty.
func (p Patch) Append(dst []byte) []byte {
	if len(p.Hunks) > 0 && (p.Old != "" || p.New != "") {
		dst = append(appendName(append(dst, "--- "...), p.Old), '\n')
		dst = append(appendName(append(dst, "+++ "...), p.New), '\n')
	}
	for _, h := range p.Hunks {
		dst = h.Append(dst)
	}
	return dst
}

// String is the printed patch.
func (p Patch) String() string { return string(p.Append(nil)) }

// appendName writes a file name the way git does, with a tab behind it if it holds
// a space, because patch(1) would end the name there.
func appendName(dst []byte, name string) []byte {
	quoted := Quote(name)
	dst = append(dst, quoted...)
	if quoted == name && strings.Contains(name, " ") {
		dst = append(dst, '\t')
	}
	return dst
}

// Quote writes a file name the way git does in patches: in quotes if it holds a byte
// that could be mistaken.
func Quote(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return name
	}
	dst := []byte{'"'}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			dst = append(dst, c)
		}
	}
	return string(append(dst, '"'))
}
