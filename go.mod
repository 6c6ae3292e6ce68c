module redline

go 1.26.0

require (
	// globs for paths and the patterns of ignore files
	github.com/bmatcuk/doublestar/v4 v4.10.4
	// watching the folder on every platform
	github.com/fsnotify/fsnotify v1.10.1
	// tests: readable differences
	github.com/google/go-cmp v0.7.0
	// zstd for stored contents
	github.com/klauspost/compress v1.20.1
	// migrations of the database
	github.com/pressly/goose/v3 v3.29.0
	// flock, renameat2, openat without following links, extended attributes
	golang.org/x/sys v0.49.0
	// Unicode normalisation of file names
	golang.org/x/text v0.43.0
	// tests: txtar archives
	golang.org/x/tools v0.52.0
	// the database, in Go alone, so that nothing has to be installed
	modernc.org/sqlite v1.61.0
	// the diff algorithm under internal/diff
	znkr.io/diff v1.0.1
)

require (
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mfridman/interpolate v0.0.2 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/sethvargo/go-retry v0.5.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
