module redline

go 1.26

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.14.1
	golang.org/x/sys v0.41.0
	golang.org/x/text v0.31.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/sabhiram/go-gitignore v0.0.0-20210923224102-525f6e181f06 // indirect
	golang.org/x/tools v0.42.0 // indirect
	znkr.io/diff v1.0.1 // indirect
)
