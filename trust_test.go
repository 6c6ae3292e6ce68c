package redline_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"redline"
)

func put(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTrust: trust is for one content of one folder, lasts, and can be ended.
func TestTrust(t *testing.T) {
	ctx, base := context.Background(), t.TempDir()
	o := redline.Options{State: filepath.Join(base, "state")}
	one, other := filepath.Join(base, "one"), filepath.Join(base, "other")
	trusted := func(dir string) bool {
		t.Helper()
		c, err := redline.ReadFolderConfig(dir)
		if err != nil || c == nil {
			t.Fatalf("%v, %v", c, err)
		}
		yes, err := redline.Trusted(ctx, dir, o, c)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	for _, dir := range []string{one, other} {
		put(t, filepath.Join(dir, ".redline", "config.toml"), "mode = \"autonomous\"\n")
	}
	if trusted(one) || trusted(other) {
		t.Error("trusted by itself")
	}
	if _, err := os.Stat(o.State); err == nil {
		t.Error("to look it up has made a state")
	}
	c, _ := redline.ReadFolderConfig(one)
	if err := redline.Trust(ctx, one, o, c); err != nil {
		t.Fatal(err)
	}
	if !trusted(one) || trusted(other) {
		t.Error("trust is not for the folder")
	}
	f := open(t, one, o.State) // while the folder is in use
	if !trusted(one) {
		t.Error("not while it is in use")
	}
	if err := redline.Trust(ctx, one, o, c); err != nil {
		t.Error(err)
	}
	f.Close()
	put(t, filepath.Join(one, ".redline", "config.toml"), "mode = \"autonomous\"\nbulk = 0\n")
	if trusted(one) {
		t.Error("what has changed is trusted")
	}
	put(t, filepath.Join(one, ".redline", "config.toml"), "mode = \"autonomous\"\n")
	if !trusted(one) {
		t.Error("the trust in the old content is lost")
	}
	if err := redline.Revoke(ctx, one, o); err != nil || trusted(one) {
		t.Errorf("not revoked: %v", err)
	}
	if err := redline.Trust(ctx, one, o, c); err != nil || !trusted(one) {
		t.Errorf("not trusted again: %v", err)
	}
}

// TestFolderConfig: what is there in place of a configuration.
func TestFolderConfig(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(dir string)
		want string // the content; "error: …"; "none"
	}{
		{"nothing", func(string) {}, "none"},
		{"a file for the folder", func(dir string) { put(t, filepath.Join(dir, ".redline"), "x") }, "none"},
		{"an empty file", func(dir string) { put(t, filepath.Join(dir, redline.ConfigPath), "") }, ""},
		{"some", func(dir string) { put(t, filepath.Join(dir, redline.ConfigPath), "bulk = 1") }, "bulk = 1"},
		{"a folder", func(dir string) { put(t, filepath.Join(dir, redline.ConfigPath, "x"), "") }, "error: the folder's configuration, .redline/config.toml, is not a file; make it a file that can be read, or remove it"},
		{"a link to elsewhere", func(dir string) {
			put(t, filepath.Join(dir, ".redline", "x"), "")
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, redline.ConfigPath)); err != nil {
				t.Skip(err)
			}
		}, "error: the folder's configuration, .redline/config.toml, is not a file"},
		{"huge", func(dir string) { put(t, filepath.Join(dir, redline.ConfigPath), strings.Repeat("#", 1<<20+1)) }, "error: the folder's configuration, .redline/config.toml, is larger than 1 MiB; make it smaller, or remove it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			test.make(dir)
			c, err := redline.ReadFolderConfig(dir)
			got := "none"
			switch {
			case err != nil:
				got = "error: " + err.Error()
			case c != nil:
				got = string(c.Data)
			}
			if !strings.HasPrefix(got, test.want) || err == nil && got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestTrustTwiceAtOnce: whoever comes second is heard too.
func TestTrustTwiceAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "notes")
	put(t, filepath.Join(dir, redline.ConfigPath), "bulk = 0\n")
	o := redline.Options{State: t.TempDir()}
	c, err := redline.ReadFolderConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := redline.Trust(context.Background(), dir, o, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if ok, err := redline.Trusted(context.Background(), dir, o, c); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}
