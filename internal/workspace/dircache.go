package workspace

// dirCacheSize bounds the open directories of one pass over many files.
const dirCacheSize = 256

// dirCache keeps directories open that a pass comes back to, and those on the
// way to them.
type dirCache struct {
	folder *Folder
	open   map[Path]*dir
}

func (c *dirCache) get(p Path) (*dir, error) {
	if d := c.open[p]; d != nil {
		return d, nil
	}
	if len(c.open) >= dirCacheSize {
		c.close()
	}
	d, err := c.enter(p)
	if err != nil {
		return nil, fail(p, codeError(p, err))
	}
	if c.open == nil {
		c.open = map[Path]*dir{}
	}
	c.open[p] = d
	return d, nil
}

// enter opens p from its parent.
func (c *dirCache) enter(p Path) (*dir, error) {
	if p.IsRoot() {
		return c.folder.top()
	}
	parent, err := c.get(p.Parent())
	if err != nil {
		return nil, withPath(p, err)
	}
	return parent.open(p.Base())
}

func (c *dirCache) close() {
	for _, d := range c.open {
		d.Close()
	}
	clear(c.open)
}

// Pass looks at many files in one go. It keeps the directories on the way open,
// so it must not outlast the moment: a directory that is moved meanwhile is
// still the old one to it.
type Pass struct{ dirs dirCache }

// Pass starts a pass. The caller closes it.
func (f *Folder) Pass() *Pass { return &Pass{dirCache{folder: f}} }

// Close releases what the pass holds.
func (p *Pass) Close() { p.dirs.close() }

// Look tells about q, with the content of a file or the target of a link.
func (p *Pass) Look(q Path) (Info, []byte, error) {
	if q.IsRoot() {
		return Info{Mode: DirType}, nil, nil
	}
	d, err := p.dirs.get(q.Parent())
	if err != nil {
		return Info{}, nil, withPath(q, err)
	}
	info, data, err := d.look(q.Base())
	return info, data, fail(q, codeError(q, err))
}
