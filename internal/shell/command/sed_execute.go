package command

import (
	"bytes"
	"path"
	"strings"

	"redline/internal/shell/regex"
)

// backupName is where -iSUFFIX keeps a file: a * in the suffix is its name.
func backupName(name, suffix string) string {
	dir, base := path.Split(name)
	if !strings.Contains(suffix, "*") {
		return name + suffix
	}
	backup := strings.ReplaceAll(suffix, "*", base)
	if strings.Contains(backup, "/") {
		return backup
	}
	return dir + backup
}

// resetRanges closes the ranges at the start of the input.
func (r *sedRun) resetRanges() {
	for i, k := range r.script.commands {
		r.ranges[i] = sedRange{active: k.to != nil && k.from.kind == 'n' && k.from.line == 0}
	}
}

// match tells whether a pattern matches the space. nil is the one used last.
func (r *sedRun) match(re *regex.Regexp) (bool, error) {
	re, err := r.pattern(re)
	if err != nil {
		return false, err
	}
	ok := re.Match(r.space)
	if !ok && re.Err() != nil {
		return false, &errSed{sedBadUsage, re.Err().Error()}
	}
	return ok, nil
}

// pattern is the pattern to use, which is the one used last from now on.
func (r *sedRun) pattern(re *regex.Regexp) (*regex.Regexp, error) {
	if re == nil {
		re = r.last
	}
	if re == nil {
		return nil, &errSed{sedBadUsage, r.script.place + ": no previous regular expression"}
	}
	r.last = re
	return re, nil
}

// at tells whether an address is the current line.
func (r *sedRun) at(a *sedAddress) (bool, error) {
	switch a.kind {
	case 'n':
		return r.line == a.line, nil
	case '~':
		return r.line >= a.line && (r.line-a.line)%a.step == 0, nil
	case '$':
		more, err := r.more()
		return !more && err == nil, err
	}
	return r.match(a.regex)
}

// chosen tells whether a command is for the current line.
func (r *sedRun) chosen(i int) (bool, error) {
	k := &r.script.commands[i]
	if k.from == nil {
		return !k.negate, nil
	}
	var ok bool
	var err error
	if k.to == nil {
		ok, err = r.at(k.from)
	} else {
		ok, err = r.inRange(k, &r.ranges[i])
	}
	return ok != k.negate, err
}

// inRange is for two addresses.
func (r *sedRun) inRange(k *sedCommand, s *sedRange) (bool, error) {
	if s.active {
		switch k.to.kind {
		case 'n', '+', '*':
			s.active = r.line < s.until
			s.closed = !s.active
			// A range that was counted from its start does not miss its end.
			return r.line <= s.until || k.to.kind != 'n', nil
		}
		end, err := r.at(k.to)
		s.active, s.closed = !end, end
		return true, err
	}
	if k.from.kind == 'n' {
		// A line that was skipped by n or N has begun the range as well.
		if s.closed {
			return false, nil
		}
		late := r.line > k.from.line && !(k.to.kind == 'n' && r.line > k.to.line)
		if r.line != k.from.line && !late {
			return false, nil
		}
	} else if begin, err := r.at(k.from); err != nil || !begin {
		return false, err
	}
	switch k.to.kind {
	case 'n':
		s.until = k.to.line
	case '+':
		s.until = r.line + k.to.line
	case '*':
		s.until = r.line
		if n := k.to.line; n > 0 {
			s.until += n - r.line%n
		}
	default:
		s.active = true
		return true, nil
	}
	s.active = r.line < s.until
	s.closed = !s.active && k.to.kind != 'n'
	return true, nil
}

// execute runs the script on the space.
func (r *sedRun) execute() (next, code int, err error) {
	commands := r.script.commands
	for i := 0; i < len(commands); {
		if r.steps++; r.steps&0xff == 0 && r.c.Stopped() {
			return sedHalt, 0, nil
		}
		k := &commands[i]
		ok, err := r.chosen(i)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			if i++; k.name == '{' {
				i = k.jump
			}
			continue
		}
		jump, next, err := r.command(i, k)
		if err != nil {
			return 0, 0, err
		}
		if next != sedOn {
			return next, max(k.number, 0), nil
		}
		i = jump
	}
	return sedNext, 0, nil
}

// command runs one command. It returns the one to go on with, or another thing to do
// than that.
func (r *sedRun) command(i int, k *sedCommand) (jump, next int, err error) {
	jump, next = i+1, sedOn
	switch k.name {
	case 'b':
		jump = k.jump
	case 't':
		if r.replaced {
			jump = k.jump
		}
		r.replaced = false
	case 'T':
		if !r.replaced {
			jump = k.jump
		}
		r.replaced = false
	case 'd':
		next = sedDeleted
	case 'D':
		if at := bytes.IndexByte(r.space, r.end); at >= 0 {
			r.space = append(r.space[:0], r.space[at+1:]...)
			next = sedAgain
		} else {
			next = sedDeleted
		}
	case 'q':
		next = sedDone
	case 'Q':
		next = sedHalt
	case 'n', 'N':
		next, err = r.nextLine(k.name == 'N')
	case 'c':
		if k.to == nil || k.negate || !r.ranges[i].active {
			err = r.raw(r.out, k.text)
		}
		next = sedDeleted
	case 's':
		err = r.substitute(k.subst)
	default:
		err = r.simple(k)
	}
	return jump, next, err
}

// nextLine is n and N. At the end of the input, or of a file that is taken by itself,
// the script ends.
func (r *sedRun) nextLine(behind bool) (int, error) {
	more, err := r.more()
	if err != nil || !more {
		return sedNext, err
	}
	if !behind && !r.quiet {
		if err := r.printSpace(); err != nil {
			return 0, err
		}
	}
	if err := r.dumpQueue(); err != nil {
		return 0, err
	}
	_, err = r.read(behind)
	return sedOn, err
}

// simple runs the commands that neither jump nor end the cycle.
func (r *sedRun) simple(k *sedCommand) error {
	switch k.name {
	case '=':
		return r.raw(r.out, append(r.number(), r.end))
	case 'F':
		return r.raw(r.out, append([]byte(r.now), r.end))
	case 'a':
		r.queue = append(r.queue, sedAppend{text: k.text})
	case 'i':
		return r.raw(r.out, k.text)
	case 'g':
		r.space, r.chomped = append(r.space[:0], r.hold...), !r.holdOpen
	case 'G':
		r.space = append(append(r.space, r.end), r.hold...)
		r.chomped = !r.holdOpen
	case 'h':
		r.hold, r.holdOpen = append(r.hold[:0], r.space...), !r.chomped
	case 'H':
		r.hold = append(append(r.hold, r.end), r.space...)
		r.holdOpen = !r.chomped
	case 'x':
		r.space, r.hold = r.hold, r.space
		r.chomped, r.holdOpen = !r.holdOpen, !r.chomped
	case 'z':
		r.space = r.space[:0]
	case 'y':
		r.transliterate(k.table)
	case 'l':
		width := r.width
		if k.number >= 0 {
			width = k.number
		}
		return r.show(width)
	case 'p':
		return r.printSpace()
	case 'P':
		return r.printFirst(r.out)
	case 'w':
		return r.print(r.files[k.file], r.space, r.chomped)
	case 'W':
		return r.printFirst(r.files[k.file])
	case 'r':
		r.queue = append(r.queue, sedAppend{file: k.file})
	case 'R':
		r.queueLine(k.file)
	}
	if len(r.space) > sedMost || len(r.hold) > sedMost {
		return errSedFull
	}
	return nil
}

// queueLine is the command R: the next line of a file.
func (r *sedRun) queueLine(name string) {
	s := r.sources[name]
	if s == nil {
		s = &sedSource{}
		r.sources[name] = s
		if in, err := r.c.Open(name); err == nil {
			s.in, s.lines = in, newLineReader(in, r.end)
		}
	}
	if s.lines == nil {
		return
	}
	if line := s.lines.next(); line != nil {
		r.queue = append(r.queue, sedAppend{text: bytes.Clone(line)})
	}
}
