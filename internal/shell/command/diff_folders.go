package command

// folders compares two folders.
func (d *differ) folders(a, b string) int {
	left, errA := d.entries(a)
	right, errB := d.entries(b)
	for name, err := range map[string]error{a: errA, b: errB} {
		if err != nil {
			return d.Fail(diffTrouble, "%s: %s", name, Reason(err))
		}
	}
	status := 0
	for len(left) > 0 || len(right) > 0 {
		if d.Stopped() {
			break
		}
		switch {
		case len(right) == 0 || len(left) > 0 && left[0] < right[0]:
			status = max(status, d.onlyIn(a, b, left[0], true))
			left = left[1:]
		case len(left) == 0 || right[0] < left[0]:
			status = max(status, d.onlyIn(a, b, right[0], false))
			right = right[1:]
		default:
			status = max(status, d.pair(joined(a, left[0]), joined(b, left[0])))
			left, right = left[1:], right[1:]
		}
	}
	return status
}

// entries are the names in a folder that are not excluded.
func (d *differ) entries(dir string) ([]string, error) {
	list, err := d.Tree.ReadDir(d.Path(dir))
	var names []string
next:
	for _, e := range list {
		for _, g := range d.exclude {
			if g.match(e.Name()) {
				continue next
			}
		}
		names = append(names, e.Name())
	}
	return names, err
}

// onlyIn is about a name that only one of two folders has.
func (d *differ) onlyIn(a, b, name string, first bool) int {
	dir := b
	if first {
		dir = a
	}
	if !d.Flag("N") {
		d.Out.WriteString("Only in " + dir + ": " + name + "\n")
		return 1
	}
	i, err := d.about(joined(dir, name))
	switch {
	case err != nil:
		return d.Fail(diffTrouble, "%s: %s", joined(dir, name), Reason(err))
	case i.IsDir() && !d.Flag("r"):
		d.Out.WriteString("Common subdirectories: " + joined(a, name) + " and " + joined(b, name) + "\n")
		return 0
	case i.IsDir():
		return d.onlyFolder(joined(a, name), joined(b, name), first)
	}
	return d.files(joined(a, name), joined(b, name), true)
}

// onlyFolder compares a folder with nothing.
func (d *differ) onlyFolder(a, b string, first bool) int {
	dir := b
	if first {
		dir = a
	}
	names, err := d.entries(dir)
	if err != nil {
		return d.Fail(diffTrouble, "%s: %s", dir, Reason(err))
	}
	status := 0
	for _, name := range names {
		if !d.Stopped() {
			status = max(status, d.onlyIn(a, b, name, first))
		}
	}
	return status
}

// pair compares what two folders have under the same name.
func (d *differ) pair(a, b string) int {
	x, errA := d.about(a)
	y, errB := d.about(b)
	switch {
	case errA != nil:
		return d.Fail(diffTrouble, "%s: %s", a, Reason(errA))
	case errB != nil:
		return d.Fail(diffTrouble, "%s: %s", b, Reason(errB))
	case x.IsDir() && y.IsDir() && !d.Flag("r"):
		d.Out.WriteString("Common subdirectories: " + a + " and " + b + "\n")
		return 0
	case x.IsDir() && y.IsDir():
		return d.folders(a, b)
	case x.IsDir() != y.IsDir():
		d.Out.WriteString("File " + d.shown(a, 0) + " is a " + kindInWords(x) + " while file " + d.shown(b, 1) + " is a " + kindInWords(y) + "\n")
		return 1
	}
	return d.files(a, b, true)
}
