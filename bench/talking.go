package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// talkingRows measure the tower that talks to models. Their work needs recorded
// answers and long conversations, which are in the tests: so it is their
// benchmarks that are run.
func talkingRows() []row {
	const limit = 100_000 / 25_000 * 1000 // 25,000 events a second, of 100,000
	decoding := func(name, pkg, bench string) row {
		return row{name: "llm: decode 100,000 events, " + name + " (in process)", ours: benchmark(pkg, bench, "1x"), limit: limit, runs: 3}
	}
	return []row{
		{name: "agent: one step, history of 200 messages (in process)", ours: benchmark("agent", "BenchmarkStep/200$", "2000x"), limit: 0.2, runs: 5},
		{name: "agent: one step, ten times the history (in process)", ours: benchmark("agent", "BenchmarkStep/2000$", "1000x"),
			anchorName: "200 messages", anchor: benchmark("agent", "BenchmarkStep/200$", "1000x"), limit: 15, runs: 5},
		decoding("Chat Completions", "llm/openai", "BenchmarkChat$"),
		decoding("Responses", "llm/openai", "BenchmarkResponses$"),
		decoding("Messages", "llm/anthropic", "BenchmarkDecode$"),
		decoding("Gemini", "llm/google", "BenchmarkStream$"),
		decoding("app", "llm/app", "BenchmarkDecode$"),
		{name: "session file of 50 MB: open (in process)", ours: benchmark("internal/store/jsonl", "BenchmarkOpen50MB$", "3x"), limit: 500, runs: 3},
	}
}

var nsPerOp = regexp.MustCompile(`\s([0-9.]+) ns/op`)

// benchmark runs a benchmark of a package and returns its time for one operation.
func benchmark(pkg, name, times string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		out, err := exec.Command("go", "test", "-run", "^$", "-bench", "^"+name, "-benchtime", times, "./"+pkg).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("go test -bench %s ./%s: %w\n%s", name, pkg, err, out)
		}
		found := nsPerOp.FindSubmatch(out)
		if found == nil {
			return 0, fmt.Errorf("go test -bench %s ./%s printed no time:\n%s", name, pkg, out)
		}
		ns, err := strconv.ParseFloat(string(found[1]), 64)
		return time.Duration(ns), err
	}
}
