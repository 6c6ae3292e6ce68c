package command

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"redline/internal/shell/tree"
)

// transfer is a run of cp or mv: what goes where.
type transfer struct {
	*Call
	sources []string
	target  string
	into    bool            // target is a folder, and the sources go into it
	made    map[string]bool // the names that were written, in full
}

// transferOptions are those that cp and mv share.
func transferOptions(more ...Option) []Option {
	return append(more,
		Option{Short: "f", Long: "force", Help: "write over files without asking, read-only ones too"},
		Option{Short: "i", Long: "interactive", Help: "ask before a file is overwritten: standard input answers"},
		Option{Short: "n", Long: "no-clobber", Help: "do not write over files"},
		Option{Short: "t", Long: "target-directory", Value: "DIR", Help: "where the operands go"},
		Option{Short: "T", Long: "no-target-directory", Help: "the last operand is a name, not a folder to go into"},
		Option{Short: "u", Long: "update", Help: "write only over files that are older"},
		Option{Short: "v", Long: "verbose", Help: "say what is done"},
		Option{Short: "b", Long: "backup", Value: "[CONTROL]", Refused: "what was overwritten is kept by the history of the folder"},
		Option{Long: "strip-trailing-slashes", Help: "take the slashes at the end of operands away"},
	)
}

// transfer reads the operands. The status is not 0 if they make no sense.
func (c *Call) transfer() (*transfer, int) {
	t := &transfer{Call: c, sources: c.Operands, made: map[string]bool{}}
	dir, toDir := c.Value("t")
	plain := c.Flag("T")
	n := len(c.Operands)
	switch {
	case toDir && plain:
		return nil, c.Fail(1, "cannot combine --target-directory (-t) and --no-target-directory (-T)")
	case n == 0:
		return nil, c.Try(1, "missing file operand")
	case n == 1 && !toDir:
		return nil, c.Try(1, "missing destination file operand after %s", Quote(c.Operands[0]))
	case n > 2 && plain:
		return nil, c.Try(1, "extra operand %s", Quote(c.Operands[2]))
	case toDir:
		t.target, t.into = dir, true
		if err := t.isFolder(dir); err != nil {
			return nil, c.Fail(1, "target directory %s: %s", Quote(dir), Reason(err))
		}
	default:
		t.sources, t.target = c.Operands[:n-1], c.Operands[n-1]
		err := t.isFolder(t.target)
		t.into = err == nil && !plain
		switch {
		case n > 2 && err != nil:
			return nil, c.Fail(1, "target %s: %s", Quote(t.target), Reason(err))
		case errors.Is(err, tree.ErrNotDir) && t.hasNoPlace(t.target):
			return nil, c.Fail(1, "cannot stat %s: %s", Quote(t.target), Reason(err))
		}
	}
	if c.Flag("strip-trailing-slashes") {
		for i, s := range t.sources {
			t.sources[i] = withoutSlashes(s)
		}
	}
	return t, 0
}

// hasNoPlace tells whether a name is in something that is no folder.
func (t *transfer) hasNoPlace(name string) bool {
	_, err := t.Tree.Lstat(strings.TrimSuffix(t.Path(name), "/"))
	return errors.Is(err, tree.ErrNotDir)
}

func (t *transfer) isFolder(name string) error {
	if name == "" {
		return fs.ErrNotExist
	}
	i, err := t.Tree.Stat(t.Path(name))
	if err == nil && !i.IsDir() {
		err = tree.ErrNotDir
	}
	return err
}

// each calls one for each source, with the name that it is to have.
func (t *transfer) each(one func(source, target string) int) int {
	status := 0
	seen := map[string]bool{}
	for _, source := range t.sources {
		if t.Stopped() {
			break
		}
		target := t.target
		if t.into {
			target = joined(t.target, lastElement(source))
		}
		if t.Command.Name == "cp" && seen[source] {
			t.Fail(0, "warning: source %s %s specified more than once", t.kindOf(source), Quote(source))
			continue
		}
		seen[source] = true
		status |= one(source, target)
	}
	return status
}

func (t *transfer) kindOf(name string) string {
	if t.isFolder(name) == nil {
		return "directory"
	}
	return "file"
}

// joined puts a name behind a folder as it was written.
func joined(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

func withoutSlashes(name string) string {
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		return trimmed
	}
	return name
}

// place is a name in full: its folder without links, and the last part as it is.
func (t *transfer) place(name string) string {
	abs := path.Clean(t.Path(name))
	dir, err := t.realName(path.Dir(abs), mayMiss)
	if err != nil {
		return abs
	}
	return path.Join(dir, path.Base(abs))
}

// behind is the place that a name leads to.
func (t *transfer) behind(name string) string {
	real, err := t.realName(path.Clean(t.Path(name)), mayMiss)
	if err != nil {
		return t.place(name)
	}
	return real
}

// mayReplace decides about a file that is there: what is checked is common to cp and
// mv. If it may not, the status says whether that is an error.
func (t *transfer) mayReplace(source, target string, from, to fs.FileInfo) (ok bool, status int) {
	switch {
	case t.Command.Name == "mv" && !to.IsDir() && t.Last("f", "i", "n") == "n":
		return false, 0
	case to.IsDir() && !from.IsDir():
		return false, t.Fail(1, "cannot overwrite directory %s with non-directory", Quote(target))
	case !to.IsDir() && from.IsDir():
		return false, t.Fail(1, "cannot overwrite non-directory %s with directory %s", Quote(target), Quote(source))
	case to.IsDir():
		return true, 0
	case t.made[t.place(target)]:
		return false, t.Fail(1, "will not overwrite just-created %s with %s", Quote(target), Quote(source))
	case t.Flag("u") && !from.ModTime().After(to.ModTime()):
		return false, 0
	}
	switch t.Last("f", "i", "n") {
	case "n":
		return false, 0
	case "i":
		return t.confirm("overwrite " + Quote(target) + "? "), 0
	}
	return true, 0
}

// confirm asks a question: standard input answers.
func (c *Call) confirm(question string) bool {
	c.Err.Write([]byte(c.Command.Name + ": " + question))
	var answer []byte
	for one := make([]byte, 1); ; {
		n, err := c.In.Read(one)
		if n > 0 && one[0] != '\n' && len(answer) < 100 {
			answer = append(answer, one[0])
		}
		if err != nil || n > 0 && one[0] == '\n' || c.Stopped() {
			break
		}
	}
	return len(answer) > 0 && (answer[0] == 'y' || answer[0] == 'Y')
}
