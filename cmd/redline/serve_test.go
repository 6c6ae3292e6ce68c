package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/internal/config"
	"redline/internal/session"
)

// TestDoor: where a server listens, what it is called, and who may call it.
func TestDoor(t *testing.T) {
	for _, test := range []struct {
		name, address, token string
		hosts                []string
		wrong, url           string // the beginning
		called, stranger     string // Host headers, without the port
	}{
		{"the machine itself", "127.0.0.1:0", "", nil, "", "http://127.0.0.1:", "127.0.0.1", "notes.example"},
		{"by name", "localhost:0", "", nil, "", "http://127.0.0.1:", "localhost", "notes.example"},
		{"with a name of its own", "127.0.0.1:0", "", []string{"notes.example"}, "", "http://127.0.0.1:", "notes.example", "other.example"},
		{"everywhere", "0.0.0.0:0", "0123456789abcdef", nil, "", "http://127.0.0.1:", "127.0.0.1", "notes.example"},
		{"everywhere, without a token", "0.0.0.0:0", "", nil, "0.0.0.0:0 can be reached by others", "", "", ""},
		{"no host", ":0", "", nil, ":0 can be reached by others", "", "", ""},
		{"a name", "notes.example:0", "", nil, "notes.example:0 can be reached by others", "", "", ""},
		{"a mapped address", "[::ffff:10.0.0.1]:0", "", nil, "[::ffff:10.0.0.1]:0 can be reached by others", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := newDoor(listening{Address: test.address, Token: test.token}, serveFlags{hosts: test.hosts})
			if test.wrong != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.wrong) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := d.open(); err != nil {
				t.Fatal(err)
			}
			defer d.listener.Close()
			if !strings.HasPrefix(d.url, test.url) {
				t.Errorf("it is called %s", d.url)
			}
			if test.token == "" && len(d.Token) < 32 {
				t.Errorf("the random token is %q", d.Token)
			}
			_, port, _ := net.SplitHostPort(d.listener.Addr().String())
			reached := false
			guarded := d.guard.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
			for host, want := range map[string]bool{test.called: true, test.stranger: false} {
				reached = false
				r := httptest.NewRequest("GET", "/api/folders", nil)
				r.Host = net.JoinHostPort(host, port)
				r.Header.Set("Authorization", "Bearer "+d.Token)
				guarded.ServeHTTP(httptest.NewRecorder(), r)
				if reached != want {
					t.Errorf("called as %s it is reached: %v", host, reached)
				}
			}
		})
	}
}

// begin runs a server in this process until the test ends.
func begin(t *testing.T, dir string, args ...string) announcement {
	t.Helper()
	out, told := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		ended <- run(ctx, append([]string{"serve", dir, "--listen", "127.0.0.1:0", "--json"}, args...), streams{strings.NewReader(""), told, &errs, nil})
		told.Close()
	}()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != exitDone {
			t.Errorf("exit status %d: %s", code, &errs)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var a announcement
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// certificate makes one for this machine.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool = x509.NewCertPool()
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "EC PRIVATE KEY", Bytes: encoded}} {
		data := pem.EncodeToMemory(block)
		pool.AppendCertsFromPEM(data)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, pool
}

// TestServeTLS: with a certificate the server speaks HTTPS, and nothing else.
func TestServeTLS(t *testing.T) {
	dir := home(t, "", "")
	cert, key, pool := certificate(t)
	a := begin(t, dir, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(a.URL, "https://127.0.0.1:") || !strings.HasPrefix(a.Open, a.URL+"/open?ticket=") {
		t.Errorf("it is at %s, %s", a.URL, a.Open)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(a.Open)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if cookies := answer.Cookies(); answer.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly {
		t.Errorf("status %d, cookies %v", answer.StatusCode, cookies)
	}
	plain, err := client.Get(strings.Replace(a.URL, "https://", "http://", 1) + "/healthz")
	if err == nil {
		plain.Body.Close()
		if plain.StatusCode == http.StatusOK {
			t.Error("it answers without TLS, too")
		}
	}
}

// TestHosting: no limit is none, and none overflows.
func TestHosting(t *testing.T) {
	keys := []string{"max_sessions", "max_jobs_per_session", "max_events_per_job", "completed_ttl_hours"}
	for value, want := range map[string]hosting{
		"0":          {Limits: session.HostLimits{MaxSessions: math.MaxInt32, MaxJobsPerSession: math.MaxInt32, MaxEventsPerJob: math.MaxInt32, CompletedTTL: 876000 * time.Hour}},
		"2147483647": {Limits: session.HostLimits{MaxSessions: math.MaxInt32, MaxJobsPerSession: math.MaxInt32, MaxEventsPerJob: math.MaxInt32, CompletedTTL: 876000 * time.Hour}},
		"7":          {Limits: session.HostLimits{MaxSessions: 7, MaxJobsPerSession: 7, MaxEventsPerJob: 7, CompletedTTL: 7 * time.Hour}},
	} {
		var user strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&user, "%s = %s\n", k, value)
		}
		if got := load(t, flagged(where{}, home(t, user.String(), ""))).hosting(); got != want {
			t.Errorf("%s: %+v", value, got)
		}
	}
}

// TestChooseByRequest: what a request names gets neither the files of the machine nor the
// key and the address of another service.
func TestChooseByRequest(t *testing.T) {
	dir := home(t, "model = \"openai/gpt-5\"\napi_key = \"sk-openai\"\nbase_url = \"http://proxy/v1\"\n", "")
	set := load(t, flagged(where{}, dir))
	for name, want := range map[string]string{
		"": "http://proxy/v1", "openai/gpt-5": "http://proxy/v1", "openai/gpt-5-mini": "http://proxy/v1", "ollama/qwen3": "http://127.0.0.1:11434/v1",
	} {
		c, err := set.choose(name)
		if err != nil || c.Model.BaseURL != want {
			t.Errorf("%q is at %s, %v", name, c.Model.BaseURL, err)
		}
	}
	script := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(script, []byte("- text: Hello.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"scripted:" + script, "anthropic/claude-sonnet-5", "nobody/x"} {
		if c, err := set.choose(name); err == nil {
			t.Errorf("%s is chosen: %s", name, c)
		}
	}
}

// TestSettingsTold: a server tells its settings, and no secret of them.
func TestSettingsTold(t *testing.T) {
	dir := home(t, "model = \"openai/gpt-5\"\napi_key = \"sk-secret\"\ntoken = \"secret-0123456789\"\n[clients.phone]\ntoken = \"secret-9876543210\"\n", "")
	set := load(t, flagged(where{}, dir))
	used, err := set.choose("")
	if err != nil {
		t.Fatal(err)
	}
	f := &folderSettings{set, used}
	told, err := f.Config(t.Context())
	if err != nil || len(told) != len(config.Keys) {
		t.Fatalf("%d settings, %v", len(told), err)
	}
	data, err := json.Marshal(told)
	if err != nil || bytes.Contains(data, []byte("secret-")) || bytes.Contains(data, []byte("sk-")) || !bytes.Contains(data, []byte(`{"key":"clients","value":["phone"]`)) {
		t.Errorf("it tells %s, %v", data, err)
	}
	models, err := f.Models(t.Context())
	if err != nil || len(models) < 2 || models[0].Name != "openai/gpt-5" || !models[0].Current || !models[0].Ready {
		t.Fatalf("%+v, %v", models[:1], err)
	}
	for _, m := range models[1:] {
		if m.Current || m.Name == models[0].Name || m.Ready && strings.HasPrefix(m.Name, "anthropic/") {
			t.Errorf("%+v", m)
		}
	}
}
