package workspace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/text"
)

// looks is what a cache knows, to be compared.
func looks(c *StatCache) map[string]string {
	all := map[string]string{}
	for p, f := range c.All() {
		all[p.String()] = fmt.Sprint(f.Info.Stamp, f.Info.Mode, f.Ignored)
	}
	for p := range c.Dirs() {
		all[p.String()+"/"] = "folder"
	}
	return all
}

// tamper does something at random to the folder dir, as other programs would.
func tamper(r *rand.Rand, dir string) {
	names := []string{"a.md", "b.md", "sub", "sub/c.md", "sub/d.tmp", "sub/deep", "sub/deep/e.md", "e.tmp", "sub/.gitignore", ".gitignore"}
	name := filepath.Join(dir, names[r.IntN(len(names))])
	switch r.IntN(10) {
	case 0:
		os.RemoveAll(name)
	case 1:
		os.Rename(name, filepath.Join(dir, names[r.IntN(len(names))]))
	case 2:
		os.Mkdir(name, 0o755)
	default: // two sizes only
		content := []string{"*.md\n", "*.tmp", "sub/\n"}[r.IntN(3)]
		os.MkdirAll(filepath.Dir(name), 0o755)
		os.WriteFile(name, []byte(content), 0o644)
	}
}

// TestRestatAnew: a cache that was brought up to date, in whatever steps, knows
// what a new one knows, and never takes a file for the one it knew that is not.
func TestRestatAnew(t *testing.T) {
	ctx := context.Background()
	o := WalkOptions{Unlisted: true, Closed: true, Policy: Without(".git")}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			f, err := Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var c StatCache
			for range 40 {
				for range r.IntN(4) {
					tamper(r, f.Name())
				}
				if r.IntN(3) == 0 {
					time.Sleep(racyWindow + 10*time.Millisecond) // what is known is sure
				}
				if r.IntN(8) == 0 {
					c = again(t, &c)
				}
				was := looks(&c)
				copied := c
				d, err := f.Restat(ctx, &c, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range d.Changed {
					if info, data, err := f.Pass().Look(p); err == nil {
						c.Refresh(p, info, text.Sum(data))
					}
				}
				if diff := cmp.Diff(was, looks(&copied)); diff != "" {
					t.Fatalf("the copy changed:\n%s", diff)
				}
				var fresh StatCache
				if _, err := f.Restat(ctx, &fresh, o); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(looks(&fresh), looks(&c)); diff != "" {
					t.Fatalf("(-anew +brought up to date):\n%s", diff)
				}
				for p, known := range c.All() {
					if _, data, err := f.Pass().Look(p); err != nil || text.Sum(data) != known.Hash {
						t.Fatalf("%s is not what it was taken for: %v", p, err)
					}
				}
			}
		})
	}
}

// again is the cache as the next process has it.
func again(t *testing.T, c *StatCache) StatCache {
	t.Helper()
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var next StatCache
	if err := next.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(looks(c), looks(&next)); diff != "" {
		t.Fatalf("written and read:\n%s", diff)
	}
	return next
}

// TestRestatKept: a file whose content is to be known is told until it is.
func TestRestatKept(t *testing.T) {
	f, _ := newTree(t)
	ctx := context.Background()
	o := WalkOptions{Policy: ForDocuments()}
	time.Sleep(2 * racyWindow)
	var c StatCache
	for range 3 {
		c.Kept = func(file CachedFile) bool { return file.Info.Size > 0 }
		d, err := f.Restat(ctx, &c, o)
		if err != nil || len(d.Changed) < 5 {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	c.Kept = nil
	if d, err := f.Restat(ctx, &c, o); err != nil || len(d.Changed) != 0 {
		t.Fatalf("nothing is to be known: %+v, %v", d, err)
	}
}

// FuzzStatCache: bytes that are no cache are refused, and do no harm.
func FuzzStatCache(f *testing.F) {
	f.Add([]byte(statCacheFormat))
	f.Add([]byte(statCacheFormat + "\x01.\x00\x01\x01a\x04\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c StatCache
		if c.UnmarshalBinary(b) != nil {
			return
		}
		again(t, &c)
	})
}
