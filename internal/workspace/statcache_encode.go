package workspace

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"redline/internal/text"
)

// statCacheFormat begins what MarshalBinary writes.
const statCacheFormat = "stat cache 1\n"

// leastFile is how many bytes a file takes at least.
const leastFile = 11

var errStatCache = errors.New("not a stat cache of this program")

// MarshalBinary writes what the cache knows, for another process.
func (c *StatCache) MarshalBinary() ([]byte, error) {
	files := 0
	for _, d := range c.dirs {
		files += len(d.files)
	}
	b := make([]byte, 0, len(statCacheFormat)+100*files)
	b = append(b, statCacheFormat...)
	// In order, so that the same folder gives the same bytes.
	for _, p := range slices.SortedFunc(maps.Keys(c.dirs), Path.Compare) {
		d := c.dirs[p]
		b = appendString(b, p.String())
		b = append(b, flags(d.ignored))
		b = binary.AppendUvarint(b, uint64(len(d.names)))
		for i, name := range d.names {
			b = appendString(b, name)
			b = d.files[i].append(b)
		}
	}
	return b, nil
}

// UnmarshalBinary makes the cache know what MarshalBinary wrote. Files that have
// changed since show as changed in the next Restat.
func (c *StatCache) UnmarshalBinary(b []byte) error {
	if len(b) < len(statCacheFormat) || string(b[:len(statCacheFormat)]) != statCacheFormat {
		return errStatCache
	}
	r := statCacheReader{text: string(b), at: len(statCacheFormat)}
	dirs := map[Path]*cachedDir{}
	for r.at < len(r.text) && !r.bad {
		var p Path
		if p.UnmarshalText([]byte(r.string())) != nil {
			return errStatCache
		}
		d := &cachedDir{ignored: r.byte() != 0}
		n := r.number()
		if n > uint64(len(r.text)-r.at)/leastFile {
			return errStatCache
		}
		d.names, d.files = make([]string, n), make([]CachedFile, n)
		for i := range d.names {
			d.names[i] = r.string()
			d.files[i] = r.file()
		}
		if !slices.IsSorted(d.names) {
			return errStatCache
		}
		dirs[p] = d
	}
	if r.bad {
		return errStatCache
	}
	c.dirs, c.by = dirs, WalkOptions{}
	return nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func flags(set ...bool) byte {
	var f byte
	for i, is := range set {
		if is {
			f |= 1 << i
		}
	}
	return f
}

func (f CachedFile) append(b []byte) []byte {
	s := f.Info.Stamp
	b = append(b, flags(f.Ignored, f.Racy, !f.Hash.IsZero()))
	for _, n := range []uint64{uint64(f.Info.Mode), uint64(f.Info.Size), uint64(f.Info.uid), uint64(f.Info.gid), s.Device, s.Inode, uint64(s.Size), uint64(s.Modified), uint64(s.Changed)} {
		b = binary.AppendUvarint(b, n)
	}
	if !f.Hash.IsZero() {
		b = append(b, f.Hash[:]...)
	}
	return b
}

// statCacheReader reads such bytes; once something is missing it is bad, and
// reads zeros. Its strings are parts of one.
type statCacheReader struct {
	text string
	at   int
	bad  bool
}

func (r *statCacheReader) take(n uint64) string {
	if r.bad || n > uint64(len(r.text)-r.at) {
		r.bad = true
		return ""
	}
	r.at += int(n)
	return r.text[r.at-int(n) : r.at]
}

func (r *statCacheReader) byte() byte {
	if s := r.take(1); s != "" {
		return s[0]
	}
	return 0
}

func (r *statCacheReader) number() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

func (r *statCacheReader) string() string { return r.take(r.number()) }

func (r *statCacheReader) file() CachedFile {
	set := r.byte()
	f := CachedFile{Ignored: set&1 != 0, Racy: set&2 != 0}
	f.Info.Mode, f.Info.Size = fs.FileMode(r.number()), int64(r.number())
	f.Info.uid, f.Info.gid = int(r.number()), int(r.number())
	s := &f.Info.Stamp
	s.Device, s.Inode, s.Size = r.number(), r.number(), int64(r.number())
	s.Modified, s.Changed = int64(r.number()), int64(r.number())
	if set&4 != 0 {
		copy(f.Hash[:], r.take(uint64(len(text.Hash{}))))
	}
	return f
}
