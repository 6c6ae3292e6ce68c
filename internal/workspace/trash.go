package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// internalDir holds what belongs to the user but is not a document: settings,
// templates, the trash.
const internalDir = ".redline"

var trashDir = Path{internalDir + "/trash"}

const (
	trashTime  = "20060102T150405.000000000Z"
	originExt  = ".origin"
	maxInTrash = maxName - len(trashTime) - len("_") - len(originExt)
)

// Trashed is a file or folder in the trash.
type Trashed struct {
	ID      string    `json:"-"`    // its name in the trash: time and name
	Path    Path      `json:"path"` // where it was
	Deleted time.Time `json:"deleted"`
	IsDir   bool      `json:"is_dir,omitempty"`
}

// File is where the item lies, for a look at it.
func (t Trashed) File() Path { return trashDir.child(t.ID) }

// Trash moves the file or folder p into the trash of the folder. Its bytes,
// mode and times go with it.
func (f *Folder) Trash(p Path) (Trashed, error) {
	if p.IsRoot() || p.Within(Path{internalDir}) {
		return Trashed{}, &Error{Code: Internal, Path: p.String(), Reason: "cannot be moved to the trash"}
	}
	info, err := f.Stat(p)
	if err != nil {
		return Trashed{}, err
	}
	if _, err := f.makeDirs(trashDir); err != nil {
		return Trashed{}, trashError(err)
	}
	t := Trashed{Path: p, Deleted: time.Now().UTC(), IsDir: info.IsDir()}
	for {
		t.ID = t.Deleted.Format(trashTime) + "_" + shorten(p.Base(), maxInTrash)
		err := f.moveToTrash(t)
		if !errors.Is(err, Exists) {
			return t, err
		}
		t.Deleted = t.Deleted.Add(time.Nanosecond) // a second one of that name and moment
	}
}

// moveToTrash writes down where the file was, then moves it.
func (f *Folder) moveToTrash(t Trashed) error {
	note, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("trash %s: %w", t.Path, err)
	}
	origin := trashDir.child(t.ID + originExt)
	if _, err := f.Create(origin, note, 0o600); err != nil {
		return err
	}
	f.step("move to the trash")
	err = f.move(t.Path, trashDir.child(t.ID))
	if isCrossDevice(err) {
		err = f.copyToTrash(t)
	}
	if err != nil {
		return errors.Join(err, f.remove(origin))
	}
	return f.syncDirs([]Path{t.Path.Parent(), trashDir})
}

// copyToTrash is for a file on another file system than the trash.
func (f *Folder) copyToTrash(t Trashed) error {
	if t.IsDir {
		return &Error{Code: Failed, Path: t.Path.String(), Reason: "the folder lies on another disk than the trash; move its files one by one"}
	}
	s, err := f.Read(t.Path)
	if err != nil {
		return err
	}
	if _, err := f.Create(trashDir.child(t.ID), s.Data, s.Mode); err != nil {
		return err
	}
	return f.remove(t.Path)
}

// remove unlinks a file. It is for our own files and copies only.
func (f *Folder) remove(p Path) error {
	return f.at(p, func(d *dir, name string) error {
		if err := d.remove(name); err != nil {
			return err
		}
		f.own.removed(p)
		return nil
	})
}

// Trashes lists the trash, oldest first. Items whose origin is not known are
// left out; they stay until the trash is emptied.
func (f *Folder) Trashes() ([]Trashed, error) {
	d, err := f.dir(trashDir)
	if errors.Is(err, NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, trashError(err)
	}
	defer d.Close()
	names, err := d.names()
	if err != nil {
		return nil, fail(trashDir, err)
	}
	slices.Sort(names)
	var list []Trashed
	for _, name := range names {
		if t, err := d.origin(name); err == nil {
			list = append(list, t)
		}
	}
	return list, nil
}

// origin reads the note about the item id.
func (d *dir) origin(id string) (Trashed, error) {
	var t Trashed
	if strings.HasSuffix(id, originExt) || strings.Contains(id, "/") {
		return t, NotFound
	}
	if _, err := d.lstat(id); err != nil {
		return t, err
	}
	note, _, err := d.read(id+originExt, nil)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(note, &t); err != nil {
		return t, err
	}
	t.ID = id
	return t, nil
}

// Restore moves an item of the trash back to where it was, or to another
// place. It never overwrites.
func (f *Folder) Restore(id string, to Path) (Path, error) {
	item, err := ParsePath(id)
	if err != nil || item.Base() != item.rel {
		return Path{}, &Error{Code: NotFound, Path: id, Reason: "no such item in the trash"}
	}
	d, err := f.dir(trashDir)
	if err != nil {
		return Path{}, trashError(err)
	}
	t, err := d.origin(item.rel)
	d.Close()
	if err != nil {
		return Path{}, &Error{Code: NotFound, Path: id, Reason: "no such item in the trash", Err: err}
	}
	if to.IsRoot() {
		to = t.Path
	}
	if _, err := f.Move(trashDir.child(t.ID), to); err != nil {
		return Path{}, err
	}
	return to, errors.Join(f.remove(trashDir.child(t.ID+originExt)), f.syncDirs([]Path{to.Parent(), trashDir}))
}

// EmptyTrash removes for good what was moved to the trash before a moment, and
// tells how many items and bytes that were.
func (f *Folder) EmptyTrash(before time.Time) (items int, bytes int64, err error) {
	d, err := f.dir(trashDir)
	if errors.Is(err, NotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, trashError(err)
	}
	defer d.Close()
	names, err := d.names()
	if err != nil {
		return 0, 0, fail(trashDir, err)
	}
	limit := before.UTC().Format(trashTime)
	var errs []error
	for _, name := range names {
		if name >= limit {
			continue
		}
		if !strings.HasSuffix(name, originExt) {
			items++
			bytes += f.size(trashDir.child(name))
		}
		errs = append(errs, f.root.RemoveAll(trashDir.child(name).rel))
	}
	return items, bytes, fail(trashDir, errors.Join(errs...))
}

// size adds up the files in and below p.
func (f *Folder) size(p Path) int64 {
	var total int64
	_ = fs.WalkDir(f.root.FS(), p.rel, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// trashError says what to do when .redline is not a folder of ours.
func trashError(err error) error {
	switch CodeOf(err) {
	case IsLink, NotDirectory:
		return &Error{Code: Internal, Path: internalDir, Reason: "not a plain folder; move it away so that Redline can keep its trash there", Err: err}
	}
	return err
}

// shorten cuts name to at most n bytes, between characters, and keeps its end.
func shorten(name string, n int) string {
	for len(name) > n {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:]
	}
	return name
}
