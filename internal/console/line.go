package console

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"golang.org/x/term"
)

// editLine reads a line with editing and history, from a terminal in raw mode. A
// pasted text of several lines is one line; an Enter that was typed ends it.
func (k *keyboard) editLine(ctx context.Context, prompt string) (string, error) {
	if k.editor == nil {
		k.feed.keys = k
		k.editor = term.NewTerminal(&k.feed, "")
	}
	k.feed.ctx = ctx
	k.editor.SetPrompt(prompt)
	_ = k.editor.SetSize(k.screen.width, 24)
	k.editor.SetBracketedPasteMode(true)
	defer k.editor.SetBracketedPasteMode(false)
	var pasted strings.Builder
	for {
		line, err := k.editor.ReadLine()
		if errors.Is(err, term.ErrPasteIndicator) {
			pasted.WriteString(line + "\n")
			k.editor.SetPrompt("... ")
			continue
		}
		if err != nil {
			// What was typed so far is dropped, which the editor has no word for.
			history := k.editor.History
			k.editor = term.NewTerminal(&k.feed, "")
			k.editor.History = history
			return "", err
		}
		return pasted.String() + line, nil
	}
}

// lineFeed is what the line editor reads and writes. It gives at most one line at
// a time: what is typed ahead stays for whoever asks next.
type lineFeed struct {
	keys *keyboard
	ctx  context.Context // of the line that is being read
}

func (f *lineFeed) Read(p []byte) (int, error) {
	k := f.keys
	for len(k.typed) == 0 {
		if err := k.fill(f.ctx); err != nil {
			return 0, err
		}
	}
	if k.typed[0] == ctrlC {
		k.typed = k.typed[1:]
		return 0, errInterrupt
	}
	n := len(k.typed)
	if i := bytes.IndexAny(k.typed, "\r\n\x03"); i >= 0 {
		n = i
		if k.typed[i] != ctrlC {
			n++
		}
		if bytes.HasPrefix(k.typed[i:], []byte("\r\n")) {
			n++
		}
	}
	n = copy(p, k.typed[:n])
	k.typed = k.typed[n:]
	return n, nil
}

func (f *lineFeed) Write(p []byte) (int, error) {
	f.keys.screen.write(string(p))
	return len(p), f.keys.screen.err
}
