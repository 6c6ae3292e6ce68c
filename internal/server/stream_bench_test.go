package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/server"
	"redline/internal/session"
	"redline/internal/wire"
)

// bareHub is the least that a server of streams can do, to compare with.
type bareHub struct {
	mu      sync.Mutex
	readers map[chan []byte]bool
}

func (h *bareHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	events := make(chan []byte, 16)
	h.mu.Lock()
	h.readers[events] = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.readers, events)
		h.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_, _ = io.WriteString(w, ": hello\n\n")
	_ = rc.Flush()
	for {
		select {
		case b := <-events:
			_, _ = w.Write(b)
			_ = rc.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (h *bareHub) publish(text string) {
	frame := []byte("data: " + text + "\n\n")
	h.mu.Lock()
	defer h.mu.Unlock()
	for events := range h.readers {
		select {
		case events <- frame:
		default:
		}
	}
}

// keptJobs keeps one job, in memory: what a store does is measured elsewhere.
type keptJobs struct {
	*tape
	log *session.EventLog
	job session.JobRecord
}

func (k *keptJobs) SaveJob(context.Context, *session.JobRecord, int, ...wire.JobEvent) error {
	return nil
}
func (k *keptJobs) Jobs(context.Context, session.JobQuery) ([]*session.JobRecord, error) {
	return []*session.JobRecord{&k.job}, nil
}
func (k *keptJobs) JobEvents(context.Context, string, int, int) ([]wire.JobEvent, error) {
	return nil, nil
}
func (k *keptJobs) FollowJob(ctx context.Context, job string, after int) iter.Seq2[wire.JobEvent, error] {
	return k.log.Follow(ctx, session.Stream{Job: job, After: after})
}
func (k *keptJobs) Events(_ context.Context, job string, _, _ int) (wire.JobEvents, error) {
	return wire.JobEvents{Job: job, Status: wire.JobRunning}, nil
}
func (k *keptJobs) publish(text string) {
	data, _ := json.Marshal(map[string]string{"text": text})
	if err := k.log.Tell(context.Background(), &k.job, wire.JobEvent{Type: "progress", Data: data}); err != nil {
		panic(err)
	}
}

// BenchmarkReaders measures how long one event takes to each of a thousand readers, over
// real connections, for a bare server and for ours by turns. The ratio of their p99 is to
// be at most 2.
func BenchmarkReaders(b *testing.B) {
	const readers = 1000
	bare := &bareHub{readers: map[chan []byte]bool{}}
	kept := &keptJobs{tape: newTape(), job: session.JobRecord{Job: wire.Job{ID: "job_1", Session: "s1", Status: wire.JobRunning}}}
	kept.log = session.NewEventLog(kept, 3000)
	defer kept.log.Close()
	s := server.New(server.Options{Folders: []server.Folder{{Name: "notes", Sessions: kept, Jobs: kept, Streams: kept}}})
	first := crowd(b, bare, "/", readers)
	second := crowd(b, s.Handler(), "/api/agent/jobs/job_1/stream", readers)
	defer s.Close()
	var plain, ours []time.Duration
	for i := range 3 { // until caches and connections are warm
		first(b, i, bare.publish)
		second(b, i, kept.publish)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		plain = append(plain, first(b, i+3, bare.publish)...)
		ours = append(ours, second(b, i+3, kept.publish)...)
	}
	p99 := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)*99/100].Microseconds()) / 1000
	}
	b.ReportMetric(p99(plain), "bare-p99-ms")
	b.ReportMetric(p99(ours), "p99-ms")
	b.ReportMetric(p99(ours)/p99(plain), "ratio")
}

// crowd opens the streams of a handler. What it returns publishes one event, and waits
// until every reader has it.
func crowd(b *testing.B, h http.Handler, path string, readers int) func(b *testing.B, k int, publish func(string)) []time.Duration {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := &http.Server{Handler: h}
	go func() { _ = served.Serve(l) }()
	transport := &http.Transport{DisableCompression: true}
	client := &http.Client{Transport: transport}
	arrived := make(chan time.Time, readers)
	var open, all sync.WaitGroup
	gate := make(chan bool, 64)
	var mu sync.Mutex
	var marker string
	for range readers {
		open.Add(1)
		gate <- true
		all.Go(func() {
			r, err := client.Get("http://" + l.Addr().String() + path)
			<-gate
			if err != nil {
				b.Error(err)
				open.Done()
				return
			}
			defer r.Body.Close()
			lines := bufio.NewScanner(r.Body)
			lines.Scan() // the first words
			open.Done()
			for lines.Scan() {
				mu.Lock()
				want := marker
				mu.Unlock()
				if strings.Contains(lines.Text(), want) {
					arrived <- time.Now()
				}
			}
		})
	}
	open.Wait()
	b.Cleanup(func() {
		_ = served.Close()
		all.Wait()
		transport.CloseIdleConnections()
	})
	return func(b *testing.B, k int, publish func(string)) []time.Duration {
		mu.Lock()
		marker = fmt.Sprintf("bench-%d ", k)
		text := marker
		mu.Unlock()
		took := make([]time.Duration, 0, readers)
		began := time.Now()
		go publish(text)
		for range readers {
			took = append(took, (<-arrived).Sub(began))
		}
		return took
	}
}
