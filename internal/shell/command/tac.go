package command

import "bytes"

func init() {
	register(&Command{
		Name: "tac", About: "Write files with their last line first.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "b", Long: "before", Help: "what separates lines stands before them"},
			{Short: "r", Long: "regex", Refused: "give the separator as it is, with -s"},
			{Short: "s", Long: "separator", Value: "STRING", Help: "what separates lines, in the place of a newline"},
		},
		Run: tac,
	})
}

func tac(c *Call) int {
	separator := []byte("\n")
	if s, ok := c.Value("s"); ok {
		separator = []byte(s)
		if s == "" {
			separator = []byte{0}
		}
	}
	status := 0
	for _, name := range c.Inputs() {
		data, err := c.Read(name)
		switch {
		case isDir(err):
			status = c.Fail(1, "%s: read error: %s", plain(name), Reason(err))
		case err != nil:
			status = c.Fail(1, "failed to open %s for reading: %s", Quote(name), Reason(err))
		case c.Flag("b"):
			tacBefore(c, data, separator)
		default:
			tacAfter(c, data, separator)
		}
	}
	return status
}

// tacAfter writes lines that end with a separator.
func tacAfter(c *Call, data, separator []byte) {
	for end := len(data); end > 0 && !c.Stopped(); {
		from := end
		if bytes.HasSuffix(data[:end], separator) {
			from -= len(separator)
		}
		begin := bytes.LastIndex(data[:from], separator)
		if begin >= 0 {
			begin += len(separator)
		} else {
			begin = 0
		}
		c.Out.Write(data[begin:end])
		end = begin
	}
}

// tacBefore writes lines that begin with a separator.
func tacBefore(c *Call, data, separator []byte) {
	for end := len(data); end > 0 && !c.Stopped(); {
		begin := max(0, bytes.LastIndex(data[:end], separator))
		c.Out.Write(data[begin:end])
		end = begin
	}
}
