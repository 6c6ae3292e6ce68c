package command

import "unicode/utf8"

func init() {
	register(&Command{
		Name: "rev", About: "Write the characters of each line in reverse order.",
		Synopsis: "[FILE]...",
		Differs:  "Bytes that are no UTF-8 are reversed one by one, where the original stops.",
		Run:      rev,
	})
}

func rev(c *Call) int {
	status := 0
	var back []byte
	for _, name := range c.Inputs() {
		err := linesOf(c, name, '\n', func(line []byte, whole bool) {
			back = back[:0]
			for len(line) > 0 {
				_, n := utf8.DecodeLastRune(line)
				back = append(back, line[len(line)-n:]...)
				line = line[:len(line)-n]
			}
			if whole {
				back = append(back, '\n')
			}
			c.Out.Write(back)
		})
		switch {
		case isDir(err):
			status = c.Fail(1, "%s: 0: %s", name, Reason(err))
		case err != nil:
			status = c.Fail(1, "cannot open %s: %s", name, Reason(err))
		}
	}
	return status
}
