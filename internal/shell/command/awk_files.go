package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"redline/internal/shell/tree"
)

// awkInput is the files that a program reads record by record. The interpreter knows
// each as "-", its standard input: it reads them from here one after the other, each to
// its end.
type awkInput struct {
	run    *awkRun
	queue  []awkOperand
	begun  bool
	name   string // of the file that is read
	in     io.ReadCloser
	double bool // CRs before newlines are doubled: the interpreter takes one away

	held []byte // what was read and not yet given
	tail bool   // the last byte read was a CR that is held back
	done bool   // the file is at its end
}

// awkOperand is a file to read.
type awkOperand struct {
	name  string
	plain bool // RS was set to something else than a newline by an argument before
}

// arguments are what the interpreter gets for the operands.
func (a *awkRun) arguments(r *awkRewriting) []string {
	a.input = awkInput{run: a, double: true}
	args := make([]string, len(a.args))
	plain := false
	for i, arg := range a.args {
		if name, value, ok := strings.Cut(arg, "="); ok && awkName.MatchString(name) {
			if args[i] = arg; name == "RS" {
				plain = value != `\n` && value != "\n"
			}
			continue
		}
		if args[i] = arg; arg == "" {
			continue
		}
		args[i] = "-"
		if !r.argv {
			a.input.queue = append(a.input.queue, awkOperand{arg, plain})
		}
	}
	for i := 0; i < len(a.vars); i += 2 {
		if a.vars[i] == "RS" {
			a.input.double = a.vars[i+1] == "\n"
		}
	}
	return args
}

// enqueue takes a name that the program has left in ARGV, and returns what the
// interpreter finds there.
func (i *awkInput) enqueue(name string) string {
	if variable, _, ok := strings.Cut(name, "="); name == "" || ok && awkName.MatchString(variable) {
		return name
	}
	i.queue = append(i.queue, awkOperand{name: name})
	return "-"
}

// Read implements io.Reader. Each file ends with io.EOF; the next call begins with the
// next one.
func (i *awkInput) Read(p []byte) (int, error) {
	if err := i.run.Context.Err(); err != nil {
		return 0, err
	}
	if i.in == nil && !i.open() {
		return 0, io.EOF
	}
	for len(i.held) == 0 {
		if i.done {
			i.close()
			return 0, io.EOF
		}
		if err := i.fill(len(p)); err != nil {
			return 0, err
		}
	}
	n := copy(p, i.held)
	i.held = i.held[n:]
	return n, nil
}

// fill reads a piece of the file.
func (i *awkInput) fill(size int) error {
	piece := make([]byte, max(size/2, 512))
	n, err := i.in.Read(piece)
	piece = piece[:n]
	if i.tail {
		piece = append([]byte("\r"), piece...)
		i.tail = false
	}
	if err == io.EOF {
		i.done, err = true, nil
	}
	if !i.double {
		i.held = piece
		return err
	}
	if !i.done && bytes.HasSuffix(piece, []byte("\r")) {
		i.tail = true
		piece = piece[:len(piece)-1]
	}
	if bytes.IndexByte(piece, '\r') >= 0 {
		piece = bytes.ReplaceAll(piece, []byte("\r\n"), []byte("\r\r\n"))
		if i.done && bytes.HasSuffix(piece, []byte("\r")) {
			piece = append(piece, '\r')
		}
	}
	i.held = piece
	return err
}

// open opens the next file, and tells whether there is anything to read in it.
func (i *awkInput) open() bool {
	next := awkOperand{name: "-"}
	switch {
	case len(i.queue) > 0:
		next, i.queue = i.queue[0], i.queue[1:]
	case i.begun:
		return false
	}
	i.begun = true
	i.name = next.name
	i.double = i.double && !next.plain
	in, err := i.run.Open(next.name)
	switch {
	case errors.Is(err, tree.ErrIsDir):
		i.run.Fail(0, "warning: command line argument `%s' is a directory: skipped", next.name)
		return false
	case err != nil:
		i.run.failed = true
		i.run.Fail(0, "cannot open %s (%s)", next.name, Reason(err))
		return false
	}
	i.in, i.done, i.tail, i.held = in, false, false, nil
	return true
}

func (i *awkInput) close() {
	if i.in != nil {
		i.in.Close()
		i.in = nil
	}
}

// awkReader is a file that is read by getline.
type awkReader struct {
	in   *bufio.Reader
	file io.Closer
}

// read reads the next record of a file; the text of it is kept. The result is 1, 0 at
// the end, or -1.
func (a *awkRun) read(name, separator string) (int, error) {
	if err := a.Context.Err(); err != nil {
		return 0, err
	}
	a.state, a.text = -1, ""
	if out := a.outputs[name]; out != nil {
		if err := out.buffer.Flush(); err != nil {
			return 0, err
		}
	}
	r := a.readers[name]
	if r == nil {
		in, err := a.Open(name)
		if err != nil {
			return a.state, nil
		}
		r = &awkReader{in: bufio.NewReader(in), file: in}
		a.readers[name] = r
	}
	record, err := r.record(a, separator)
	switch {
	case err == io.EOF:
		a.state = 0
	case err != nil:
		return 0, err
	default:
		a.state, a.text = 1, string(record)
	}
	return a.state, nil
}

// longestRecord is how long a record may be, as for the files that the interpreter
// reads.
const longestRecord = 10 << 20

var errLongRecord = errors.New("a record is longer than 10 MB")

func (r *awkReader) record(a *awkRun, separator string) ([]byte, error) {
	switch {
	case separator == "":
		return r.paragraph()
	case len(separator) == 1:
		return r.until(separator[0])
	}
	re, err := a.pattern(separator)
	if err != nil {
		return nil, err
	}
	return r.untilMatch(re)
}

func (r *awkReader) until(end byte) ([]byte, error) {
	var record []byte
	for {
		piece, err := r.in.ReadSlice(end)
		record = append(record, piece...)
		switch {
		case len(record) > longestRecord:
			return nil, errLongRecord
		case err == nil:
			return record[:len(record)-1], nil
		case err == io.EOF && len(record) > 0:
			return record, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// paragraph is a record that ends with an empty line.
func (r *awkReader) paragraph() ([]byte, error) {
	var record []byte
	for {
		line, err := r.until('\n')
		switch {
		case err == io.EOF && record != nil, err == nil && len(line) == 0 && record != nil:
			return record[:len(record)-1], nil
		case err != nil:
			return nil, err
		case len(line) == 0:
			continue
		}
		record = append(append(record, line...), '\n')
		if len(record) > longestRecord {
			return nil, errLongRecord
		}
	}
}

func (r *awkReader) untilMatch(re *regexp.Regexp) ([]byte, error) {
	// A match must be seen with what follows it, so all of the rest is read.
	rest, err := io.ReadAll(io.LimitReader(r.in, longestRecord+1))
	switch {
	case err != nil:
		return nil, err
	case len(rest) == 0:
		return nil, io.EOF
	case len(rest) > longestRecord:
		return nil, errLongRecord
	}
	at := re.FindIndex(rest)
	if at == nil || at[0] == at[1] {
		return bytes.TrimSuffix(rest, []byte("\n")), nil
	}
	r.in = bufio.NewReader(bytes.NewReader(rest[at[1]:]))
	return rest[:at[0]], nil
}

// awkOutput is a file that is written by print.
type awkOutput struct {
	buffer *bufio.Writer
	file   io.Closer
}

// print writes to a file, which is opened when the first thing is printed.
func (a *awkRun) print(atEnd int, name, between, end string, values ...string) (int, error) {
	var w io.Writer
	switch name {
	case "", "-", "/dev/stdout":
		if name == "" {
			return 0, errors.New("expression for `>' redirection has null string value")
		}
		w = a.Out
	case "/dev/stderr":
		w = a.Err
	default:
		out, err := a.output(name, atEnd != 0)
		if err != nil {
			return 0, err
		}
		w = out.buffer
	}
	if err := a.Context.Err(); err != nil {
		return 0, err
	}
	_, err := io.WriteString(w, strings.Join(values, between)+end)
	return 0, err
}

// mostOutputs is how many files a program may have open for writing.
const mostOutputs = 1000

func (a *awkRun) output(name string, atEnd bool) (*awkOutput, error) {
	if out := a.outputs[name]; out != nil {
		return out, nil
	}
	if len(a.outputs) >= mostOutputs {
		return nil, fmt.Errorf("more than %d files are open: close(file) those that are done", mostOutputs)
	}
	f, err := a.Tree.Create(a.Path(name), atEnd)
	if err != nil {
		return nil, fmt.Errorf("cannot redirect to `%s': %s", name, Reason(err))
	}
	out := &awkOutput{buffer: bufio.NewWriter(f), file: f}
	a.outputs[name] = out
	return out, nil
}

func (a *awkRun) openOutputs() []string { return slices.Sorted(maps.Keys(a.outputs)) }

// closeFile is close(): 0, or -1 if nothing of the name is open.
func (a *awkRun) closeFile(name string) (int, error) {
	status := -1
	if r := a.readers[name]; r != nil {
		r.file.Close()
		delete(a.readers, name)
		status = 0
	}
	if a.outputs[name] != nil {
		return 0, a.closeOutput(name)
	}
	return status, nil
}

func (a *awkRun) closeOutput(name string) error {
	out := a.outputs[name]
	delete(a.outputs, name)
	err := out.buffer.Flush()
	out.file.Close()
	if err != nil {
		return fmt.Errorf("cannot write to `%s': %s", name, Reason(err))
	}
	return nil
}

// flush is fflush() of some files.
func (a *awkRun) flush(names ...string) (int, error) {
	for _, name := range names {
		if out := a.outputs[name]; out != nil {
			if err := out.buffer.Flush(); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}
