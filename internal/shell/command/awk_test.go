package command_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAwkStops: a program ends when the script is aborted, wherever it is.
func TestAwkStops(t *testing.T) {
	for _, program := range []string{
		`BEGIN { while (1) { } }`,
		`BEGIN { while (1) print "x" }`,
		`BEGIN { while (1) print "x" > "/dev/stderr" }`,
		`BEGIN { while ((getline line < "nope") < 0) n++ }`,
		`BEGIN { while ((getline line) > 0) n++ }`,
		`function f(n) { return n > 500 ? 0 : f(n + 1) } BEGIN { while (1) f(0) }`,
		`{ n++ }`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		r := invocation{base: folder(nil), ctx: ctx, in: sameLines{}, args: []string{"awk", program}, output: io.Discard}.run(t)
		if cancel(); r.status == 0 {
			t.Errorf("%s ended with status 0", program)
		}
	}
}

// sameLines is an input without an end.
type sameLines struct{}

// Read implements io.Reader.
func (sameLines) Read(p []byte) (int, error) { return copy(p, "a line\nand another\n"), nil }

// TestSleep: sleep takes its time, and ends with the script.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if r := (invocation{base: folder(nil), args: []string{"sleep", "1m", "0.5"}}).run(t); r.status != 0 || time.Since(began) != 60500*time.Millisecond {
			t.Errorf("status %d after %v", r.status, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if r := (invocation{base: folder(nil), ctx: ctx, args: []string{"sleep", "1d"}}).run(t); r.status == 0 || time.Since(began) != 61500*time.Millisecond {
			t.Errorf("aborted: status %d after %v", r.status, time.Since(began))
		}
	})
}

// FuzzAwk: no program reads or writes outside, breaks the interpreter or goes on for
// ever.
func FuzzAwk(f *testing.F) {
	for _, program := range []string{
		`{ print > "x"; print $1, $2 >> "y" FILENAME }`, `BEGIN { while ((getline a[i++] < ARGV[1]) > 0) n++; close(ARGV[1]) } END { print n }`,
		`{ gsub(/a/, "&b", $2); sub("x", $1); s = s $0 sprintf("%s%5d", $1, NR) } END { print s | "cat" }`,
		`match($0, /(a)(b)/, m) { print m[1] gensub(/x/, "y", "g") }`, `function f(x, y) { return x ** y / 2 } /a/, /b/ { print f(1, 2) (3) "x" -1; nextfile }`,
		`BEGIN { printf("%s %s\n", 1, 2) > "/dev/stderr"; getline < "../../etc/passwd"; print }`, "{ print # c\n}", `BEGIN { if (x) nextfile; else for (k in a) delete a[k] }`,
		`NR==1{print(1)(2)>"o"} $1~"a"{print;next} {split($0,a,/ /); x=a[1]a[2]; print x>y}`,
	} {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program string) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		r := invocation{base: folder(map[string]string{"a.md": "a b\nb c\n", "b.md": "x\r\ny"}), ctx: ctx, in: strings.NewReader("in\n"), args: []string{"awk", program, "a.md", "b.md"}}.run(t)
		if strings.Contains(r.stderr, "broke down") || strings.Contains(r.stdout+r.stderr, "root:") {
			t.Fatalf("%s\n%s%s", program, r.stdout, r.stderr)
		}
	})
}
