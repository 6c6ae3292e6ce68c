package documents

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"redline/internal/ops"
)

//go:embed templates/*.md
var templates embed.FS

// builtIn are the names of the built-in templates, in the order of the contract.
var builtIn = []string{"blank", "meeting-notes", "todo-list", "journal"}

// templateNames are those of all templates: the built-in ones, then the user's own.
func (s *set) templateNames() []string {
	names := slices.Clone(builtIn)
	for _, name := range slices.Sorted(maps.Keys(s.Templates())) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// template is the text of a template.
func (s *set) template(name string) (string, error) {
	if name == "" {
		name = builtIn[0]
	}
	if own, ok := s.Templates()[name]; ok {
		return own, nil
	}
	if !slices.Contains(builtIn, name) {
		names := s.templateNames()
		e := refusal(ops.UnknownTemplate, "", fmt.Sprintf("there is no template %q", name), "Templates: "+strings.Join(names, ", "))
		e.Details = map[string]any{"templates": names}
		return "", e
	}
	data, err := templates.ReadFile("templates/" + name + ".md")
	return string(data), err
}

// contentPlace is where the content goes in a template. What stands behind a colon takes its place
// where there is no content.
var contentPlace = regexp.MustCompile(`\{\{content(?::([^{}]*))?\}\}`)

// contentOf is the text of a new document: its template with title, date and
// content in their places. Where the template has no place for the content, that
// comes at the end.
func (s *set) contentOf(args createArgs, p string) (string, error) {
	frame, err := s.template(args.Template)
	if err != nil {
		return "", err
	}
	content, before, after := args.Content, frame, ""
	if at := contentPlace.FindStringSubmatchIndex(frame); at != nil {
		before, after = frame[:at[0]], frame[at[1]:]
		if content == "" && at[2] >= 0 {
			content = frame[at[2]:at[3]]
		}
	} else if content != "" {
		before = paragraph(frame)
	}
	now := s.Now()
	title := path.Base(p)
	fill := strings.NewReplacer(
		"{{title}}", title[:len(title)-len(extension)],
		"{{date}}", now.Format("2006-01-02"),
		"{{weekday}}", now.Weekday().String(),
		"{{time}}", now.Format("15:04"),
	)
	before, after = fill.Replace(before), fill.Replace(after) // the content stays as it is
	switch {
	case content != "" && strings.HasPrefix(after, "\n"):
		content = strings.TrimRight(content, "\n")
	case content == "" && strings.Trim(after, "\n") == "":
		return strings.TrimSuffix(paragraph(before), "\n"), nil
	case content == "":
		before, after = paragraph(before), strings.TrimLeft(after, "\n")
	}
	return before + content + after, nil
}

// paragraph ends a text, if there is any, with one empty line.
func paragraph(s string) string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return ""
	}
	return s + "\n\n"
}
