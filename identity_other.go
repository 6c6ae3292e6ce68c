//go:build !linux

package redline

// identity is what stays the same about a folder. Here it is only its path.
func identity(folder string) (string, error) { return "path " + folder, nil }
