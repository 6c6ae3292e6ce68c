package command

import "io"

// Output is the standard output of a command: buffered, and silent once nobody reads
// it any more. It is for one goroutine.
type Output struct {
	w   io.Writer
	buf []byte
	err error
}

const outputBuffer = 32 << 10

// NewOutput writes to w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if len(o.buf)+len(p) > outputBuffer {
		if err := o.Flush(); err != nil {
			return 0, err
		}
		if len(p) >= outputBuffer {
			_, o.err = o.w.Write(p)
			return len(p), o.err
		}
	}
	if o.buf == nil {
		o.buf = make([]byte, 0, min(outputBuffer, 4<<10))
	}
	o.buf = append(o.buf, p...)
	return len(p), nil
}

// WriteString implements io.StringWriter.
func (o *Output) WriteString(s string) (int, error) {
	if o.err == nil && len(o.buf)+len(s) <= outputBuffer && o.buf != nil {
		o.buf = append(o.buf, s...)
		return len(s), nil
	}
	return o.Write([]byte(s))
}

// WriteByte implements io.ByteWriter.
func (o *Output) WriteByte(b byte) error {
	_, err := o.Write([]byte{b})
	return err
}

// Flush writes what is in the buffer, and tells whether anything was lost.
func (o *Output) Flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
		o.buf = o.buf[:0]
	}
	return o.err
}

// inOrder is the standard error of a command: what it says comes after what it wrote
// before.
type inOrder struct {
	out *Output
	err io.Writer
}

// Write implements io.Writer.
func (w *inOrder) Write(p []byte) (int, error) {
	w.out.Flush()
	return w.err.Write(p)
}
