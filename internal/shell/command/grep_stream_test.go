package command_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// TestStream: grep prints the same for a text that comes piece by piece as for a file.
func TestStream(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"word", "a", "", "two words", "x", "é", "end"}
	options := []string{"", "-n", "-v", "-vn", "-c", "-vc", "-o", "-ob", "-b", "-A1", "-B1", "-nB2", "-C1", "-nC2", "-vnC1", "-m1", "-m2", "-nm1 -A2", "-q", "-l", "-L", "-x", "-nw", "-z", "-zc", "-i", "-vm2 -B1"}
	for range 800 {
		var lines []string
		for range random.IntN(12) {
			lines = append(lines, words[random.IntN(len(words))])
		}
		text := strings.Join(lines, "\n")
		if random.IntN(3) > 0 && len(lines) > 0 {
			text += "\n"
		}
		if random.IntN(20) == 0 {
			text += "nul\x00 word\n"
		}
		args := append([]string{"grep", "-h", "word"}, strings.Fields(options[random.IntN(len(options))])...)
		file := invocation{base: folder(map[string]string{"f": text}), args: append(args, "f")}.run(t)
		var in io.Reader = strings.NewReader(text)
		switch random.IntN(3) {
		case 0:
			in = iotest.OneByteReader(in)
		case 1:
			in = iotest.HalfReader(iotest.DataErrReader(in))
		}
		stream := invocation{base: folder(nil), in: in, args: append(args, "-")}.run(t)
		stream.stdout = strings.ReplaceAll(stream.stdout, "(standard input)", "f")
		stream.stderr = strings.ReplaceAll(stream.stderr, "(standard input)", "f")
		if strings.Contains(text, "\x00") { // what came before the NUL was shown as text
			stream.stdout, stream.stderr, file.stdout, file.stderr = "", "", "", ""
		}
		if stream != file {
			t.Fatalf("%q of %q: a file gives %+v, a stream %+v", args, text, file, stream)
		}
	}
}

// TestLongLine: a line of 10 MB is searched, from a file and from a stream.
func TestLongLine(t *testing.T) {
	text := strings.Repeat("long ", 2<<20) + "word\nnext\n"
	for _, i := range []invocation{
		{base: folder(map[string]string{"f": text}), args: []string{"grep", "-c", "word", "f"}},
		{base: folder(nil), in: strings.NewReader(text), args: []string{"grep", "-c", "word"}},
		{base: folder(map[string]string{"f": text}), args: []string{"grep", "-cv", "word", "f"}},
		{base: folder(map[string]string{"f": text}), args: []string{"rg", "-c", "word", "f"}},
	} {
		if r := i.run(t); r.stdout != "1\n" {
			t.Errorf("%q: %q, %q", i.args, r.stdout, r.stderr)
		}
	}
}
