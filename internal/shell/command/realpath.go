package command

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"redline/internal/shell/tree"
)

func init() {
	register(&Command{
		Name: "realpath", About: "Show names in full, without links.",
		Synopsis: "[OPTION]... FILE...",
		Options: []Option{
			{Short: "e", Long: "canonicalize-existing", Help: "all of the name must exist"},
			{Short: "m", Long: "canonicalize-missing", Help: "nothing of the name need exist"},
			{Short: "L", Long: "logical", Help: "take .. away before links are followed"},
			{Short: "P", Long: "physical", Help: "take .. away after links are followed, as without it"},
			{Short: "q", Long: "quiet", Help: "no messages"},
			{Long: "relative-to", Value: "DIR", Help: "show names as seen from DIR"},
			{Long: "relative-base", Value: "DIR", Help: "show names below DIR as seen from it"},
			{Short: "s", Long: "strip", Help: "follow no links"},
			{Long: "no-symlinks", Help: "as -s"},
			{Short: "z", Long: "zero", Help: "end each line with NUL, not newline"},
		},
		Run: realpath,
	})
	register(&Command{
		Name: "readlink", About: "Show where links lead.",
		Synopsis: "[OPTION]... FILE...",
		Options: []Option{
			{Short: "f", Long: "canonicalize", Help: "show the name in full, without links; only the last part may be missing"},
			{Short: "e", Long: "canonicalize-existing", Help: "as -f; all of it must exist"},
			{Short: "m", Long: "canonicalize-missing", Help: "as -f; nothing of it need exist"},
			{Short: "n", Long: "no-newline", Help: "no newline at the end, for one name"},
			{Short: "q", Long: "quiet", Help: "no messages, as without it"},
			{Short: "s", Long: "silent", Help: "as -q"},
			{Short: "v", Long: "verbose", Help: "say what is wrong"},
			{Short: "z", Long: "zero", Help: "end each line with NUL, not newline"},
		},
		Run: readlink,
	})
}

// existence is how much of a name must exist.
type existence int

const (
	lastMayMiss existence = iota
	mustExist
	mayMiss
)

// existence is what the options -e and -m ask for.
func (c *Call) existence() existence {
	switch c.Last("f", "e", "m") {
	case "e":
		return mustExist
	case "m":
		return mayMiss
	}
	return lastMayMiss
}

func realpath(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	need := c.existence()
	from, base := "", ""
	for option, dir := range map[string]*string{"relative-to": &from, "relative-base": &base} {
		name, ok := c.Value(option)
		if !ok {
			continue
		}
		real, err := c.canonical(name, need)
		if err != nil {
			return c.Fail(1, "%s: %s", name, Reason(err))
		}
		*dir = real
	}
	status := 0
	for _, name := range c.Operands {
		real, err := c.canonical(name, need)
		if err != nil {
			status = 1
			if !c.Flag("q") {
				c.Fail(1, "%s: %s", name, Reason(err))
			}
			continue
		}
		c.Out.WriteString(seenFrom(real, from, base))
		c.Out.WriteByte(lineEnd(c))
	}
	return status
}

// seenFrom makes a name relative to a folder, if it and the name are below base.
func seenFrom(name, from, base string) string {
	switch {
	case from == "" && base == "":
		return name
	case from == "":
		from = base
	}
	if base != "" && !(below(name, base) && below(from, base)) {
		return name
	}
	up := 0
	for !below(name, from) {
		from = path.Dir(from)
		up++
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(name, from), "/")
	parts := append(strings.Split(strings.Repeat("..\x00", up), "\x00")[:up], rest)
	if rest == "" {
		parts = parts[:up]
	}
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}

// below tells whether a clean name is a folder or something in it.
func below(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// canonical is a name in full, as the options of realpath ask for.
func (c *Call) canonical(name string, need existence) (string, error) {
	strip := c.Flag("s") || c.Flag("no-symlinks")
	if name == "" {
		return "", fs.ErrNotExist
	}
	if !strip && c.Last("L", "P") != "L" {
		return c.realName(name, need)
	}
	clean := path.Clean(c.Path(name))
	real, err := c.realName(clean, need)
	if strip && err == nil {
		real = clean
	}
	return real, err
}

// mostLinks is how many links a name may lead through.
const mostLinks = 40

// realName is the name of an operand in full, without links.
func (c *Call) realName(name string, need existence) (string, error) {
	if !path.IsAbs(name) {
		name = c.Dir + "/" + name
	}
	rest := strings.Split(name, "/")
	at, links := "/", 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		if below(c.Tree.Root(), next) {
			at = next
			continue
		}
		i, err := c.Tree.Lstat(next)
		more := strings.Trim(strings.Join(rest, ""), "/") != ""
		switch {
		case err != nil && need == mayMiss:
		case err != nil && need == lastMayMiss && !more && errors.Is(err, fs.ErrNotExist) && below(next, c.Tree.Root()):
		case err != nil:
			return "", err
		case i.Mode()&fs.ModeSymlink != 0:
			target, err := c.Tree.ReadLink(next)
			if links++; err != nil || links > mostLinks {
				return "", errors.Join(err, tree.ErrLoop)
			}
			rest = append(strings.Split(target, "/"), rest...)
			if path.IsAbs(target) {
				at = "/"
			}
			continue
		case !i.IsDir() && len(rest) > 0 && need != mayMiss:
			return "", tree.ErrNotDir
		}
		at = next
	}
	return at, nil
}

func readlink(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	canonical := c.Flag("f") || c.Flag("e") || c.Flag("m")
	bare := c.Flag("n")
	if bare && len(c.Operands) > 1 {
		if c.Last("q", "s", "v") == "v" {
			c.Fail(0, "ignoring --no-newline with multiple arguments")
		}
		bare = false
	}
	status := 0
	for _, name := range c.Operands {
		target, err := c.linkTarget(name, canonical)
		if err != nil {
			status = 1
			if c.Last("q", "s", "v") == "v" {
				c.Fail(1, "%s: %s", name, Reason(err))
			}
			continue
		}
		c.Out.WriteString(target)
		if !bare {
			c.Out.WriteByte(lineEnd(c))
		}
	}
	return status
}

func (c *Call) linkTarget(name string, canonical bool) (string, error) {
	if name == "" {
		return "", fs.ErrNotExist
	}
	if canonical {
		return c.realName(name, c.existence())
	}
	target, err := c.Tree.ReadLink(c.Path(name))
	if err == nil {
		return target, nil
	}
	if _, there := c.Tree.Lstat(c.Path(name)); there != nil {
		return "", there
	}
	return "", errInvalid
}

// errInvalid is what the kernel says about a call that makes no sense.
//
//lint:ignore ST1005 it is shown as it is
var errInvalid = errors.New("Invalid argument")
