package offline

// readPages reads documents to their ends, as many as may be read. ask is the call for
// a document from a line on, 0 for its beginning; page takes in what it brought, and
// returns the line to go on with, 0 for none; finish is called for each document that
// was read.
func (r *replay) readPages(paths []string, ask func(path string, from int) call, page func(*document, result) (next int), finish func(*document)) []*document {
	n := min(len(paths), r.reads)
	var calls []call
	var list []*document
	for i, p := range paths {
		list = append(list, &document{path: p})
		if i >= n {
			list[i].failure = tooMany
			continue
		}
		calls = append(calls, ask(p, 0))
	}
	for i, got := range r.do(calls...) {
		d := list[i]
		for next := page(d, got); next > 0; {
			next = page(d, r.do(ask(d.path, next))[0])
		}
		d.whole = d.failure == ""
		finish(d)
	}
	return list
}
