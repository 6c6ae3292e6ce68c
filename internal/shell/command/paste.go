package command

import "io"

func init() {
	register(&Command{
		Name: "paste", About: "Write lines of several files side by side.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "d", Long: "delimiters", Value: "LIST", Help: "what to write between lines, in turn, in the place of tabs"},
			{Short: "s", Long: "serial", Help: "the lines of one file side by side"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
		},
		Run: paste,
	})
}

// noDelimiter is the \0 of paste -d: nothing.
const noDelimiter = -1

func paste(c *Call) int {
	delimiters := []int{'\t'}
	if list, ok := c.Value("d"); ok {
		if delimiters, ok = pasteDelimiters(list); !ok {
			return c.Fail(1, "delimiter list ends with an unescaped backslash: %s", list)
		}
	}
	if c.Flag("s") {
		return pasteSerial(c, delimiters)
	}
	return pasteParallel(c, delimiters)
}

// pasteDelimiters reads a list of bytes; false if it ends with a backslash.
func pasteDelimiters(list string) ([]int, bool) {
	if list == "" {
		return []int{noDelimiter}, true
	}
	var all []int
	for i := 0; i < len(list); i++ {
		if list[i] != '\\' {
			all = append(all, int(list[i]))
			continue
		}
		if i++; i == len(list) {
			return nil, false
		}
		switch list[i] {
		case '0':
			all = append(all, noDelimiter)
		case 'b':
			all = append(all, '\b')
		case 'f':
			all = append(all, '\f')
		case 'n':
			all = append(all, '\n')
		case 'r':
			all = append(all, '\r')
		case 't':
			all = append(all, '\t')
		case 'v':
			all = append(all, '\v')
		default:
			all = append(all, int(list[i]))
		}
	}
	return all, true
}

func writeDelimiter(c *Call, d int) {
	if d != noDelimiter {
		c.Out.WriteByte(byte(d))
	}
}

func pasteSerial(c *Call, delimiters []int) int {
	end := lineEnd(c)
	status := 0
	for _, name := range c.Inputs() {
		n := 0
		err := linesOf(c, name, end, func(line []byte, _ bool) {
			if n > 0 {
				writeDelimiter(c, delimiters[(n-1)%len(delimiters)])
			}
			n++
			c.Out.Write(line)
		})
		if err != nil {
			status = c.Fail(1, "%s: %s", plain(name), Reason(err))
			if !isDir(err) {
				continue
			}
		}
		c.Out.WriteByte(end)
	}
	return status
}

func pasteParallel(c *Call, delimiters []int) int {
	end := lineEnd(c)
	var files []*lineReader
	var standard *lineReader // all "-" take turns
	for _, name := range c.Inputs() {
		if stdin(name) && standard != nil {
			files = append(files, standard)
			continue
		}
		in, err := c.Open(name)
		if err != nil {
			return c.Fail(1, "%s: %s", plain(name), Reason(err))
		}
		defer in.Close()
		reader := newLineReader(in, end)
		if stdin(name) {
			standard = reader
		}
		files = append(files, reader)
	}
	var row []byte
	for !c.Stopped() {
		some := false
		row = row[:0]
		for i, file := range files {
			if line := file.next(); line != nil {
				some = true
				line, _ = chomp(line, end)
				row = append(row, line...)
			}
			if d := delimiters[i%len(delimiters)]; i < len(files)-1 && d != noDelimiter {
				row = append(row, byte(d))
			}
		}
		if !some {
			break
		}
		c.Out.Write(append(row, end))
	}
	for _, file := range files {
		if file.err != nil && file.err != io.EOF {
			return c.Fail(1, "read error: %s", Reason(file.err))
		}
	}
	return 0
}
