package command

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// wordReader reads the words of xargs.
type wordReader struct {
	call    *Call
	in      io.Reader
	quotes  bool // blanks and newlines end words, quotes and backslashes keep them
	end     byte // of words without quotes
	whole   bool // a line is a word, without the blanks before it
	last    string
	hasLast bool // the word last ends the input
	trace   bool

	r       *bufio.Reader
	err     error
	lineEnd bool // the word is the last of its line
	done    bool
	warned  bool // of a NUL
}

// mostWord is how long a word may be; bytes.
const mostWord = 1 << 20

var errLongWord = errors.New("argument line too long")

// next is the next word; false at the end, or with err.
func (w *wordReader) next() (string, bool) {
	if w.r == nil {
		w.r = bufio.NewReader(w.in)
	}
	if w.done || w.err != nil {
		return "", false
	}
	word, ok := "", false
	if w.quotes {
		word, ok = w.quoted()
	} else {
		word, ok = w.plain()
	}
	if at := strings.IndexByte(word, 0); at >= 0 {
		if w.quotes && !w.warned {
			w.warned = true
			w.call.Fail(0, "WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?")
		}
		word = word[:at]
	}
	if ok && w.hasLast && word == w.last && w.quotes {
		w.done = true
		return "", false
	}
	return word, ok
}

// plain reads up to the delimiter.
func (w *wordReader) plain() (string, bool) {
	var b strings.Builder
	w.lineEnd = true
	for {
		piece, err := w.r.ReadSlice(w.end)
		b.Write(piece)
		switch {
		case err == nil:
			s := b.String()
			return s[:len(s)-1], true
		case b.Len() > mostWord:
			w.err = errLongWord
			return "", false
		case err == bufio.ErrBufferFull:
		case b.Len() > 0:
			w.done = true
			return b.String(), true
		default:
			w.done = true
			return "", false
		}
	}
}

// quoted reads a word, or a line, in which quotes and backslashes are special.
func (w *wordReader) quoted() (string, bool) {
	var b strings.Builder
	begun := false
	var quote byte
	for {
		c, err := w.r.ReadByte()
		if err != nil {
			w.done, w.lineEnd = true, true
			if quote != 0 {
				w.err = errQuote[quote]
				return "", false
			}
			return b.String(), begun
		}
		if b.Len() > mostWord {
			w.err = errLongWord
			return "", false
		}
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && c == '\n':
			w.err = errQuote[quote]
			return "", false
		case quote != 0:
			b.WriteByte(c)
		case c == '\n' && begun:
			w.lineEnd = true
			return b.String(), true
		case c == '\n':
		case (c == ' ' || c == '\t') && (!begun || !w.whole):
			if begun {
				w.lineEnd = w.atLineEnd()
				return b.String(), true
			}
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == '\\':
			if c, err = w.r.ReadByte(); err == nil {
				b.WriteByte(c)
			}
			begun = true
		default:
			b.WriteByte(c)
			begun = true
		}
	}
}

// atLineEnd skips nothing: a line that ends in a blank goes on in the next one.
func (w *wordReader) atLineEnd() bool {
	for {
		next, err := w.r.Peek(1)
		if err != nil {
			return true
		}
		switch next[0] {
		case ' ', '\t':
			w.r.ReadByte()
		case '\n':
			w.r.ReadByte() // the line goes on
			return false
		default:
			return false
		}
	}
}
