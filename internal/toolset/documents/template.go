package documents

import (
	"embed"
	"fmt"
	"maps"
	"path"
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

// contentOf is the text of a new document: its template with title, date and
// content in their places. Where the template has no place for the content, that
// comes at the end.
func (s *set) contentOf(args createArgs, p string) (string, error) {
	frame, err := s.template(args.Template)
	if err != nil {
		return "", err
	}
	if args.Content == "" {
		frame = strings.ReplaceAll(strings.ReplaceAll(frame, "{{content}}\n\n", ""), "{{content}}", "")
	} else if !strings.Contains(frame, "{{content}}") {
		frame = strings.TrimRight(frame, "\n")
		if frame != "" {
			frame += "\n\n"
		}
		frame += "{{content}}"
	}
	now := s.Now()
	title := path.Base(p)
	// The content is put in last, and whatever it holds stays as it is.
	text := strings.NewReplacer(
		"{{title}}", title[:len(title)-len(extension)],
		"{{date}}", now.Format("2006-01-02"),
		"{{weekday}}", now.Weekday().String(),
		"{{time}}", now.Format("15:04"),
		"{{content}}", args.Content,
	).Replace(frame)
	return text, nil
}
