package regex

// threads are the simulation of a program that reads the text once, however
// many matches are possible: at each position, the places that some beginning
// leads to, the earliest beginning first.
type threads struct {
	now, next  []thread
	places     places
	start, end int // of the match, if ok
	ok         bool
}

type thread struct{ pc, start int32 }

// run finds the first match that begins at from or later.
func (m *machine) run(b []byte, from int) (start, end int, ok bool) {
	p, t := m.r.program, &m.threads
	if t.places.seen == nil {
		t.places.init(len(p.insts))
	}
	t.now, t.ok = t.now[:0], false
	before := p.before(b, from)
	for at := from; ; {
		after, letter, width := p.after(b, at), p.letters, 0
		if at < len(b) {
			letter, width = p.read(b[at:])
		}
		if !t.ok && !(p.anchored && at > 0) {
			t.now = append(t.now, thread{p.start, int32(at)})
		}
		t.places.clear()
		t.next = t.next[:0]
		for _, th := range t.now {
			if t.ok && p.longest && int(th.start) > t.start || t.advance(p, th, at, letter, before, after) {
				break
			}
		}
		m.work -= len(t.places.list)
		if at == len(b) || t.ok && len(t.next) == 0 || m.work < 0 {
			return t.start, t.end, t.ok && m.work >= 0
		}
		t.now, t.next = t.next, t.now
		at += width
		before = after
	}
}

// advance lets a thread read a letter. It says whether those behind it have lost.
func (t *threads) advance(p *program, th thread, at, letter int, before, after sight) (lost bool) {
	had := len(t.places.list)
	p.pass(&t.places, th.pc, before, after)
	for _, pc := range t.places.list[had:] {
		i := &p.insts[pc]
		switch {
		case i.op == opMatch:
			t.start, t.end, t.ok = int(th.start), at, true
			if !p.longest {
				return true
			}
		case p.has(i.arg, letter):
			t.next = append(t.next, thread{i.next, th.start})
		}
	}
	return false
}
