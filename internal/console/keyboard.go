package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"
)

// errInterrupt is Ctrl-C.
var errInterrupt = errors.New("interrupted")

// keyboard reads what the user types: key by key and with line editing where it
// is a terminal, else line by line. The terminal is in raw mode only while it
// waits.
type keyboard struct {
	in         io.Reader
	file       *os.File // in, if it is a terminal that can be read key by key
	screen     *screen
	interrupts <-chan os.Signal

	typed []byte // read and not yet used
	// A read cannot be called off: one that nobody waits for any more goes on,
	// and the next who wants input gets what it brings.
	pending chan piece
	feed    lineFeed
	editor  *term.Terminal // remembers the lines
}

type piece struct {
	data []byte
	err  error
}

func newKeyboard(in io.Reader, s *screen, interrupts <-chan os.Signal, dumb bool) *keyboard {
	k := &keyboard{in: in, screen: s, interrupts: interrupts}
	if f, ok := in.(*os.File); ok && !dumb && term.IsTerminal(int(f.Fd())) {
		k.file = f
	}
	return k
}

// fill waits for input.
func (k *keyboard) fill(ctx context.Context) error {
	if k.in == nil {
		return io.EOF
	}
	if k.pending == nil {
		pending := make(chan piece, 1)
		k.pending = pending
		go func() {
			data := make([]byte, 4096)
			n, err := k.in.Read(data)
			pending <- piece{data[:n], err}
		}()
	}
	select {
	case p := <-k.pending:
		k.pending = nil
		k.typed = append(k.typed, p.data...)
		if len(p.data) == 0 && p.err != nil {
			return p.err
		}
		return nil
	case <-k.interrupts:
		return errInterrupt
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forget drops what was typed before it was asked for: what it answers must have
// been seen.
func (k *keyboard) forget() {
	if k.file == nil {
		return
	}
	k.typed = nil
	select {
	case <-k.pending:
		k.pending = nil
	default:
	}
	flush(k.file)
}

// raw switches the terminal to reading keys, until the returned function is
// called.
func (k *keyboard) raw() (restore func(), ok bool) {
	if k.file == nil {
		return func() {}, false
	}
	before, err := term.MakeRaw(int(k.file.Fd()))
	if err != nil {
		return func() {}, false
	}
	return func() { _ = term.Restore(int(k.file.Fd()), before) }, true
}

const (
	ctrlC = 3
	ctrlD = 4
	enter = '\r'
)

// key asks and returns the key that was pressed; without a terminal that is read
// key by key, the first character of a line. Ctrl-C is errInterrupt, Ctrl-D and
// the end of input io.EOF.
func (k *keyboard) key(ctx context.Context, question string) (rune, error) {
	k.screen.erase()
	restore, ok := k.raw() // before it asks, so that a Ctrl-C that answers is a key
	k.screen.text(question)
	if !ok {
		line, err := k.plainLine(ctx)
		if err != nil {
			return 0, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return enter, nil
		}
		r, _ := utf8.DecodeRune(line)
		return r, nil
	}
	r, err := k.rawKey(ctx)
	restore()
	switch {
	case err != nil:
		k.screen.text("\n")
	case r > ' ':
		k.screen.text(Clean(string(r)) + "\n")
	default:
		k.screen.text("\n")
	}
	return r, err
}

func (k *keyboard) rawKey(ctx context.Context) (rune, error) {
	for {
		for len(k.typed) == 0 || !utf8.FullRune(k.typed) || escape(k.typed) < 0 {
			if err := k.fill(ctx); err != nil {
				return 0, err
			}
		}
		if n := escape(k.typed); n > 0 { // an arrow, a function key
			k.typed = k.typed[n:]
			continue
		}
		r, n := utf8.DecodeRune(k.typed)
		k.typed = k.typed[n:]
		switch r {
		case ctrlC:
			return 0, errInterrupt
		case ctrlD:
			return 0, io.EOF
		case '\n':
			return enter, nil
		}
		return r, nil
	}
}

// escape is the length of the escape sequence at the beginning of b: 0 if there is
// none, -1 if its end is not there yet. A letter in one must never be taken for a
// key, so a single Esc swallows the next one.
func escape(b []byte) int {
	if b[0] != 0x1b {
		return 0
	}
	if len(b) > 1 && b[1] != '[' && b[1] != 'O' {
		_, n := utf8.DecodeRune(b[1:])
		return 1 + n
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	return -1
}

// plainLine reads a line without its end.
func (k *keyboard) plainLine(ctx context.Context) ([]byte, error) {
	for {
		if i := bytes.IndexByte(k.typed, '\n'); i >= 0 {
			line := bytes.TrimSuffix(k.typed[:i], []byte{'\r'})
			k.typed = k.typed[i+1:]
			k.screen.inLine = false // the terminal has shown the line end
			return line, nil
		}
		err := k.fill(ctx)
		if errors.Is(err, io.EOF) && len(k.typed) > 0 {
			line := k.typed
			k.typed = nil
			return line, nil
		}
		if err != nil {
			k.screen.fresh()
			return nil, err
		}
	}
}

// line asks and returns a line. Errors are those of key.
func (k *keyboard) line(ctx context.Context, prompt string) (string, error) {
	k.screen.erase()
	k.screen.fresh()
	restore, ok := k.raw()
	if !ok {
		k.screen.text(prompt)
		line, err := k.plainLine(ctx)
		return string(line), err
	}
	line, err := k.editLine(ctx, prompt)
	restore()
	if err != nil {
		k.screen.text("\n")
	}
	return line, err
}
