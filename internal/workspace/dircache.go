package workspace

// dirCacheSize bounds the open directories of one batch.
const dirCacheSize = 64

// dirCache keeps the directories that a batch comes back to open.
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
	d, err := c.folder.dir(p)
	if err != nil {
		return nil, err
	}
	if c.open == nil {
		c.open = map[Path]*dir{}
	}
	c.open[p] = d
	return d, nil
}

func (c *dirCache) close() {
	for _, d := range c.open {
		d.Close()
	}
	clear(c.open)
}
