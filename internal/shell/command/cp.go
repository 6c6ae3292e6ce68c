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
		Name: "cp", About: "Copy files and folders.",
		Synopsis: "[OPTION]... SOURCE... DEST",
		Options: transferOptions(
			Option{Short: "a", Long: "archive", Help: "as -dR -p"},
			Option{Short: "d", Help: "copy links as links"},
			Option{Short: "L", Long: "dereference", Help: "follow links in the sources"},
			Option{Short: "p", Help: "keep mode and time"},
			Option{Long: "parents", Help: "make the folders of the sources in the target"},
			Option{Short: "P", Long: "no-dereference", Help: "copy links as links"},
			Option{Long: "preserve", Value: "[LIST]", Help: "keep mode and time"},
			Option{Short: "l", Long: "link", Refused: "make a copy"},
			Option{Short: "s", Long: "symbolic-link", Refused: "make a copy"},
			Option{Short: "r", Long: "recursive", Help: "copy folders with all that is in them"},
			Option{Short: "R", Help: "as -r"},
		),
		Differs: "A folder cannot be copied into itself at all. There are no backups (-b) and no links instead of copies (-l, -s). " +
			"The time that -p keeps counts until the end of the script.",
		Run: cp,
	})
}

func cp(c *Call) int {
	t, status := c.transfer()
	if t == nil {
		return status
	}
	p := copying{transfer: t,
		recursive: c.Flag("r") || c.Flag("R") || c.Flag("a"),
		keep:      c.Flag("p") || c.Flag("a") || c.Flag("preserve"),
		open:      map[string]bool{},
	}
	switch c.Last("L", "P", "d", "a") {
	case "":
		p.follow = !p.recursive
	case "L":
		p.follow = true
	}
	if c.Flag("parents") && !t.into {
		return c.Try(1, "with --parents, the destination must be a directory")
	}
	return t.each(func(source, target string) int {
		if c.Flag("parents") {
			target = joined(t.target, strings.TrimLeft(withoutSlashes(source), "/"))
			if status := p.parents(source); status != 0 {
				return status
			}
		}
		return p.copy(source, target)
	})
}

// copying is a run of cp.
type copying struct {
	*transfer
	recursive bool
	follow    bool            // links in the sources
	keep      bool            // mode and time
	open      map[string]bool // the folders that are being copied, in full
}

// parents makes the folders of a source in the target.
func (p *copying) parents(source string) int {
	if _, err := p.stat(source); err != nil {
		return p.Fail(1, "cannot stat %s: %s", Quote(source), Reason(err))
	}
	source = withoutSlashes(source)
	for i := 1; i < len(source); i++ {
		if source[i] != '/' || source[i-1] == '/' {
			continue
		}
		dir := joined(p.target, strings.TrimLeft(source[:i], "/"))
		if p.isFolder(dir) == nil {
			continue
		}
		if err := p.Tree.Mkdir(path.Clean(p.Path(dir))); err != nil {
			return p.Fail(1, "cannot make directory %s: %s", Quote(dir), Reason(err))
		}
		if p.Flag("v") {
			p.Out.WriteString(source[:i] + " -> " + dir + "\n")
		}
	}
	return 0
}

// stat looks at a source as the options want it.
func (p *copying) stat(name string) (fs.FileInfo, error) {
	switch {
	case name == "":
		return nil, fs.ErrNotExist
	case name != "-" && stdin(name):
		name = "/dev/null" // to look at, both are the same
		fallthrough
	case p.follow:
		return p.Tree.Stat(p.Path(name))
	}
	return p.Tree.Lstat(p.Path(name))
}

// copy copies one thing, with all that is in it.
func (p *copying) copy(source, target string) int {
	from, err := p.stat(source)
	if err != nil {
		return p.Fail(1, "cannot stat %s: %s", Quote(source), Reason(err))
	}
	if from.IsDir() && !p.recursive {
		return p.Fail(1, "-r not specified; omitting directory %s", Quote(source))
	}
	link := from.Mode()&fs.ModeSymlink != 0
	bare := strings.TrimSuffix(p.Path(target), "/")
	to, err := p.Tree.Lstat(bare)
	there := err == nil && target != ""
	if there && to.Mode()&fs.ModeSymlink != 0 && !link {
		if to, err = p.Tree.Stat(bare); err != nil {
			return p.Fail(1, "not writing through dangling symlink %s", Quote(target))
		}
	}
	here, place := p.behind(source), p.behind(target)
	if link {
		here, place = p.place(source), p.place(target)
	}
	switch {
	case from.IsDir() && below(place, here):
		return p.Fail(1, "cannot copy a directory, %s, into itself, %s", Quote(source), Quote(target))
	case there && here == place:
		return p.Fail(1, "%s and %s are the same file", Quote(source), Quote(target))
	case there:
		if ok, status := p.mayReplace(source, target, from, to); !ok {
			return status
		}
	}
	switch {
	case from.IsDir():
		return p.folder(source, target, there)
	case link:
		return p.link(source, target, there)
	}
	return p.file(source, target, from)
}

func (p *copying) say(source, target string) {
	if p.Flag("v") {
		p.Out.WriteString(Quote(source) + " -> " + Quote(target) + "\n")
	}
}

func (p *copying) folder(source, target string, there bool) int {
	here := p.behind(source)
	if p.open[here] {
		return p.Fail(1, "cannot copy cyclic symbolic link %s", Quote(source))
	}
	p.open[here] = true
	defer delete(p.open, here)
	if !there {
		err := error(fs.ErrNotExist)
		if target != "" {
			err = p.Tree.Mkdir(path.Clean(p.Path(target)))
		}
		if err != nil {
			return p.Fail(1, "cannot create directory %s: %s", Quote(target), Reason(err))
		}
		p.say(source, target)
	}
	list, err := p.Tree.ReadDir(p.Path(source))
	if err != nil {
		return p.Fail(1, "cannot access %s: %s", Quote(source), Reason(err))
	}
	status := 0
	for _, e := range list {
		if p.Stopped() {
			break
		}
		status |= p.copy(joined(source, e.Name()), joined(target, e.Name()))
	}
	return status
}

func (p *copying) link(source, target string, there bool) int {
	to, err := p.Tree.ReadLink(strings.TrimSuffix(p.Path(source), "/"))
	if err != nil {
		return p.Fail(1, "cannot read symbolic link %s: %s", Quote(source), Reason(err))
	}
	if there {
		err = p.Tree.Remove(p.Path(target))
	}
	if err == nil {
		err = p.Tree.Symlink(to, p.Path(target))
	}
	if err != nil {
		return p.Fail(1, "cannot create symbolic link %s: %s", Quote(target), Reason(err))
	}
	p.made[p.place(target)] = true
	p.say(source, target)
	return 0
}

func (p *copying) file(source, target string, from fs.FileInfo) int {
	p.say(source, target)
	var err error
	switch {
	case target == "":
		err = fs.ErrNotExist
	case strings.HasSuffix(target, "/"):
		err = tree.ErrNotDir
	default:
		err = p.write(source, target, from.Mode().Perm())
	}
	if err != nil {
		return p.Fail(1, "cannot create regular file %s: %s", Quote(target), Reason(err))
	}
	p.made[p.place(target)] = true
	if p.keep {
		p.Tree.Chmod(p.Path(target), from.Mode().Perm())
		p.Tree.Chtimes(p.Path(target), from.ModTime())
	}
	return 0
}

// write copies the content of a file.
func (p *copying) write(source, target string, mode fs.FileMode) error {
	if strings.HasPrefix(source, "/dev/") {
		data, err := p.Read(source)
		if err != nil {
			return err
		}
		return p.Tree.WriteFile(p.Path(target), data, 0o644)
	}
	err := p.Tree.Copy(p.Path(source), p.Path(target), mode)
	if errors.Is(err, fs.ErrPermission) && p.Flag("f") {
		if p.Tree.Remove(p.Path(target)) == nil {
			err = p.Tree.Copy(p.Path(source), p.Path(target), mode)
		}
	}
	return err
}
