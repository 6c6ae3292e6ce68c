package workspace

import "errors"

// Probe tries what writing needs, with two empty temporary files in the folder
// that are gone again when it returns. The caller holds the lock. exchange tells
// whether the file system can swap two names in one step; where it cannot, a
// change that another program makes in the very moment of a write is not seen.
func (f *Folder) Probe() (exchange bool, err error) {
	d, err := f.top()
	if err != nil {
		return false, fail(Path{}, err)
	}
	defer d.Close()
	a, b := tempName(), tempName()
	for _, name := range []string{a, b} {
		file, createErr := d.create(name, 0o600)
		if createErr != nil {
			return false, fail(Path{}, createErr)
		}
		defer func() { err = errors.Join(err, d.remove(name)) }()
		if err := file.Close(); err != nil {
			return false, fail(Path{}, err)
		}
	}
	err = d.exchange(a, b)
	if unsupported(err) {
		return false, nil
	}
	return err == nil, err
}
