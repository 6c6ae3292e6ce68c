package outline

import (
	"bytes"
	"regexp"

	"redline/internal/text"
)

// property is a line that can open YAML front matter: a key and a colon.
var property = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|[^\s#:"'>|*\x60-][^:]*)\s*:(?:\s|$)|^\{`)

// FrontMatter is how many lines at the beginning are front matter, its two
// fences included: YAML between "---" and "---" or "...", or TOML between
// "+++" and "+++". Without a closing fence there is none, and neither if what
// follows the first "---" is prose: then the fence is a rule across the page.
func FrontMatter(doc *text.Document) int {
	if doc.Lines() == 0 {
		return 0
	}
	fence := fenceAt(doc, 0)
	if fence != "---" && fence != "+++" {
		return 0
	}
	begun := fence == "+++"
	for i := 1; i < doc.Lines(); i++ {
		if f := fenceAt(doc, i); f == fence || f == "..." && fence == "---" {
			return i + 1
		}
		line := bytes.TrimRight(doc.LineText(i), " \t\r")
		if begun || len(line) == 0 || line[0] == '#' {
			continue
		}
		if !property.Match(line) {
			return 0
		}
		begun = true
	}
	return 0
}

// fenceAt is line i without blanks at its end.
func fenceAt(doc *text.Document, i int) string {
	line := bytes.TrimRight(doc.LineText(i), " \t\r")
	if len(line) != 3 {
		return ""
	}
	return string(line)
}
