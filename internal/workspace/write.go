package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"redline/internal/text"
)

// Write is one file to be written.
type Write struct {
	Path Path
	Data []byte
	Old  text.Hash   // of the content that is there now; zero when nothing may be there
	Mode fs.FileMode // permission bits of a new file; 0 leaves them to the system. A replaced file keeps its own.
}

// Create writes a new file, and the folders on the way to it. The file is on
// the disk for good when it returns.
func (f *Folder) Create(p Path, data []byte, mode fs.FileMode) (Info, error) {
	return f.writeOne(Write{Path: p, Data: data, Mode: mode})
}

// Replace gives the file p, whose content must have the hash old, new content.
// The file is on the disk for good when it returns.
func (f *Folder) Replace(p Path, data []byte, old text.Hash) (Info, error) {
	return f.writeOne(Write{Path: p, Data: data, Old: old})
}

func (f *Folder) writeOne(w Write) (Info, error) {
	infos, err := f.WriteAll(context.Background(), []Write{w}, true)
	if err != nil {
		return Info{}, err
	}
	return infos[0], nil
}

// WriteAll writes all the files or none: every temporary file is prepared,
// then all are renamed into place; if one cannot be, those before it are put
// back. Only a crash in the middle of the renames leaves some files old and
// some new. With durable the files are synced, together, before the first
// rename; without, the caller calls Sync when it suits.
func (f *Folder) WriteAll(ctx context.Context, writes []Write, durable bool) ([]Info, error) {
	b := &batch{folder: f, dirs: dirCache{folder: f}}
	defer b.dirs.close()
	err := b.prepare(ctx, writes)
	if err == nil && durable {
		err = b.syncFiles()
	}
	if err == nil {
		err = b.commit()
	}
	if err != nil {
		return nil, errors.Join(err, b.undo())
	}
	infos := b.finish()
	if durable {
		return infos, b.syncDirs()
	}
	return infos, nil
}

// batch is a WriteAll under way.
type batch struct {
	folder *Folder
	dirs   dirCache
	items  []*item
	made   []Path // folders created on the way, outermost first
}

// item is one file of a batch. In its life the temporary name holds the new
// content, then, after the exchange, the old one.
type item struct {
	Write
	tmp       string
	file      *os.File // the temporary file, until synced
	was       Info     // the file to be replaced, when it was checked
	old       []byte   // its content
	now       Info     // the file after the write
	committed bool
	displaced bool // the old file waits under the temporary name
}

func (it *item) isNew() bool { return it.Old.IsZero() }

func (b *batch) prepare(ctx context.Context, writes []Write) error {
	for _, w := range writes {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.folder.step("prepare a file")
		it := &item{Write: w}
		if err := b.prepareItem(it); err != nil {
			return withPath(w.Path, fail(w.Path, codeError(w.Path, err)))
		}
	}
	return nil
}

func (b *batch) prepareItem(it *item) error {
	if it.Path.IsRoot() {
		return IsDirectory
	}
	d, err := b.dirs.get(it.Path.Parent())
	if errors.Is(err, NotFound) {
		var made []Path
		made, err = b.folder.makeDirs(it.Path.Parent())
		b.made = append(b.made, made...)
		if err == nil {
			d, err = b.dirs.get(it.Path.Parent())
		}
	}
	if err != nil {
		return err
	}
	if err := it.check(d); err != nil {
		return err
	}
	b.items = append(b.items, it) // from here on there is something to undo
	return it.fill(d)
}

// check makes sure that what is there is what the caller thinks.
func (it *item) check(d *dir) error {
	name := it.Path.Base()
	if it.isNew() {
		_, err := d.lstat(name)
		switch {
		case err == nil:
			return Exists
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		return nil
	}
	data, info, err := d.read(name, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Code: Conflict, Path: it.Path.String(), Reason: "the file is gone"}
	}
	if err != nil {
		return err
	}
	if text.Sum(data) != it.Old {
		return &Error{Code: Conflict, Path: it.Path.String(), Reason: "the file has changed"}
	}
	it.was, it.old = info, data
	return d.writable(name, info)
}

// fill writes the temporary file.
func (it *item) fill(d *dir) (err error) {
	create := fs.FileMode(0o666)
	if !it.isNew() || it.Mode != 0 {
		create = 0o600
	}
	it.tmp = tempName()
	it.file, err = d.create(it.tmp, create)
	if err != nil {
		it.tmp = ""
		return err
	}
	if _, err := it.file.Write(it.Data); err != nil {
		return err
	}
	switch {
	case !it.isNew():
		return keepAttributes(d, it.Path.Base(), it.was, it.file)
	case it.Mode != 0:
		return it.file.Chmod(it.Mode.Perm())
	}
	return nil
}

// syncWorkers is how many files are synced at once: the file system then
// writes its own journal once for many.
const syncWorkers = 16

func (b *batch) syncFiles() error {
	return inParallel(len(b.items), func(i int) error {
		return fail(b.items[i].Path, b.items[i].file.Sync())
	})
}

// inParallel calls work(0) to work(n-1), some at a time, and joins the errors.
func inParallel(n int, work func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, syncWorkers)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = work(i)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (b *batch) commit() error {
	for _, it := range b.items {
		if err := it.closeFile(); err != nil {
			return fail(it.Path, err)
		}
	}
	for _, it := range b.items {
		b.folder.step("place a file")
		d, err := b.dirs.get(it.Path.Parent())
		if err == nil {
			err = it.commit(d)
			b.folder.own.wrote(it.Path, it.now, text.Sum(it.Data))
		}
		if err != nil {
			return withPath(it.Path, fail(it.Path, codeError(it.Path, err)))
		}
	}
	return nil
}

func (it *item) closeFile() error {
	if it.file == nil {
		return nil
	}
	err := it.file.Close()
	it.file = nil
	return err
}

func (it *item) commit(d *dir) error {
	name := it.Path.Base()
	if err := it.place(d, name); err != nil {
		return err
	}
	it.committed = true
	var err error
	it.now, err = d.lstat(name)
	return err
}

// place renames the temporary file into place.
func (it *item) place(d *dir, name string) error {
	if it.isNew() {
		err := d.renameNew(it.tmp, d, name)
		if unsupported(err) {
			err = d.createByLink(it.tmp, name)
		}
		return err
	}
	err := d.exchange(it.tmp, name)
	switch {
	case unsupported(err):
		now, err := d.lstat(name)
		if err != nil {
			return err
		}
		if !now.Stamp.sameContent(it.was.Stamp) {
			return it.changed()
		}
		return d.rename(it.tmp, d, name)
	case errors.Is(err, fs.ErrNotExist):
		return it.changed()
	case err != nil:
		return err
	}
	// What came out must be what was checked. Only its content can prove that.
	if data, _, err := d.read(it.tmp, nil); err == nil && text.Sum(data) == it.Old {
		it.displaced = true
		return nil
	}
	return errors.Join(it.changed(), d.exchange(it.tmp, name))
}

func (it *item) changed() error {
	return &Error{Code: Conflict, Path: it.Path.String(), Reason: "the file changed while it was being written"}
}

// undo puts everything back after a failure.
func (b *batch) undo() error {
	var errs []error
	for i := len(b.items) - 1; i >= 0; i-- {
		it := b.items[i]
		it.closeFile()
		d, err := b.dirs.get(it.Path.Parent())
		if err == nil {
			err = it.undo(d)
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, b.folder.unmake(b.made))...)
}

// undo takes the item back, unless somebody has changed the file since: then it
// is theirs and stays, and what it replaced stays beside it for the sweep.
func (it *item) undo(d *dir) error {
	name := it.Path.Base()
	if it.committed {
		now, _, err := d.read(name, nil)
		switch {
		case err != nil || text.Sum(now) != text.Sum(it.Data):
			return &Error{Code: Conflict, Path: it.Path.String(), Reason: "written, and changed by somebody before it could be put back"}
		case it.isNew():
			return d.remove(name)
		case it.displaced:
			if err := d.exchange(it.tmp, name); err != nil {
				return fmt.Errorf("put back %s: %w", it.Path, err)
			}
		default: // without exchange the old file is gone, but not its content
			return it.writeOld(d, name)
		}
	}
	if it.tmp == "" {
		return nil
	}
	return d.remove(it.tmp)
}

// writeOld puts the old content back under a new inode.
func (it *item) writeOld(d *dir, name string) error {
	tmp := tempName()
	file, err := d.create(tmp, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(it.old)
	if err == nil {
		err = keepAttributes(d, name, it.was, file)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = d.rename(tmp, d, name)
	}
	if err != nil {
		return errors.Join(err, d.remove(tmp))
	}
	return nil
}

// finish removes the displaced files. A file that cannot be removed is swept
// away later.
func (b *batch) finish() []Info {
	infos := make([]Info, len(b.items))
	for i, it := range b.items {
		if it.displaced {
			if d, err := b.dirs.get(it.Path.Parent()); err == nil {
				_ = d.remove(it.tmp)
			}
		}
		infos[i] = it.now
	}
	return infos
}

func (b *batch) syncDirs() error {
	var dirs []Path
	for _, p := range b.made {
		dirs = append(dirs, p.Parent())
	}
	for _, it := range b.items {
		dirs = append(dirs, it.Path.Parent())
	}
	return b.folder.syncDirs(dirs)
}

// createByLink gives tmp its name where a rename cannot be told to keep what
// is there.
func (d *dir) createByLink(tmp, name string) error {
	err := d.link(tmp, name)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err != nil { // no hard links either: check, then rename
		if _, err := d.lstat(name); err == nil {
			return Exists
		}
		return d.rename(tmp, d, name)
	}
	return d.remove(tmp)
}

// unsupported tells whether a call is not to be had on this file system.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSYS)
}

const (
	tempPrefix = ".redline-"
	tempSuffix = ".tmp"
)

// tempName is a new name for a temporary file, short whatever the file's own.
func tempName() string { return tempPrefix + strings.ToLower(rand.Text()[:12]) + tempSuffix }

func isTempName(name string) bool {
	return len(name) == len(tempPrefix)+12+len(tempSuffix) && strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// Sync makes the files and their names durable.
func (f *Folder) Sync(paths []Path) error {
	var dirs []Path
	for _, p := range paths {
		dirs = append(dirs, p.Parent())
	}
	err := inParallel(len(paths), func(i int) error {
		file, _, err := f.Open(paths[i])
		if notOurs(err) {
			return nil // moved, removed or closed meanwhile, or no file: its name is what counts
		}
		if err != nil {
			return err
		}
		defer file.Close()
		return fail(paths[i], file.Sync())
	})
	return errors.Join(err, f.syncDirs(dirs))
}

// notOurs tells whether there is nothing at a path that could be synced.
func notOurs(err error) bool {
	switch CodeOf(err) {
	case NotFound, IsDirectory, NotDirectory, IsLink, NotRegular, Permission:
		return true
	}
	return false
}

func (f *Folder) syncDirs(dirs []Path) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	once := map[Path]bool{}
	var list []Path
	for _, p := range dirs {
		if !once[p] {
			once[p] = true
			list = append(list, p)
		}
	}
	return inParallel(len(list), func(i int) error {
		d, err := f.dir(list[i])
		if notOurs(err) {
			return nil
		}
		if err != nil {
			return err
		}
		defer d.Close()
		return fail(list[i], d.sync())
	})
}
