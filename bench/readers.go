package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// editor is a model that makes twelve calls, the last of which changes a document in
// twenty places; asked to think, it does not answer.
type editor struct{ done chan struct{} }

func (e editor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if strings.Contains(string(body), "please think") {
		select {
		case <-e.done:
		case <-r.Context().Done():
		}
		return
	}
	command := "head -n 3 long.md"
	switch results := strings.Count(string(body), `"role":"tool"`); {
	case results == 12:
		answer(w, map[string]any{"content": "Done."}, "stop")
		return
	case results == 11:
		command = `sed -i '10~20s/$/, and more/' long.md`
	}
	askShell(w, command)
}

// desk is a server on one folder with a long document.
type desk struct {
	*live
	close func() error
}

func (s *serving) desk() (*desk, error) {
	base, err := os.MkdirTemp("", "redline-desk-")
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(base, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "This is line %d of a long document\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(folder, "long.md"), []byte(long.String()), 0o644); err != nil {
		return nil, err
	}
	model, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go http.Serve(model, editor{done})
	l, err := s.start("http://"+model.Addr().String()+"/v1", filepath.Join(base, "state"), []string{folder})
	if err != nil {
		return nil, err
	}
	return &desk{l, func() error {
		close(done)
		return errors.Join(l.stop(), model.Close(), os.RemoveAll(base))
	}}, nil
}

// broadcast is the p99 of the time from a request that makes an event to its arrival
// at a reader.
func (s *serving) broadcast() (took time.Duration, err error) {
	d, err := s.desk()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	_, job, err := d.run(map[string]any{"toolset": "vault"}, "please think")
	if err != nil {
		return 0, err
	}
	for status := ""; status != "running"; {
		var now struct {
			Status string `json:"status"`
		}
		if err := d.ask("GET", "/api/agent/jobs/"+job, nil, &now); err != nil {
			return 0, err
		}
		status = now.Status
	}
	open := func() (*http.Response, error) { return d.send("GET", "/api/agent/jobs/"+job+"/stream", nil) }
	publish := func(text string) error {
		return d.ask("POST", "/api/agent/jobs/"+job+"/messages", map[string]string{"text": text}, nil)
	}
	return spread(open, publish)
}

func (s *serving) bareBroadcast() (time.Duration, error) {
	url, err := s.anchor()
	if err != nil {
		return 0, err
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	open := func() (*http.Response, error) { return client.Get(url + "/events") }
	return spread(open, func(text string) error {
		resp, err := client.Post(url+"/publish", "text/plain", strings.NewReader(text))
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// spread opens the streams, publishes one event after the other, each when all readers
// have the one before, and returns the p99 of the latencies.
func spread(open func() (*http.Response, error), publish func(text string) error) (time.Duration, error) {
	a, err := listen(loadReaders, open)
	if err != nil {
		return 0, err
	}
	defer a.close()
	var all []time.Duration
	for i := range loadEvents + 2 {
		took, err := a.hear(loadReaders, func() error { return publish(fmt.Sprintf("bench-%d ", i)) })
		if err != nil {
			return 0, err
		}
		if i >= 2 { // the first two warm up
			all = append(all, took...)
		}
	}
	return p99(all), nil
}

// snapshots is the time of many requests for a job with 12 calls and 20 hunks.
func (s *serving) snapshots() (took time.Duration, err error) {
	d, err := s.desk()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	_, job, err := d.run(map[string]any{"toolset": "vault", "review": "hunks", "max_iterations": 100}, "please change it")
	if err != nil {
		return 0, err
	}
	if status, err := d.await(job); err != nil || status != "awaiting_review" {
		return 0, errors.Join(err, fmt.Errorf("the job is %s", status))
	}
	var now struct {
		Calls  []any `json:"calls"`
		Bundle struct {
			Files []struct {
				Hunks []any `json:"hunks"`
			} `json:"files"`
		} `json:"diff_bundle"`
	}
	if err := d.ask("GET", "/api/agent/jobs/"+job, nil, &now); err != nil {
		return 0, err
	}
	if len(now.Calls) != 12 || len(now.Bundle.Files) != 1 || len(now.Bundle.Files[0].Hunks) != 20 {
		return 0, fmt.Errorf("the job has %d calls and the changes %v", len(now.Calls), now.Bundle)
	}
	return hammer(func() (*http.Response, error) { return d.send("GET", "/api/agent/jobs/"+job, nil) })
}

func (s *serving) bareJSON() (time.Duration, error) {
	url, err := s.anchor()
	if err != nil {
		return 0, err
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4}}
	defer client.CloseIdleConnections()
	return hammer(func() (*http.Response, error) { return client.Get(url + "/json") })
}

// hammer sends the same request again and again, from two clients.
func hammer(get func() (*http.Response, error)) (time.Duration, error) {
	var sent atomic.Int64
	failed := make(chan error, 2)
	began := time.Now()
	for range 2 {
		go func() {
			for sent.Add(1) <= loadGets {
				resp, err := get()
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					err = errors.Join(err, resp.Body.Close())
				}
				if err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	err := errors.Join(<-failed, <-failed)
	return time.Since(began), err
}
