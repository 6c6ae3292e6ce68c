package command

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"redline/internal/shell/tree"
)

func init() {
	register(&Command{
		Name: "mkdir", About: "Make folders.",
		Synopsis: "[OPTION]... DIRECTORY...",
		Options: []Option{
			{Short: "m", Long: "mode", Value: "MODE", Help: "is checked, and has no effect"},
			{Short: "p", Long: "parents", Help: "make the folders above as well; no error if it is there"},
			{Short: "v", Long: "verbose", Help: "say which were made"},
		},
		Differs: "Folders have no permissions of their own: -m is accepted only.",
		Run:     mkdir,
	})
	register(&Command{
		Name: "rmdir", About: "Remove empty folders.", Extra: true,
		Synopsis: "[OPTION]... DIRECTORY...",
		Options: []Option{
			{Long: "ignore-fail-on-non-empty", Help: "no error for a folder that is not empty"},
			{Short: "p", Long: "parents", Help: "remove the folders above as well"},
			{Short: "v", Long: "verbose", Help: "say which are removed"},
		},
		Run: rmdir,
	})
}

func mkdir(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	if mode, ok := c.Value("m"); ok && !validMode(mode) {
		return c.Fail(1, "invalid mode %s", curly(mode))
	}
	status := 0
	for _, name := range c.Operands {
		if c.Stopped() {
			break
		}
		if c.Flag("p") {
			status |= c.mkdirParents(name)
		} else if err := c.mkdir(name); err != nil {
			status = c.Fail(1, "cannot create directory %s: %s", curly(name), Reason(err))
		}
	}
	return status
}

// mkdir makes one folder.
func (c *Call) mkdir(name string) error {
	if name == "" {
		return fs.ErrNotExist
	}
	err := c.Tree.Mkdir(strings.TrimSuffix(c.Path(name), "/"))
	if err == nil && c.Flag("v") {
		c.Out.WriteString(c.Command.Name + ": created directory " + Quote(name) + "\n")
	}
	return err
}

// mkdirParents makes a folder and those above, as they are written in its name.
func (c *Call) mkdirParents(name string) int {
	if name == "" {
		return c.Fail(1, "cannot create directory %s: %s", curly(name), Reason(fs.ErrNotExist))
	}
	for end := 1; end <= len(name); end++ {
		if end < len(name) && name[end] != '/' || name[end-1] == '/' && end < len(name) {
			continue
		}
		part := name[:end]
		if i, err := c.Tree.Stat(c.Path(part)); err == nil && i.IsDir() || below(c.Tree.Root(), path.Clean(c.Path(part))) {
			continue
		}
		if err := c.mkdir(part); err != nil {
			if end < len(name) && errors.Is(err, fs.ErrExist) {
				err = tree.ErrNotDir
			}
			return c.Fail(1, "cannot create directory %s: %s", curly(part), Reason(err))
		}
	}
	return 0
}

// validMode tells whether a mode is written as chmod reads it: in octal, or as
// u=rwx,go-w.
func validMode(mode string) bool {
	if n, err := strconv.ParseUint(mode, 8, 32); err == nil {
		return n <= 0o7777
	}
	for clause := range strings.SplitSeq(mode, ",") {
		who := strings.TrimLeft(clause, "ugoa")
		if who == "" || !strings.ContainsRune("+-=", rune(who[0])) || strings.Trim(who, "+-=rwxXstugo") != "" {
			return false
		}
	}
	return true
}

func rmdir(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	status := 0
	for _, name := range c.Operands {
		if c.Stopped() {
			break
		}
		status |= c.rmdir(name)
	}
	return status
}

func (c *Call) rmdir(name string) int {
	for {
		if c.Flag("v") {
			c.Out.WriteString("rmdir: removing directory, " + Quote(name) + "\n")
		}
		if err := c.rmdirOne(name); err != nil {
			if errors.Is(err, tree.ErrNotEmpty) && c.Flag("ignore-fail-on-non-empty") {
				return 0
			}
			return c.Fail(1, "failed to remove %s: %s", Quote(name), Reason(err))
		}
		above := strings.TrimRight(name, "/")
		i := strings.LastIndexByte(above, '/')
		if !c.Flag("p") || i <= 0 {
			return 0
		}
		name = strings.TrimRight(above[:i], "/")
	}
}

func (c *Call) rmdirOne(name string) error {
	if name == "" {
		return fs.ErrNotExist
	}
	if lastElement(name) == "." {
		return errInvalid
	}
	i, err := c.Tree.Lstat(strings.TrimSuffix(c.Path(name), "/"))
	if err != nil {
		return err
	}
	if !i.IsDir() {
		return tree.ErrNotDir
	}
	return c.Tree.Remove(strings.TrimSuffix(c.Path(name), "/"))
}
