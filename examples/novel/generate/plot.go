package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed plot/*.txt
var plotFiles embed.FS

// A chapter is one file of the plot.
type chapter struct {
	title, date string
	scenes      []scene
}

// A scene has one place, one hour, one weather and at least one person, whose
// eyes we see it with. Its pieces are in the order of the book.
type scene struct {
	place, time, weather string
	present              []person
	pieces               []piece
}

// A piece is either a paragraph written by hand, or a gap which the grammar
// fills with paragraphs of the given kinds, in turn.
type piece struct {
	text string
	fill []string
}

// readPlot returns the chapters in order. In a plot file, the lines before the
// first scene are "title:" and "date:"; a scene opens with
//
//	== place; time; weather; viewpoint, others
//
// and holds paragraphs with empty lines between them, and gaps, which are
// lines such as "~ place; talk Dov Petra; habit".
func readPlot() ([]chapter, error) {
	names, err := fs.Glob(plotFiles, "plot/*.txt")
	if err != nil {
		return nil, err
	}
	var all []chapter
	for _, name := range names {
		data, err := plotFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c, err := parseChapter(string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func parseChapter(text string) (chapter, error) {
	var c chapter
	var open []string // lines of the paragraph under way
	flush := func() {
		if len(open) > 0 {
			s := &c.scenes[len(c.scenes)-1]
			s.pieces = append(s.pieces, piece{text: strings.Join(open, " ")})
			open = nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "title: "); ok {
			c.title = title
			continue
		}
		if date, ok := strings.CutPrefix(line, "date: "); ok {
			c.date = date
			continue
		}
		if head, ok := strings.CutPrefix(line, "== "); ok {
			flush()
			s, err := parseScene(head)
			if err != nil {
				return c, err
			}
			c.scenes = append(c.scenes, s)
			continue
		}
		if line != "" && len(c.scenes) == 0 {
			return c, fmt.Errorf("%q stands before the first scene", line)
		}
		switch kinds, gap := strings.CutPrefix(line, "~ "); {
		case gap:
			flush()
			s := &c.scenes[len(c.scenes)-1]
			s.pieces = append(s.pieces, piece{fill: splitTrim(kinds, ";")})
		case line == "":
			flush()
		default:
			open = append(open, line)
		}
	}
	flush()
	return c, nil
}

func parseScene(head string) (scene, error) {
	f := splitTrim(head, ";")
	if len(f) != 4 {
		return scene{}, fmt.Errorf("scene %q needs place, time, weather and people", head)
	}
	if _, err := placeNamed(f[0]); err != nil {
		return scene{}, err
	}
	s := scene{place: f[0], time: f[1], weather: f[2]}
	for _, name := range splitTrim(f[3], ",") {
		p, err := personNamed(name)
		if err != nil {
			return scene{}, err
		}
		s.present = append(s.present, p)
	}
	return s, nil
}

func splitTrim(s, sep string) []string {
	parts := strings.Split(s, sep)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
