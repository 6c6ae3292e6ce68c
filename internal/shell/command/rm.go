package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"redline/internal/shell/tree"
)

func init() {
	register(&Command{
		Name: "rm", About: "Remove files and folders; they go to the trash.", Extra: true,
		Synopsis: "[OPTION]... FILE...",
		Options: []Option{
			{Short: "d", Long: "dir", Help: "remove empty folders as well"},
			{Short: "f", Long: "force", Help: "no error for what is not there"},
			{Short: "i", Help: "ask before each removal: standard input answers"},
			{Short: "I", Help: "ask once before more than three files or a folder are removed"},
			{Short: "r", Long: "recursive", Help: "remove folders with all that is in them"},
			{Short: "R", Help: "as -r"},
			{Short: "v", Long: "verbose", Help: "say what is removed"},
		},
		Run: rm,
	})
}

func rm(c *Call) int {
	recursive := c.Flag("r") || c.Flag("R")
	mode := c.Last("f", "i", "I")
	if len(c.Operands) == 0 {
		if mode == "f" {
			return 0
		}
		return c.Try(1, "missing operand")
	}
	if n := len(c.Operands); mode == "I" && (n > 3 || recursive) {
		question := fmt.Sprintf("remove %d arguments", n)
		if n == 1 {
			question = "remove 1 argument"
		}
		if recursive {
			question += " recursively"
		}
		if !c.confirm(question + "? ") {
			return 0
		}
	}
	r := removal{Call: c, recursive: recursive, force: mode == "f", ask: mode == "i"}
	status := 0
	for _, name := range c.Operands {
		if c.Stopped() {
			break
		}
		status |= r.operand(name)
	}
	return status
}

// removal is a run of rm.
type removal struct {
	*Call
	recursive, force, ask bool
}

func (r *removal) operand(name string) int {
	if last := lastElement(name); r.recursive && (last == "." || last == "..") {
		return r.Fail(1, "refusing to remove '.' or '..' directory: skipping %s", Quote(name))
	}
	if r.recursive && name != "" && path.Clean(r.Path(name)) == "/" {
		r.Fail(1, "it is dangerous to operate recursively on '/'")
		return r.Fail(1, "use --no-preserve-root to override this failsafe")
	}
	i, err := r.Tree.Lstat(strings.TrimSuffix(r.Path(name), "/"))
	switch {
	case name == "":
		err = fs.ErrNotExist
	case err == nil && strings.HasSuffix(name, "/") && !i.IsDir():
		err = tree.ErrNotDir
		if through, _ := r.Tree.Stat(r.Path(name)); through != nil && !r.recursive {
			err = tree.ErrIsDir
		}
	}
	if err != nil {
		return r.fail(name, err)
	}
	return r.remove(name, i)
}

func (r *removal) fail(name string, err error) int {
	if r.force && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, tree.ErrNotDir)) {
		return 0
	}
	return r.Fail(1, "cannot remove %s: %s", Quote(name), Reason(err))
}

func (r *removal) remove(name string, i fs.FileInfo) int {
	full := strings.TrimSuffix(r.Path(name), "/")
	status := 0
	if i.IsDir() {
		if !r.recursive && !r.Flag("d") {
			return r.Fail(1, "cannot remove %s: Is a directory", Quote(name))
		}
		list, err := r.Tree.ReadDir(full)
		if err != nil {
			return r.fail(name, err)
		}
		if r.recursive && len(list) > 0 {
			if r.ask && !r.confirm("descend into directory "+Quote(name)+"? ") {
				return 0
			}
			status = r.contents(name, list)
		}
	}
	if r.Stopped() || r.ask && !r.confirm("remove "+kindInWords(i)+" "+Quote(name)+"? ") {
		return status
	}
	if err := r.Tree.Remove(full); err != nil {
		if status != 0 && errors.Is(err, tree.ErrNotEmpty) {
			return status // told already
		}
		return r.fail(name, err)
	}
	if r.Flag("v") {
		kind := ""
		if i.IsDir() {
			kind = "directory "
		}
		r.Out.WriteString("removed " + kind + Quote(name) + "\n")
	}
	return status
}

func (r *removal) contents(name string, list []fs.DirEntry) int {
	status := 0
	for _, e := range list {
		if r.Stopped() {
			break
		}
		inner := joined(name, e.Name())
		i, err := r.Tree.Lstat(r.Path(inner))
		if err != nil {
			status |= r.fail(inner, err)
			continue
		}
		status |= r.remove(inner, i)
	}
	return status
}

// kindInWords is what stat and rm call a file.
func kindInWords(i fs.FileInfo) string {
	switch {
	case i.IsDir():
		return "directory"
	case i.Mode()&fs.ModeSymlink != 0:
		return "symbolic link"
	case i.Size() == 0:
		return "regular empty file"
	}
	return "regular file"
}
