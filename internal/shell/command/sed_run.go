package command

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"redline/internal/shell/regex"
)

// sedMost is how many bytes a pattern or hold space may have.
const sedMost = 16 << 20

// sedRun is a run of a script.
type sedRun struct {
	c        *Call
	script   *sedScript
	quiet    bool
	end      byte // of lines
	width    int  // where l breaks lines
	separate bool
	inPlace  bool
	suffix   string
	names    []string // of the files that were not read yet
	ranges   []sedRange

	// The input: the file that is being read, and a line that was read ahead.
	in     io.Closer
	lines  *lineReader
	name   string
	now    string // the file of the current line
	ahead  []byte
	peeked bool
	line   int

	space, hold []byte
	chomped     bool // the line had an end
	holdOpen    bool // that of the hold space had none
	last        *regex.Regexp
	replaced    bool // since the last line was read, or the last t
	queue       []sedAppend
	spans       []int
	scratch     []byte

	out     *sedOutput
	files   map[string]*sedOutput
	sources map[string]*sedSource // of R
	edited  *bytes.Buffer         // the new content with -i
	steps   int
	status  int
	quit    bool
}

// sedRange is how far a command with two addresses is.
type sedRange struct {
	active, closed bool
	until          int
}

// sedAppend is something to write at the end of a cycle.
type sedAppend struct {
	text []byte
	file string // to read, if it is not ""
}

// sedOutput is a file that is written, with what its last line lacks.
type sedOutput struct {
	w       io.Writer
	missing bool // the last line had no end
	flush   func() error
}

// sedSource is a file of R.
type sedSource struct {
	lines *lineReader
	in    io.Closer
}

func (r *sedRun) run() int {
	r.out = &sedOutput{w: r.c.Out}
	r.files = map[string]*sedOutput{"/dev/stdout": {w: r.c.Out}, "/dev/stderr": {w: r.c.Err}}
	r.sources = map[string]*sedSource{}
	for _, k := range r.script.commands {
		name := k.file
		if k.subst != nil {
			name = k.subst.file
		} else if k.name != 'w' && k.name != 'W' {
			continue
		}
		if name == "" || r.files[name] != nil {
			continue
		}
		w, err := r.c.create(name, false)
		if err != nil {
			return r.c.Fail(sedPanic, "couldn't open file %s: %s", name, Reason(err))
		}
		defer w.Close()
		buffered := NewOutput(w)
		r.files[name] = &sedOutput{w: buffered, flush: buffered.Flush}
	}
	r.resetRanges()
	code, err := r.cycles()
	if err == nil {
		err = r.closeFile()
	}
	if r.in != nil {
		r.in.Close()
	}
	for _, s := range r.sources {
		if s.in != nil {
			s.in.Close()
		}
	}
	for _, f := range r.files {
		if f.flush != nil && err == nil {
			err = f.flush()
		}
	}
	switch {
	case err != nil:
		return sedStatus(r.c, err)
	case r.quit && code != 0:
		return code & 0xff
	}
	return r.status
}

// cycles reads line after line and runs the script. It returns the status of q and Q.
func (r *sedRun) cycles() (int, error) {
	restart := false
	for !r.c.Stopped() {
		if !restart {
			ok, err := r.read(false)
			if err != nil || !ok {
				return 0, err
			}
		}
		next, code, err := r.execute()
		if err != nil {
			return 0, err
		}
		restart = next == sedAgain
		if !r.quiet && (next == sedNext || next == sedDone) {
			err = r.printSpace()
			if err == nil && next == sedDone {
				err = r.writeError(r.out.start(r.end))
			}
			if err != nil {
				return 0, err
			}
		}
		if next != sedHalt {
			if err := r.dumpQueue(); err != nil {
				return 0, err
			}
		}
		if next == sedDone || next == sedHalt {
			r.quit = true
			return code, nil
		}
	}
	return 0, nil
}

// What comes after the script was run on a line.
const (
	sedOn      = iota // the script goes on
	sedNext           // print, next line
	sedDeleted        // next line
	sedAgain          // the same space once more
	sedDone           // print, end
	sedHalt           // end
)

// more tells whether there is another line: of this file, or of the ones behind it if
// they count as one.
func (r *sedRun) more() (bool, error) {
	for !r.peeked {
		if r.lines != nil {
			line := r.lines.next()
			if line != nil {
				r.ahead = append(r.ahead[:0], line...)
				r.peeked = true
				break
			}
			if err := r.lines.err; err != nil {
				return false, &errSed{sedPanic, "read error on " + r.name + ": " + Reason(err)}
			}
		}
		if r.separate && r.lines != nil {
			return false, nil
		}
		ok, err := r.open()
		if err != nil || !ok {
			return false, err
		}
	}
	return r.peeked, nil
}

// read takes the next line: in the place of the space, or behind it.
func (r *sedRun) read(behind bool) (bool, error) {
	for {
		ok, err := r.more()
		if err != nil {
			return false, err
		}
		if ok {
			break
		}
		if !r.separate || len(r.names) == 0 {
			return false, nil
		}
		if err := r.closeFile(); err != nil {
			return false, err
		}
		if ok, err := r.open(); err != nil || !ok {
			return false, err
		}
		r.line, r.hold, r.holdOpen = 0, nil, false
		r.resetRanges()
	}
	r.peeked, r.now = false, r.name
	r.line++
	line, whole := chomp(r.ahead, r.end)
	r.chomped = whole
	if behind {
		r.space = append(r.space, r.end)
	} else {
		r.space = r.space[:0]
	}
	r.replaced = r.replaced && behind
	if len(r.space)+len(line) > sedMost {
		return false, errSedFull
	}
	r.space = append(r.space, line...)
	return true, nil
}

var errSedFull = &errSed{sedPanic, "the pattern space has more than 16 MB: work on less of the text at once"}

// open opens the next file that can be read; false if there is none.
func (r *sedRun) open() (bool, error) {
	for len(r.names) > 0 {
		name := r.names[0]
		r.names = r.names[1:]
		in, err := r.c.Open(name)
		switch {
		case isDir(err) && r.inPlace:
			return false, &errSed{sedPanic, "couldn't edit " + name + ": not a regular file"}
		case isDir(err):
			return false, &errSed{sedPanic, "read error on " + name + ": " + Reason(err)}
		case err != nil:
			r.status = r.c.Fail(sedBadInput, "can't read %s: %s", name, Reason(err))
			continue
		}
		if r.in != nil {
			r.in.Close()
		}
		r.in, r.name, r.lines = in, name, newLineReader(in, r.end)
		if r.inPlace {
			r.edited = &bytes.Buffer{}
			r.out = &sedOutput{w: r.edited}
		}
		return true, nil
	}
	return false, nil
}

// closeFile writes what became of a file with -i.
func (r *sedRun) closeFile() error {
	if r.edited == nil || r.c.Context.Err() != nil {
		return nil
	}
	path := r.c.Path(r.name)
	info, err := r.c.Tree.Stat(path)
	if err != nil {
		return err
	}
	if r.suffix != "" {
		old, err := r.c.Tree.ReadFile(path)
		if err == nil {
			err = r.c.Tree.WriteFile(r.c.Path(backupName(r.name, r.suffix)), old, info.Mode().Perm())
		}
		if err != nil {
			return &errSed{sedPanic, "cannot rename " + r.name + ": " + Reason(err)}
		}
	}
	if err := r.c.Tree.WriteFile(path, r.edited.Bytes(), info.Mode().Perm()); err != nil {
		return &errSed{sedPanic, "couldn't open file " + r.name + ": " + Reason(err)}
	}
	r.edited = nil
	return nil
}

// start ends a line that has no end, before something else is written.
func (o *sedOutput) start(end byte) error {
	if !o.missing {
		return nil
	}
	o.missing = false
	_, err := o.w.Write([]byte{end})
	return err
}

// print writes a line to an output.
func (r *sedRun) print(o *sedOutput, line []byte, whole bool) error {
	if err := o.start(r.end); err != nil {
		return r.writeError(err)
	}
	_, err := o.w.Write(line)
	if err == nil && whole {
		_, err = o.w.Write([]byte{r.end})
	}
	o.missing = !whole
	return r.writeError(err)
}

// writeError is nil for an output that nobody reads any more: the loop ends by itself.
func (r *sedRun) writeError(err error) error {
	if err == nil || r.c.Out.err != nil {
		return nil
	}
	return &errSed{sedPanic, "couldn't write: " + Reason(err)}
}

// printFirst writes the first line of the space.
func (r *sedRun) printFirst(o *sedOutput) error {
	line, _, cut := bytes.Cut(r.space, []byte{r.end})
	return r.print(o, line, cut || r.chomped)
}

func (r *sedRun) printSpace() error { return r.print(r.out, r.space, r.chomped) }

// raw writes a text as it is.
func (r *sedRun) raw(o *sedOutput, text []byte) error {
	err := o.start(r.end)
	if err == nil {
		_, err = o.w.Write(text)
	}
	return r.writeError(err)
}

// dumpQueue writes what a, r and R have left for the end of the cycle.
func (r *sedRun) dumpQueue() error {
	for _, a := range r.queue {
		text := a.text
		if a.file != "" {
			text, _ = r.c.Read(a.file) // one that cannot be read is as an empty one
		}
		if err := r.raw(r.out, text); err != nil {
			return err
		}
	}
	r.queue = r.queue[:0]
	return nil
}

// show is the command l.
func (r *sedRun) show(width int) error {
	var b []byte
	column := 0
	for _, c := range r.space {
		piece := sedVisible(c)
		if width > 0 && column+len(piece) > width-1 {
			b = append(b, '\\', r.end)
			column = 0
		}
		b = append(b, piece...)
		column += len(piece)
	}
	return r.raw(r.out, append(b, '$', r.end))
}

// sedVisible is a byte as the command l shows it.
func sedVisible(c byte) string {
	const letters = "abtnvfr"
	switch {
	case c == '\\':
		return `\\`
	case '\a' <= c && c <= '\r':
		return `\` + letters[c-'\a':c-'\a'+1]
	case c < ' ' || c >= 0x7f:
		return fmt.Sprintf(`\%03o`, c)
	}
	return string(rune(c))
}

// transliterate is the command y.
func (r *sedRun) transliterate(table map[rune]rune) {
	out := r.scratch[:0]
	for i := 0; i < len(r.space); {
		c, n := utf8.DecodeRune(r.space[i:])
		if to, ok := table[c]; ok && !(c == utf8.RuneError && n == 1) {
			out = utf8.AppendRune(out, to)
		} else {
			out = append(out, r.space[i:i+n]...)
		}
		i += n
	}
	r.space, r.scratch = out, r.space
}

func (r *sedRun) number() []byte { return strconv.AppendInt(nil, int64(r.line), 10) }
