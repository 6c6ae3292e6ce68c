# The commands of this repository. `make help` lists them.

BIN := bin

# What the tests compare with, as command:package. They are installed with
# apt-get where they are missing.
TEST_NEEDS  := git:git patch:patch diff:diffutils rg:ripgrep bash:bash curl:curl
BENCH_NEEDS := $(TEST_NEEDS)

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

FUZZTIME ?= 10m

.PHONY: help build run test check bench fuzz long
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the program, as bin/redline
	go build ./...
	go build -o $(BIN)/redline ./cmd/redline

run: build ## the main job on a copy of examples/notebook: ask, see, take back
	@tools/demo $(BIN)/redline examples/notebook

test: ## everything that CI runs, from a fresh clone; installs what it needs
	@tools/need $(TEST_NEEDS)
	go build ./...
	go vet ./...
	go test ./...

check: ## format, vet, staticcheck, race detector, builds for other systems
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not gofmt-clean:" $$unformatted; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	@tools/need $(TEST_NEEDS)
	go test -race -short ./...
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go build ./...
	GOOS=darwin go build ./...

bench: ## ratios against git, diff, ripgrep, a plain reader and other agents, in one run
	@tools/need $(BENCH_NEEDS)
	go build -o $(BIN)/bench ./bench
	$(BIN)/bench

fuzz: ## every fuzz target for FUZZTIME (10m) each
	tools/fuzz $(FUZZTIME)

long: ## the long forms of tests: 1,000 kills, 1,500 random stories for each law
	REDLINE_KILLS=1000 REDLINE_LAWS=1500 go test -timeout 90m -v -run 'TestKill|TestLaw' ./internal/ledger
