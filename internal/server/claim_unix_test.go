//go:build unix

package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/server"
)

// answering serves a listener until the test ends.
func answering(t *testing.T, l net.Listener) {
	t.Helper()
	s := &http.Server{Handler: routes}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
}

// over asks through a socket.
func over(t *testing.T, socket string) (string, error) {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get("http://localhost/")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

func claim(t *testing.T, dir string) *server.Claim {
	t.Helper()
	c, err := server.NewClaim(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// short is a folder whose name leaves room for a socket.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestClaim: a folder has one server at a time, which the second one is told.
func TestClaim(t *testing.T) {
	dir := filepath.Join(short(t), "state")
	first := claim(t, dir)
	_, err := server.NewClaim(dir)
	if taken := new(server.Taken); !errors.As(err, &taken) || taken.By.URL != "" {
		t.Errorf("before it has an address: %v", err)
	}
	if err := first.Tell("http://127.0.0.1:7333"); err != nil {
		t.Fatal(err)
	}
	_, err = server.NewClaim(dir)
	if taken := new(server.Taken); !errors.As(err, &taken) || taken.By.PID != os.Getpid() || !strings.Contains(err.Error(), "http://127.0.0.1:7333") {
		t.Errorf("the second: %v", err)
	}
	l, err := first.Listen()
	if err != nil {
		t.Fatal(err)
	}
	answering(t, l)
	socket := filepath.Join(dir, "server.sock")
	if info, err := os.Stat(socket); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	if body, err := over(t, socket); body != "DATA" || err != nil {
		t.Errorf("over the socket: %q, %v", body, err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	left(t, dir, "server.lock")
	if err := claim(t, dir).Close(); err != nil {
		t.Error(err)
	}
}

// left is what there is in a folder.
func left(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s has %q, want %q", dir, got, want)
	}
}

// TestKilledServer: what it has left is in nobody's way.
func TestKilledServer(t *testing.T) {
	dir := short(t)
	for name, content := range map[string]string{"server.lock": "", "server.json": `{"pid": 1, "url": "http://127.0.0.1:1"}`, "server.sock": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := claim(t, dir)
	defer c.Close()
	l, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	answering(t, l)
	if body, err := over(t, filepath.Join(dir, "server.sock")); body != "DATA" || err != nil {
		t.Errorf("over the socket: %q, %v", body, err)
	}
	_, err = server.NewClaim(dir)
	if taken := new(server.Taken); !errors.As(err, &taken) || taken.By.PID != 0 {
		t.Errorf("the old note is believed: %v", err)
	}
}

// TestLongState: a path that is too long for a socket leads to one elsewhere.
func TestLongState(t *testing.T) {
	runtime := short(t)
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	dir := filepath.Join(short(t), strings.Repeat("long", 30), "state")
	for range 2 { // the second finds what the first has left
		c := claim(t, dir)
		l, err := c.Listen()
		if err != nil {
			t.Fatal(err)
		}
		answering(t, l)
		socket, err := os.Readlink(filepath.Join(dir, "server.sock"))
		if err != nil || !strings.HasPrefix(socket, runtime) {
			t.Fatalf("it leads to %q, %v", socket, err)
		}
		if info, err := os.Stat(filepath.Dir(socket)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("its folder: %v, %v", info.Mode(), err)
		}
		if body, err := over(t, socket); body != "DATA" || err != nil {
			t.Errorf("over the socket: %q, %v", body, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		left(t, dir, "server.lock")
		left(t, filepath.Dir(socket))
	}
}

// TestForeignRuntime: a folder that others can enter is not trusted with a socket.
func TestForeignRuntime(t *testing.T) {
	runtime := short(t)
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	dir := filepath.Join(short(t), strings.Repeat("long", 30), "state")
	c := claim(t, dir)
	defer c.Close()
	l, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	entries, err := os.ReadDir(runtime)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	if err := os.Chmod(filepath.Join(runtime, entries[0].Name()), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Listen(); err == nil || !strings.Contains(err.Error(), "is not a folder of yours alone") {
		t.Errorf("got %v", err)
	}
}
