package llmtest

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"runtime"
	"testing"

	"redline/llm"
)

// many is the number of text deltas of a long answer.
const many = 100_000

// memory: what is kept while an answer is decoded does not grow with it.
func (s suite) memory(t *testing.T) {
	const slack = 128 << 10 // bytes; the text alone would be 400 kB
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer{http.StatusOK, s.LongHeader, nil}.writeHead(w)
		out := bufio.NewWriterSize(w, 32<<10)
		s.Long(out, many)
		out.Flush()
	})
	var early, late uint64
	deltas := 0
	var last llm.Event
	for ev, err := range s.open(t, server.URL, nil).Stream(t.Context(), s.asking("Talk.")) {
		if err != nil {
			t.Fatal(err)
		}
		if last = ev; ev.Type != llm.EventTextDelta {
			continue
		}
		switch deltas++; deltas {
		case many / 10:
			early = liveHeap()
		case many - 1:
			late = liveHeap()
		}
	}
	if last.Reply == nil || last.Reply.Stop != llm.StopEnd || deltas != many {
		t.Fatalf("%d deltas, then %+v; want %d and a proper end", deltas, last, many)
	}
	if late > early+slack {
		t.Errorf("between the %dth and the %dth piece of text the heap grew by %d kB", many/10, many, (late-early)>>10)
	}
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC() // twice: pools keep their content for one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Benchmark measures how fast a protocol decodes an answer of 100,000 pieces of
// text, and reports it as events/s.
func Benchmark(b *testing.B, p Protocol) {
	var body bytes.Buffer
	p.Long(&body, many)
	provider, err := p.Open(llm.Endpoint{BaseURL: "http://model.invalid", Key: key, Through: carry(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: p.LongHeader.Clone(), Body: io.NopCloser(bytes.NewReader(body.Bytes())), ContentLength: -1}, nil
	})})
	if err != nil {
		b.Fatal(err)
	}
	req := suite{p}.asking("Talk.")
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		var last llm.Event
		for ev, err := range provider.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
			last = ev
			events++
		}
		if last.Reply == nil || last.Reply.Stop != llm.StopEnd {
			b.Fatalf("the answer ended with %+v", last)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
