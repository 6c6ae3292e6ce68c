module redline

go 1.26

require (
	// globs for paths and the patterns of ignore files
	github.com/bmatcuk/doublestar/v4 v4.10.4
	// watching the folder on every platform
	github.com/fsnotify/fsnotify v1.10.1
	// tests: readable differences
	github.com/google/go-cmp v0.7.0
	// flock, renameat2, openat without following links, extended attributes
	golang.org/x/sys v0.41.0
	// Unicode normalisation of file names
	golang.org/x/text v0.31.0
	// tests: txtar archives
	golang.org/x/tools v0.42.0
	// the diff algorithm under internal/diff
	znkr.io/diff v1.0.1
)
