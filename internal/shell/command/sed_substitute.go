package command

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"redline/internal/shell/regex"
)

// substitute is the command s.
func (r *sedRun) substitute(s *sedSubst) error {
	re, err := r.pattern(s.regex)
	if err != nil {
		return err
	}
	if s.regex == nil {
		for _, part := range s.parts {
			if part.group > re.Groups() {
				return &errSed{sedBadUsage, "invalid reference \\" + string(rune('0'+part.group)) + " on `s' command's RHS"}
			}
		}
	}
	done, err := r.replaceMatches(re, s)
	if err != nil || !done {
		return err
	}
	r.replaced = true
	if s.print {
		if err := r.printSpace(); err != nil {
			return err
		}
	}
	if s.file != "" {
		return r.print(r.files[s.file], r.space, r.chomped)
	}
	return nil
}

// replaceMatches makes a new space with the matches replaced; false if there are none.
// An empty match right behind another one is none.
func (r *sedRun) replaceMatches(re *regex.Regexp, s *sedSubst) (done bool, err error) {
	out, text := r.scratch[:0], r.space
	count, from, copied, before := 0, 0, 0, -1 // before: where the last match ended
	for from <= len(text) {
		if r.steps++; r.steps&0x3ff == 0 && r.c.Stopped() {
			return false, nil
		}
		spans := re.FindSubmatchIndex(text, from, r.spans)
		if spans == nil {
			break
		}
		r.spans = spans
		begin, end := spans[0], spans[1]
		if begin != end || begin != before {
			count++
			if count >= s.number {
				out = append(out, text[copied:begin]...)
				out = r.replace(out, s.parts, text, spans)
				copied, done = end, true
			}
		}
		if done && !s.all || len(out) > sedMost {
			break
		}
		before = end
		if from = end; begin == end {
			_, n := utf8.DecodeRune(text[end:])
			from += max(n, 1)
		}
	}
	if re.Err() != nil {
		return false, &errSed{sedBadUsage, re.Err().Error()}
	}
	if !done {
		return false, nil
	}
	if out = append(out, text[copied:]...); len(out) > sedMost {
		return false, errSedFull
	}
	r.space, r.scratch = out, text
	return true, nil
}

// replace appends the replacement of a match.
func (r *sedRun) replace(out []byte, parts []sedPart, text []byte, spans []int) []byte {
	var mode, once byte
	for i := range parts {
		part := &parts[i]
		switch part.turn {
		case 'U', 'L':
			mode = part.turn
		case 'E':
			mode, once = 0, 0
		case 'u', 'l':
			once = part.turn
		}
		out = appendTurned(out, part.text, mode, &once)
		if g := part.group; g >= 0 && 2*g+1 < len(spans) && spans[2*g] >= 0 {
			out = appendTurned(out, text[spans[2*g]:spans[2*g+1]], mode, &once)
		}
	}
	return out
}

// appendTurned appends text in upper or lower case. once is for its first character
// only, and is used up then.
func appendTurned(out, text []byte, mode byte, once *byte) []byte {
	if len(text) == 0 {
		return out
	}
	if *once != 0 {
		c, n := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && n == 1:
			out = append(out, text[0])
		case *once == 'u':
			out = utf8.AppendRune(out, unicode.ToUpper(c))
		default:
			out = utf8.AppendRune(out, unicode.ToLower(c))
		}
		*once, text = 0, text[n:]
	}
	switch mode {
	case 'U':
		return append(out, bytes.ToUpper(text)...)
	case 'L':
		return append(out, bytes.ToLower(text)...)
	}
	return append(out, text...)
}
