package toolset

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"redline/internal/ops"
	"redline/tool"
)

// leftOut is the line of a shell in the place of what was too long.
var leftOut = regexp.MustCompile(`(?m)^\[[0-9]+ bytes left out\]$`)

const (
	around    = 40       // bytes
	mostNames = 20       // of files in a line for the model
	screenful = 16 << 10 // bytes that a Screen shows
)

// TellLeftOut remembers the notes about what was left out of the output of a command,
// so that they do not come back as text.
func TellLeftOut(desk *ops.Desk, streams ...string) {
	for _, stream := range streams {
		if at := leftOut.FindStringIndex(stream); at != nil {
			// Alone the note is too short to be told from a text.
			desk.Tell(stream[max(at[0]-around, 0):min(at[1]+around, len(stream))])
		}
	}
}

// Files is a line with the names of files that a command has changed; "" if there are
// none.
func Files(title string, files []string) string {
	if len(files) == 0 {
		return ""
	}
	more := ""
	if n := len(files) - mostNames; n > 0 {
		files, more = files[:mostNames], fmt.Sprintf(" and %d more", n)
	}
	return title + ": " + strings.Join(files, ", ") + more
}

// Screen shows the end of what a running command has written so far, both streams as
// they come.
type Screen struct {
	Update tool.Update
	text   []byte
}

// Hear is never called twice at once.
func (s *Screen) Hear(_ string, piece []byte) {
	s.text = append(s.text, piece...)
	if over := len(s.text) - screenful; over > 0 {
		for over < len(s.text) && !utf8.RuneStart(s.text[over]) {
			over++
		}
		s.text = append(s.text[:0], s.text[over:]...)
	}
	s.Update(tool.Result{Output: string(s.text)})
}
