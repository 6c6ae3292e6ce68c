package scripted

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/llm"
)

// Parse reads a script. The name says which format it has (.yaml, .yml or
// .jsonl) and stands in errors, with the line and the field.
func Parse(name string, data []byte) (*Provider, error) {
	p := &Provider{name: name}
	var err error
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		err = p.readYAML(data)
	case ".jsonl":
		err = p.readJSONL(data)
	default:
		return nil, fmt.Errorf("%s: a script's name ends in .yaml, .yml or .jsonl", name)
	}
	var f fault
	if errors.As(err, &f) {
		return nil, fmt.Errorf("%s:%d: %s", name, f.line, f.words)
	}
	if err == nil && len(p.steps) == 0 {
		return nil, fmt.Errorf("%s: the script has no steps", name)
	}
	return p, err
}

// readYAML: a list of steps, or an object with steps and repeat.
func (p *Provider) readYAML(data []byte) error {
	root, err := parseYAML(data)
	if err != nil {
		return err
	}
	switch root.kind {
	case isNull:
		return nil
	case isList:
		return p.addAll(root, "steps")
	}
	return object(root, "", setters{"repeat": flag(&p.Repeat), "steps": p.addAll})
}

// readJSONL: a step on each line; repeat may stand on the first.
func (p *Provider) readJSONL(data []byte) error {
	first, number := true, 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		n, err := parseJSON(number, line)
		if err != nil {
			return err
		}
		if first && len(n.fields) == 1 && n.fields[0].name == "repeat" {
			err = object(n, "", setters{"repeat": flag(&p.Repeat)})
		} else {
			err = p.add(n, fmt.Sprintf("steps[%d]", len(p.steps)))
		}
		if err != nil {
			return err
		}
		first = false
	}
	return nil
}

func (p *Provider) addAll(n node, at string) error { return each(n, at, p.add) }

func (p *Provider) add(n node, at string) error {
	s := Step{place: fmt.Sprintf("%s:%d: step %d", p.name, n.line, len(p.steps)+1)}
	var failure llm.Failure
	err := object(n, at, setters{
		"expect": fields(setters{"contains": text(&s.Expect.Contains), "tools": texts(&s.Expect.Tools)}),
		"delay":  duration(&s.Delay), "pause": duration(&s.Pause),
		"chunk": count(&s.Chunk), "cut": count(&s.Cut),
		"thinking": text(&s.Thinking), "signature": text(&s.Signature), "text": text(&s.Text),
		"calls": func(n node, at string) error {
			return each(n, at, func(n node, at string) error { return addCall(&s, n, at) })
		},
		"error": func(n node, at string) error {
			s.Error = &failure
			return object(n, at, setters{
				"class": text(&failure.Class), "message": text(&failure.Message),
				"retry": flag(&failure.Retry), "retry_after": duration(&failure.RetryAfter),
			})
		},
		"stop": text(&s.Stop),
		"usage": fields(setters{
			"input": count(&s.Usage.Input), "output": count(&s.Usage.Output), "reasoning": count(&s.Usage.Reasoning),
			"cache_read": count(&s.Usage.CacheRead), "cache_write": count(&s.Usage.CacheWrite),
		}),
	})
	if err != nil {
		return err
	}
	if problem := s.contradiction(); problem != "" {
		return faultf(n.line, "%s: %s", at, problem)
	}
	p.steps = append(p.steps, s)
	return nil
}

func addCall(s *Step, n node, at string) error {
	var c Call
	err := object(n, at, setters{
		"id": text(&c.ID), "name": text(&c.Name),
		"arguments": func(n node, at string) error {
			switch n.kind {
			case isObject:
				c.Arguments = n.json()
			case isText:
				c.Arguments = n.text
			default:
				return wrong(n, at, "an object, or a text that is sent as it stands")
			}
			return nil
		},
	})
	s.Calls = append(s.Calls, c)
	return err
}

// setter takes a value over from the script; at is the path of its field.
type setter = func(n node, at string) error

type setters map[string]setter

func wrong(n node, at, want string) error {
	return faultf(n.line, "%s: want %s, not %s", at, want, n.kind)
}

// object hands each field to its setter; others are refused.
func object(n node, at string, known setters) error {
	if n.kind != isObject {
		if at == "" {
			at = "the script"
		}
		return wrong(n, at, string(isObject))
	}
	seen := map[string]bool{}
	for _, f := range n.fields {
		name := strings.TrimPrefix(at+"."+f.name, ".")
		set, ok := known[f.name]
		if !ok {
			return faultf(f.line, "%s: unknown field; known are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if seen[f.name] {
			return faultf(f.line, "%s: stands there twice", name)
		}
		seen[f.name] = true
		if err := set(f.value, name); err != nil {
			return err
		}
	}
	return nil
}

func fields(known setters) setter {
	return func(n node, at string) error { return object(n, at, known) }
}

// each hands every item of a list to a setter.
func each(n node, at string, set setter) error {
	if n.kind != isList {
		return wrong(n, at, string(isList))
	}
	for i, item := range n.items {
		if err := set(item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func text[T ~string](to *T) setter {
	return func(n node, at string) error {
		if n.kind != isText {
			return wrong(n, at, "a text (put it in quotes)")
		}
		*to = T(n.text)
		return nil
	}
}

func texts(to *[]string) setter {
	return func(n node, at string) error {
		return each(n, at, func(n node, at string) error {
			var s string
			err := text(&s)(n, at)
			*to = append(*to, s)
			return err
		})
	}
}

func flag(to *bool) setter {
	return func(n node, at string) error {
		if n.kind != isBool {
			return wrong(n, at, string(isBool))
		}
		*to = n.text == "true"
		return nil
	}
}

func count(to *int) setter {
	return func(n node, at string) error {
		if n.kind != isNumber {
			return wrong(n, at, "a whole number")
		}
		v, err := strconv.Atoi(n.text)
		if err != nil || v < 0 {
			return faultf(n.line, "%s: want a whole number from 0 up, not %s", at, n.text)
		}
		*to = v
		return nil
	}
}

func duration(to *time.Duration) setter {
	return func(n node, at string) error {
		v, err := time.ParseDuration(n.text)
		if n.kind != isText || err != nil || v < 0 {
			return faultf(n.line, "%s: want a time such as 150ms or 2s, not %s", at, n.json())
		}
		*to = v
		return nil
	}
}
