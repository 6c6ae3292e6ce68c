module redline

go 1.26.0

require (
	// Anthropic Messages
	github.com/anthropics/anthropic-sdk-go v1.84.0
	// awk of the staged shell
	github.com/benhoyt/goawk v1.31.0
	// globs for paths and the patterns of ignore files
	github.com/bmatcuk/doublestar/v4 v4.10.4
	// WebSocket of the server and the client
	github.com/coder/websocket v1.8.15
	// tests: a terminal for the console
	github.com/creack/pty v1.1.24
	// routes with types, checking of requests, and OpenAPI 3.1 from them
	github.com/danielgtaylor/huma/v2 v2.39.0
	// watching the folder on every platform
	github.com/fsnotify/fsnotify v1.10.1
	// YAML of scripted models, with positions in errors
	github.com/goccy/go-yaml v1.19.2
	// tests: readable differences
	github.com/google/go-cmp v0.7.0
	// schemas of tools from Go types, and checking arguments against them
	github.com/google/jsonschema-go v0.4.3
	// ids of sessions
	github.com/google/uuid v1.6.0
	// zstd for stored contents
	github.com/klauspost/compress v1.20.1
	// OpenAI Chat Completions and Responses
	github.com/openai/openai-go/v3 v3.90.0
	// TOML of the configuration, with the lines of its keys
	github.com/pelletier/go-toml/v2 v2.3.1
	// migrations of the database
	github.com/pressly/goose/v3 v3.29.0
	// tests: scripts that run the program as real processes
	github.com/rogpeppe/go-internal v1.15.0
	// the command line
	github.com/spf13/cobra v1.10.2
	// the block structure of Markdown: headings, code, links
	github.com/yuin/goldmark v1.8.7
	// flock, renameat2, openat without following links, extended attributes
	golang.org/x/sys v0.49.0
	// line editing and the size of a terminal
	golang.org/x/term v0.47.0
	// Unicode normalisation of file names
	golang.org/x/text v0.43.0
	// tests: txtar archives
	golang.org/x/tools v0.52.0
	// the database, in Go alone, so that nothing has to be installed
	modernc.org/sqlite v1.61.0
	// the grammar and interpreter of the staged shell
	mvdan.cc/sh/v3 v3.14.1
	// the diff algorithm under internal/diff
	znkr.io/diff v1.0.1
)

require (
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/buger/jsonparser v1.1.2 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/invopop/jsonschema v0.14.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mfridman/interpolate v0.0.2 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/pb33f/ordered-map/v2 v2.3.1 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/sethvargo/go-retry v0.5.0 // indirect
	github.com/spf13/pflag v1.0.10 // indirect
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1 // indirect
	github.com/tidwall/gjson v1.19.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel v1.47.0 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.opentelemetry.io/otel/metric v1.47.0 // indirect
	go.opentelemetry.io/otel/trace v1.47.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.yaml.in/yaml/v4 v4.0.0-rc.2 // indirect
	golang.org/x/sync v0.24.0 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
