package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// bareServer is the least that a server can do: the anchor of the server's rows.
//
//	GET  /json     a small answer made for each request
//	GET  /events   a stream
//	POST /publish  sends the body to every stream
type bareServer struct {
	url string

	mu      sync.Mutex
	readers map[chan []byte]bool
}

func startBare() (*bareServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &bareServer{url: "http://" + l.Addr().String(), readers: map[chan []byte]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /json", b.json)
	mux.HandleFunc("GET /events", b.events)
	mux.HandleFunc("POST /publish", b.publish)
	go http.Serve(l, mux) // until the bench ends
	return b, nil
}

type item struct {
	ID    int      `json:"id"`
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	Size  int64    `json:"size"`
}

func (b *bareServer) json(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode([]item{
		{1, "First note", []string{"a", "b"}, 4096}, {2, "Second note", []string{"c"}, 8192}, {3, "Third note", nil, 123},
	})
}

func (b *bareServer) events(w http.ResponseWriter, r *http.Request) {
	frames := make(chan []byte, 16)
	b.mu.Lock()
	b.readers[frames] = true
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.readers, frames)
		b.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	_, _ = io.WriteString(w, ": hello\n\n")
	_ = flush()
	for {
		select {
		case frame := <-frames:
			_, _ = w.Write(frame)
			_ = flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (b *bareServer) publish(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	frame := []byte("data: " + string(body) + "\n\n")
	b.mu.Lock()
	for reader := range b.readers {
		select {
		case reader <- frame:
		default: // a slow reader loses it
		}
	}
	b.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// audience is many readers of one stream.
type audience struct {
	arrived chan time.Time
	close   func()
}

// listen opens the streams. Each tells when a line with the marker "bench-N " comes.
func listen(readers int, open func() (*http.Response, error)) (*audience, error) {
	a := &audience{arrived: make(chan time.Time, readers)}
	var all []io.Closer
	a.close = func() {
		for _, c := range all {
			c.Close()
		}
	}
	for range readers {
		resp, err := open()
		if err != nil {
			a.close()
			return nil, err
		}
		if resp.StatusCode != http.StatusOK {
			a.close()
			return nil, fmt.Errorf("a stream: %s", resp.Status)
		}
		all = append(all, resp.Body)
		go func() {
			lines := bufio.NewScanner(resp.Body)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if strings.Contains(lines.Text(), "bench-") {
					a.arrived <- time.Now()
				}
			}
		}()
	}
	return a, nil
}

// hear publishes one thing and returns how long it took to each reader.
func (a *audience) hear(readers int, publish func() error) ([]time.Duration, error) {
	began := time.Now()
	failed := make(chan error, 1)
	go func() {
		if err := publish(); err != nil {
			failed <- err
		}
	}()
	took := make([]time.Duration, 0, readers)
	for range readers {
		select {
		case at := <-a.arrived:
			took = append(took, at.Sub(began))
		case err := <-failed:
			return nil, err
		}
	}
	return took, nil
}
