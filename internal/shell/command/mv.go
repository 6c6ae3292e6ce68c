package command

import (
	"errors"
	"io/fs"
	"strings"

	"redline/internal/shell/tree"
)

func init() {
	register(&Command{
		Name: "mv", About: "Give files and folders other names, or other folders.",
		Synopsis: "[OPTION]... SOURCE... DEST",
		Options:  transferOptions(),
		Differs:  "There are no backups (-b): what was overwritten is kept by the history of the folder.",
		Run:      mv,
	})
}

func mv(c *Call) int {
	t, status := c.transfer()
	if t == nil {
		return status
	}
	return t.each(t.move)
}

func (t *transfer) move(source, target string) int {
	from, err := t.Tree.Lstat(t.Path(source))
	if source == "" {
		err = fs.ErrNotExist
	}
	if last := lastElement(source); err == nil && (last == "." || last == "..") {
		return t.Fail(1, "cannot move %s to %s: Device or resource busy", Quote(source), Quote(target))
	}
	if err != nil {
		return t.Fail(1, "cannot stat %s: %s", Quote(source), Reason(err))
	}
	to, err := t.Tree.Lstat(strings.TrimSuffix(t.Path(target), "/"))
	there := err == nil && target != ""
	here, place := t.place(source), t.place(target)
	switch {
	case from.IsDir() && here == place, from.IsDir() && below(t.behind(target), t.behind(source)):
		return t.Fail(1, "cannot move %s to a subdirectory of itself, %s", Quote(source), Quote(target))
	case there && (here == place || from.Mode()&fs.ModeSymlink != 0 && t.behind(source) == place):
		return t.Fail(1, "%s and %s are the same file", Quote(source), Quote(target))
	case there:
		if ok, status := t.mayReplace(source, target, from, to); !ok {
			return status
		}
	}
	return t.rename(source, target, from)
}

func (t *transfer) rename(source, target string, from fs.FileInfo) (status int) {
	var err error
	link, linkErr := t.Tree.Lstat(strings.TrimSuffix(t.Path(source), "/"))
	switch {
	case target == "":
		err = fs.ErrNotExist
	case strings.HasSuffix(target, "/") && !from.IsDir(),
		strings.HasSuffix(source, "/") && linkErr == nil && link.Mode()&fs.ModeSymlink != 0:
		err = tree.ErrNotDir
	default:
		err = t.Tree.Rename(strings.TrimSuffix(t.Path(source), "/"), strings.TrimSuffix(t.Path(target), "/"))
	}
	if errors.Is(err, tree.ErrInside) {
		return t.Fail(1, "cannot move %s to a subdirectory of itself, %s", Quote(source), Quote(target))
	}
	if err != nil {
		return t.Fail(1, "cannot move %s to %s: %s", Quote(source), Quote(target), Reason(err))
	}
	t.made[t.place(target)] = true
	if t.Flag("v") {
		t.Out.WriteString("renamed " + Quote(source) + " -> " + Quote(target) + "\n")
	}
	return 0
}
