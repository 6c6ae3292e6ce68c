//go:build !linux

package redline

// confinement is what there is to confine commands with, and whether it works.
func confinement() (text string, ok bool) {
	return "commands cannot be confined on this system", false
}
