// Package llmtest is the contract that every provider of a model keeps.
//
// A package that speaks a wire protocol brings recorded answers and calls [Run]
// from one test. The suite serves each answer in one piece, byte by byte and
// with other line ends, and compares the message with what the scenario must
// amount to, which is the same for all protocols. It breaks connections,
// cancels, leaves early and looks for what is left running; and it compares the
// requests sent with golden files:
//
//	testdata/answers/text.http      a whole HTTP answer: status line, headers, blank line, body
//	testdata/requests/plain.json    a request: method, path, headers, body
//
// The golden requests are written anew with the flag -update, which this
// package registers. A provider without a wire protocol has [Check] alone.
package llmtest

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"redline/llm"
)

// Update tells whether golden files shall be written anew. It is the flag
// -update, for the golden files of the importing test as well.
var Update = flag.Bool("update", false, "write the golden files anew")

// Protocol is what a package brings to the suite.
type Protocol struct {
	Model      llm.Model // an able one: it can do everything, thinks, and has a price
	Open       func(llm.Endpoint) (llm.Provider, error)
	Dir        string                        // has answers/*.http and requests/*.json
	Long       func(w io.Writer, deltas int) // writes the body of an answer of that many text deltas "word ", and its proper end
	LongHeader http.Header                   // the headers of that answer
	Signed     bool                          // thinking carries a signature
	CacheWrite bool                          // usage tells what was written into the cache
	Reasoning  bool                          // usage tells how much of the output was thinking
	Skip       map[string]string             // scenarios that the protocol cannot have, with the reason
}

// Run asserts that a protocol keeps the contract.
func Run(t *testing.T, p Protocol) {
	s := suite{p}
	s.checkSkip(t)
	s.answers(t)
	s.generated(t)
	s.requests(t)
}

type suite struct{ Protocol }

// checkSkip keeps a misspelled name from skipping nothing.
func (s suite) checkSkip(t *testing.T) {
	t.Helper()
	known := scenarioNames()
	for name := range s.Skip {
		if !slices.Contains(known, name) {
			t.Errorf("Skip names %q, which is no scenario: choose from %q", name, known)
		}
	}
}

// scenario runs one scenario and then looks for goroutines that it left.
func (s suite) scenario(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		if reason, ok := s.Skip[name]; ok {
			t.Skipf("not in this protocol: %s", reason)
		}
		noneLeft(t)
		run(t)
	})
}

// key is what no event, failure or trace may show.
const key = "sk-very-secret-0f9a8b7c"

// open is a provider that talks to url. Change adds to the endpoint.
func (s suite) open(t *testing.T, url string, change func(*llm.Endpoint)) llm.Provider {
	t.Helper()
	e := llm.Endpoint{BaseURL: url, Key: key, Proxy: "direct"}
	if change != nil {
		change(&e)
	}
	provider, err := s.Open(e)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return provider
}

// asking is an ordinary request.
func (s suite) asking(text string) llm.Request {
	return llm.Request{Model: s.Model, System: "Be brief.", Messages: []llm.Message{llm.User(text)}, Tools: tools}
}

// tools are those that the recorded answers call.
var tools = []llm.ToolSpec{
	{Name: "read_file", Description: "Read a file.", Schema: schema(`"path":{"type":"string"}`, `"path"`)},
	{Name: "search", Description: "Search all files.", Schema: schema(`"query":{"type":"string"},"limit":{"type":"integer"}`, `"query"`)},
	{Name: "list_files", Description: "List all files.", Schema: schema(``, ``)},
}

func schema(properties, required string) []byte {
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, properties, required)
}
