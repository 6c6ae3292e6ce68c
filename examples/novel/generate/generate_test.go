package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// home is the folder with the committed book, seen from this package.
const home = ".."

func TestCommittedBookIsWhatTheProgramWrites(t *testing.T) {
	files := generated(t)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(got) != want {
			t.Errorf("%s differs; run: go run ./examples/novel/generate -out examples/novel", name)
		}
	}
	onDisk, err := filepath.Glob(filepath.Join(home, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(onDisk) != len(files) {
		t.Errorf("%d pages in the folder, %d generated", len(onDisk), len(files))
	}
}

func TestSameBytesEachTime(t *testing.T) {
	first := generated(t)
	second, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for name := range first {
		if first[name] != second[name] {
			t.Errorf("%s: two runs differ", name)
		}
	}
}

func TestLength(t *testing.T) {
	total := 0
	for name, text := range chaptersOf(generated(t)) {
		n := len(strings.Fields(text))
		total += n
		if n < 2000 || n > 2800 {
			t.Errorf("%s has %d words, want 2,000 to 2,800", name, n)
		}
	}
	if total < 60_000 {
		t.Errorf("the book has %d words, want at least 60,000", total)
	}
}

func TestEverybodyAndEveryPlaceAppears(t *testing.T) {
	all := ""
	for _, text := range chaptersOf(generated(t)) {
		all += text
	}
	for _, p := range people {
		if n := strings.Count(all, p.name); n < 20 {
			t.Errorf("%s is named %d times, want at least 20", p.name, n)
		}
		if !strings.Contains(all, p.full()) {
			t.Errorf("nobody is called %s", p.full())
		}
	}
	for _, name := range []string{"Tallow Lane", "Tide House", "Arrieta's Yard", "Maddock Saltworks", "Long Gate", "Hob's Landing", "Saint Orrin's", "Customs Hall"} {
		if !strings.Contains(all, name) {
			t.Errorf("no scene mentions %s", name)
		}
	}
}

func TestNoLongSentenceMoreThanTwice(t *testing.T) {
	seen := map[string]int{}
	for _, text := range chaptersOf(generated(t)) {
		for line := range strings.Lines(text) {
			for _, s := range sentenceEnd.Split(line, -1) {
				if len(strings.Fields(s)) > 6 {
					seen[normal(s)]++
				}
			}
		}
	}
	for s, n := range seen {
		if n > 2 {
			t.Errorf("%d times: %s", n, s)
		}
	}
}

var leftover = regexp.MustCompile(`[{}<>¶]|\.\.\.\.| ,|  |~`)

func TestNoTemplateShowsThrough(t *testing.T) {
	for name, text := range generated(t) {
		if name == "README.md" {
			continue
		}
		if m := leftover.FindString(text); m != "" {
			t.Errorf("%s contains %q", name, m)
		}
	}
}

var once = sync.OnceValues(book)

func generated(t *testing.T) map[string]string {
	t.Helper()
	files, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func chaptersOf(files map[string]string) map[string]string {
	chapters := map[string]string{}
	for name, text := range files {
		if strings.HasPrefix(name, "chapter-") {
			chapters[name] = text
		}
	}
	return chapters
}
