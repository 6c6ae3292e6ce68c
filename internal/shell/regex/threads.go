package regex

// threads are the simulation of a program that reads the text once, however
// many matches are possible: at each position, the places that some beginning
// leads to, the earliest beginning first.
type threads struct {
	now, next []thread
	places    places
}

type thread struct{ pc, start int32 }

// run finds the first match that begins at from or later.
func (m *machine) run(b []byte, from int) (start, end int, ok bool) {
	p, t := m.r.program, &m.threads
	if t.places.seen == nil {
		t.places.init(len(p.insts))
	}
	t.now = t.now[:0]
	before := p.before(b, from)
	for at := from; ; {
		after, letter, width := p.after(b, at), p.letters, 0
		if at < len(b) {
			letter, width = p.read(b[at:])
		}
		if !ok && !(p.anchored && at > 0) {
			t.now = append(t.now, thread{p.start, int32(at)})
		}
		t.places.clear()
		t.next = t.next[:0]
		for _, th := range t.now {
			if ok && p.longest && int(th.start) > start {
				break
			}
			had := len(t.places.list)
			p.pass(&t.places, th.pc, before, after)
			done := false
			for _, pc := range t.places.list[had:] {
				i := &p.insts[pc]
				if i.op == opMatch {
					start, end, ok = int(th.start), at, true
					if done = !p.longest; done {
						break
					}
					continue
				}
				if at < len(b) && p.has(i.arg, letter) {
					t.next = append(t.next, thread{i.next, th.start})
				}
			}
			if done {
				break
			}
		}
		m.work -= len(t.places.list)
		if at == len(b) || ok && len(t.next) == 0 || m.work < 0 {
			return start, end, ok && m.work >= 0
		}
		t.now, t.next = t.next, t.now
		at += width
		before = after
	}
}
