package command

import "strings"

func init() {
	register(&Command{
		Name: "basename", About: "Show names without their folders, and without a suffix.",
		Synopsis: "NAME [SUFFIX] | OPTION... NAME...",
		Options: []Option{
			{Short: "a", Long: "multiple", Help: "each operand is a name"},
			{Short: "s", Long: "suffix", Value: "SUFFIX", Help: "remove this suffix; as -a"},
			{Short: "z", Long: "zero", Help: "end each line with NUL, not newline"},
		},
		Run: basename,
	})
	register(&Command{
		Name: "dirname", About: "Show the folders that names are in.",
		Synopsis: "[OPTION] NAME...",
		Options:  []Option{{Short: "z", Long: "zero", Help: "end each line with NUL, not newline"}},
		Run:      dirname,
	})
}

func basename(c *Call) int {
	names := c.Operands
	suffix, many := c.Value("s")
	switch {
	case len(names) == 0:
		return c.Try(1, "missing operand")
	case many || c.Flag("a"):
	case len(names) > 2:
		return c.Try(1, "extra operand %s", curly(names[2]))
	case len(names) == 2:
		names, suffix = names[:1], names[1]
	}
	for _, name := range names {
		base := lastElement(name)
		if base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		c.Out.WriteString(base)
		c.Out.WriteByte(lineEnd(c))
	}
	return 0
}

// lastElement is what stands behind the last slash of a name; slashes at its end do
// not count.
func lastElement(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" && name != "" {
		return "/"
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

func dirname(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	for _, name := range c.Operands {
		c.Out.WriteString(folderOf(name))
		c.Out.WriteByte(lineEnd(c))
	}
	return 0
}

func folderOf(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" && name != "" {
		return "/"
	}
	i := strings.LastIndexByte(trimmed, '/')
	if i < 0 {
		return "."
	}
	if dir := strings.TrimRight(trimmed[:i], "/"); dir != "" {
		return dir
	}
	return "/"
}
