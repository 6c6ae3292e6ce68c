package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// corpora are the folders and files that the rows work on.
type corpora struct {
	notes          string // 20,000 Markdown files, about 85 MB, nothing else in the folder
	repo           string // a copy of notes, committed to git
	work           string // another copy, to be changed and changed back
	small          string // one short note
	old, new, mine string // 100,000 lines, and two edited versions
}

const noteCount = 20_000

// prepare makes what is missing in the work folder.
func prepare(work string) (corpora, error) {
	c := corpora{
		notes: filepath.Join(work, "notes"), repo: filepath.Join(work, "repo"), work: filepath.Join(work, "work"),
		small: filepath.Join(work, "small"),
		old:   filepath.Join(work, "old.txt"), new: filepath.Join(work, "new.txt"), mine: filepath.Join(work, "mine.txt"),
	}
	done := filepath.Join(work, "made")
	if _, err := os.Stat(done); err != nil {
		if err := c.generate(work); err != nil {
			return c, err
		}
		if err := os.WriteFile(done, nil, 0o644); err != nil {
			return c, err
		}
	}
	if err := os.MkdirAll(c.small, 0o755); err != nil {
		return c, err
	}
	return c, os.WriteFile(filepath.Join(c.small, "a.md"), []byte("# A note\n\nWith a line.\n"), 0o644)
}

func (c corpora) generate(work string) error {
	fmt.Fprintln(os.Stderr, "generating the corpora in", work)
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	w := newWriter(1)
	if err := w.notes(c.notes, noteCount); err != nil {
		return err
	}
	if err := w.pair(c); err != nil {
		return err
	}
	return makeRepo(c)
}

func makeRepo(c corpora) error {
	for _, args := range [][]string{
		{"cp", "-r", c.notes, c.repo},
		{"cp", "-r", c.notes, c.work},
		{"git", "-C", c.repo, "init", "-q"},
		{"git", "-C", c.repo, "add", "-A"},
		{"git", "-C", c.repo, "-c", "user.name=b", "-c", "user.email=b@example.com", "-c", "gc.auto=0", "commit", "-q", "-m", "first"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = gitEnv()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// writer writes text whose words come as often as words do: the k-th most
// frequent about one in k times.
type writer struct {
	r     *rand.Rand
	words []string
}

func newWriter(seed uint64) *writer {
	w := &writer{r: rand.New(rand.NewPCG(seed, 0))}
	onsets := strings.Fields("b c d f g h j k l m n p r s t v w z br cr dr gr pl st tr ch sh th")
	nuclei := strings.Fields("a e i o u ai ea io ou")
	codas := []string{"", "", "n", "r", "s", "t"}
	seen := map[string]bool{}
	w.words = strings.Fields("the of and to in a is that for it as was with be by on not he this are or from at")
	for len(w.words) < 20_000 {
		word := ""
		for range 1 + w.r.IntN(4) {
			word += onsets[w.r.IntN(len(onsets))] + nuclei[w.r.IntN(len(nuclei))]
		}
		word += codas[w.r.IntN(len(codas))]
		if !seen[word] {
			seen[word] = true
			w.words = append(w.words, word)
		}
	}
	return w
}

func (w *writer) word() string {
	// The inverse of the harmonic sum, near enough.
	k := int(math.Exp(w.r.Float64()*math.Log(float64(len(w.words))))) - 1
	return w.words[min(max(k, 0), len(w.words)-1)]
}

func (w *writer) phrase(least, most int) string {
	words := make([]string, least+w.r.IntN(most-least+1))
	for i := range words {
		words[i] = w.word()
	}
	return strings.Join(words, " ")
}

func (w *writer) sentence() string {
	s := w.phrase(6, 18)
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func (w *writer) note(size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\ntags: [%s, %s]\ndate: 20%02d-%02d-%02d\n---\n\n# %s\n", w.phrase(2, 5), w.word(), w.word(),
		15+w.r.IntN(12), 1+w.r.IntN(12), 1+w.r.IntN(28), w.phrase(2, 5))
	for b.Len() < size {
		b.WriteString("\n")
		switch x := w.r.IntN(100); {
		case x < 18:
			fmt.Fprintf(&b, "%s %s\n", strings.Repeat("#", 2+w.r.IntN(3)), w.phrase(2, 5))
		case x < 34:
			for range 3 + w.r.IntN(5) {
				fmt.Fprintf(&b, "- %s%s\n", []string{"", "", "[ ] ", "[x] "}[w.r.IntN(4)], w.phrase(3, 9))
			}
		case x < 38:
			fmt.Fprintf(&b, "```\n%s = %s(%d)\n```\n", w.word(), w.word(), w.r.IntN(1000))
		case x < 45:
			fmt.Fprintf(&b, "See [[note-%05d]] and [%s](../note-%05d.md).\n", w.r.IntN(noteCount), w.word(), w.r.IntN(noteCount))
		default:
			for range 2 + w.r.IntN(4) {
				b.WriteString(w.sentence() + " ")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (w *writer) notes(dir string, n int) error {
	var folders []string
	for i := range 20 {
		top := fmt.Sprintf("%02d-%s", i, w.word())
		folders = append(folders, top)
		for j := range 3 + w.r.IntN(10) {
			sub := fmt.Sprintf("%s/%s%d", top, w.word(), j)
			folders = append(folders, sub)
			for k := range w.r.IntN(5) {
				folders = append(folders, fmt.Sprintf("%s/%s%d", sub, w.word(), k))
			}
		}
	}
	for _, f := range folders {
		if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
			return err
		}
	}
	for i := range n {
		size := int(4096 * min(max(math.Exp(w.r.NormFloat64()*0.4-0.08), 0.1), 6))
		text := w.note(size)
		if i%2000 == 7 {
			text += "\nThe xyzzyneedle is here.\n"
		}
		name := filepath.Join(dir, folders[w.r.IntN(len(folders))], fmt.Sprintf("note-%05d.md", i))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pair writes old, new with about 1,000 scattered edits, and mine with as many
// others.
func (w *writer) pair(c corpora) error {
	lines := make([]string, 100_000)
	for i := range lines {
		if i%7 != 0 {
			lines[i] = w.sentence()
		}
	}
	for name, parity := range map[string]int{c.old: -1, c.new: 0, c.mine: 1} {
		text := strings.Join(w.edited(lines, parity), "\n") + "\n"
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// edited changes about one line in a hundred, in its own half of every block
// of lines, so that two editors seldom meet. A negative parity changes nothing.
func (w *writer) edited(lines []string, parity int) []string {
	r := rand.New(rand.NewPCG(2, uint64(parity+1)))
	var out []string
	for i, l := range lines {
		if parity < 0 || i/50%2 != parity || r.IntN(50) != 0 {
			out = append(out, l)
			continue
		}
		switch x := r.IntN(10); {
		case x < 6:
			out = append(out, "Edited: "+strings.ToUpper(l))
		case x < 8:
			out = append(out, l, fmt.Sprintf("Added line %d of %d.", i, parity), fmt.Sprintf("And another, %d.", r.IntN(1000)))
		}
	}
	return out
}
