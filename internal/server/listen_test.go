package server_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"redline/internal/server"
	"redline/internal/session"
	"redline/internal/wire"
)

// memoryServer serves the tape in memory, and gives the listener.
func memoryServer(t *testing.T, p *tape) (m *server.Memory, stop func()) {
	t.Helper()
	s := server.New(server.Options{Folders: []server.Folder{p.parts()}})
	m = server.NewMemory()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, m, nil, nil) }()
	return m, func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}

// TestImpatience: a client that begins something and does not go on is let go, whatever
// it began, and others are answered meanwhile.
func TestImpatience(t *testing.T) {
	for _, q := range []struct {
		name, begin string
		drip        string // one more each 5 seconds
		limit       time.Duration
	}{
		{"nothing at all", "", "", 10 * time.Second},
		{"a byte now and then", "GET / HTTP/1.1\r\nHost: x\r\nX-", "a", 10 * time.Second},
		{"a header now and then", "GET / HTTP/1.1\r\nHost: x\r\n", "X: y\r\n", 10 * time.Second},
		{"a body now and then", "POST /api/agent/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", " ", 30 * time.Second},
		{"a piece of a body now and then", "POST /api/agent/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", 30 * time.Second},
		{"a body for nobody", "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", " ", 30 * time.Second},
		{"no second request", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "", 60 * time.Second},
	} {
		t.Run(q.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, stop := memoryServer(t, newTape())
				const clients = 50
				began := time.Now()
				var all sync.WaitGroup
				for range clients {
					conn, err := m.Dial(t.Context(), "", "")
					if err != nil {
						t.Fatal(err)
					}
					ended := make(chan struct{})
					all.Go(func() { // reads until the server closes
						defer close(ended)
						_, _ = io.Copy(io.Discard, conn)
						_ = conn.Close()
						if took := time.Since(began); took > q.limit+time.Second {
							t.Errorf("let go after %v", took)
						}
					})
					all.Go(func() {
						for _, err := io.WriteString(conn, q.begin); err == nil; _, err = io.WriteString(conn, q.drip) {
							select {
							case <-ended:
								return
							case <-time.After(5 * time.Second):
							}
						}
					})
				}
				time.Sleep(time.Second)
				transport := &http.Transport{DialContext: m.Dial, DisableKeepAlives: true}
				before := time.Now()
				r, err := (&http.Client{Transport: transport}).Get("http://memory/healthz")
				if err != nil || r.StatusCode != 200 || time.Since(before) > time.Second {
					t.Errorf("another client: %v %v", r, err)
				}
				_ = r.Body.Close()
				all.Wait()
				stop()
			})
		})
	}
}

// TestRoom: connections beyond the limit wait until there is room.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, stop := memoryServer(t, newTape())
		var open []net.Conn
		for range 2500 {
			c, err := m.Dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, c)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.Dial(ctx, "", ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one more: %v", err)
		}
		_ = open[0].Close()
		c, err := m.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append(open, c) {
			_ = c.Close()
		}
		stop()
		if _, err := m.Dial(t.Context(), "", ""); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a listener that is closed: %v", err)
		}
	})
}

// TestStopWaits: a request that is on when the server stops is answered.
func TestStopWaits(t *testing.T) {
	p := newTape()
	asked, answer := make(chan bool), make(chan bool)
	s := server.New(server.Options{Folders: []server.Folder{p.parts()}, Page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- true
		<-answer
		_, _ = io.WriteString(w, "done")
	})})
	m := server.NewMemory()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, m, nil, nil) }()
	body := make(chan string, 1)
	go func() {
		r, err := (&http.Client{Transport: &http.Transport{DialContext: m.Dial}}).Get("http://memory/")
		if err != nil {
			body <- err.Error()
			return
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		body <- string(b)
	}()
	<-asked
	cancel()
	close(answer)
	if got := <-body; got != "done" {
		t.Error(got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestListenerFails: a listener that is gone is an error, not an end.
func TestListenerFails(t *testing.T) {
	p := newTape()
	m := server.NewMemory()
	_ = m.Close()
	if err := server.New(server.Options{Folders: []server.Folder{p.parts()}}).Serve(t.Context(), m, nil, nil); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestTLS: with a certificate the server speaks TLS, and HTTP/1.1 alone.
func TestTLS(t *testing.T) {
	cert, key, trusted := certificate(t)
	secure, err := server.TLS(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(server.Options{Folders: []server.Folder{newTape().parts()}})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(ctx, l, &server.Guard{Token: token, TLS: true, Public: server.Public}, secure)
	}()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true}
	c := &http.Client{Transport: transport}
	r := get(t, c, "https://"+l.Addr().String()+"/api/agent/jobs/job_1", "Authorization", "Bearer "+token, "Origin", "https://"+l.Addr().String())
	if r.StatusCode != 200 || r.ProtoMajor != 1 {
		t.Errorf("%s %s", r.Proto, r.Status)
	}
	if r := get(t, c, "https://"+l.Addr().String()+"/api/agent/jobs/job_1", "Authorization", "Bearer "+token, "Origin", "http://"+l.Addr().String()); r.StatusCode != 403 {
		t.Errorf("an origin without TLS: %s", r.Status)
	}
	if r := get(t, http.DefaultClient, "http://"+l.Addr().String()+"/"); r.StatusCode != 400 {
		t.Errorf("without TLS: %s", r.Status)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	transport.CloseIdleConnections()
	if _, err := server.TLS(cert, cert); err == nil || !strings.Contains(err.Error(), "cert.pem") {
		t.Errorf("a key that is none: %v", err)
	}
}

// certificate writes one for loopback.
func certificate(t *testing.T) (cert, key string, trusted *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trusted.AddCert(parsed)
	return cert, key, trusted
}

// TestReadersThatDoNot: streams that nobody reads neither hold up the job nor its other
// readers, hold little memory, and do not keep the server from its end.
func TestReadersThatDoNot(t *testing.T) {
	kept := &keptJobs{tape: newTape(), job: session.JobRecord{Job: wire.Job{ID: "job_1", Session: "s1", Status: wire.JobRunning}}}
	kept.log = session.NewEventLog(kept, 3000)
	defer kept.log.Close()
	address, stop := hostileServer(t, server.Folder{Name: "notes", Sessions: kept, Jobs: kept, Streams: kept})
	open := func(id string, window int) *bufio.Reader {
		request := strings.NewReplacer("{host}", address, "{token}", token).Replace(lines("GET /api/agent/jobs/"+id+"/stream HTTP/1.1", host, auth))
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.(*net.TCPConn).SetReadBuffer(window)
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReaderSize(conn, 1024)
		for line := ""; line != ":\n"; { // it follows
			if line, err = r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		return r
	}
	for range 450 { // with nothing to read, as pages in the background
		open("job_2", 4096)
	}
	for range 50 {
		open("job_1", 4096)
	}
	reader := open("job_1", 1<<20)
	before := heap()
	for i := range 240 { // 15 MB for each reader, which is more than a connection holds
		kept.publish(fmt.Sprintf("%d %s", i, strings.Repeat("x", 64_000)))
		for line := ""; !strings.HasPrefix(line, "data: "); {
			var err error
			if line, err = reader.ReadString('\n'); err != nil {
				t.Fatalf("behind event %d: %v", i, err)
			}
		}
	}
	if grown := heap() - before; grown > 100<<20 {
		t.Errorf("%d MB more", grown>>20)
	}
	stop()
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
