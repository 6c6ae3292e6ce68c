package command

import "io"

func init() {
	register(&Command{
		Name: "tee", About: "Write standard input to files and to standard output.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "a", Long: "append", Help: "write behind what is in the files"},
			{Short: "i", Long: "ignore-interrupts", Help: "nothing"},
			{Short: "p", Help: "nothing"},
		},
		Run: tee,
	})
}

func tee(c *Call) int {
	status := 0
	type sink struct {
		name string
		w    io.WriteCloser
	}
	var sinks []sink
	defer func() {
		for _, s := range sinks {
			s.w.Close()
		}
	}()
	for _, name := range c.Operands {
		w, err := c.create(name, c.Flag("a"))
		if err != nil {
			status = c.Fail(1, "%s: %s", plain(name), Reason(err))
			continue
		}
		sinks = append(sinks, sink{name, w})
	}
	buf := make([]byte, 32<<10)
	for c.Context.Err() == nil && (c.Out.err == nil || len(sinks) > 0) {
		n, err := c.In.Read(buf)
		c.Out.Write(buf[:n])
		c.Out.Flush()
		for i := 0; i < len(sinks); i++ {
			if _, err := sinks[i].w.Write(buf[:n]); err != nil {
				status = c.Fail(1, "%s: %s", plain(sinks[i].name), Reason(err))
				sinks[i].w.Close()
				sinks = append(sinks[:i], sinks[i+1:]...)
				i--
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return c.Fail(1, "read error: %s", Reason(err))
		}
	}
	return status
}

// create opens an operand for writing; /dev/stdout and /dev/stderr are the streams.
func (c *Call) create(name string, atEnd bool) (io.WriteCloser, error) {
	switch name {
	case "/dev/stdout", "/dev/fd/1":
		return nopCloser{c.Out}, nil
	case "/dev/stderr", "/dev/fd/2":
		return nopCloser{c.Err}, nil
	case "":
		_, err := c.Open(name)
		return nil, err
	}
	return c.Tree.Create(c.Path(name), atEnd)
}

// nopCloser is a stream that is not closed with the one who wrote to it.
type nopCloser struct{ io.Writer }

// Close implements io.Closer.
func (nopCloser) Close() error { return nil }
