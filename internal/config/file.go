package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// largest is how many bytes a configuration may have.
const largest = 1 << 20

// File is a configuration as it was read. The folder's is read by whoever has the
// folder open.
type File struct {
	Name    string // as it is shown
	Data    []byte
	Trusted bool // of the folder's: all that it says counts
}

// HomeName is the name of the user's own file, or "" if there is no home.
func HomeName(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "redline", "config.toml")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "redline", "config.toml")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".config", "redline", "config.toml")
	}
	return ""
}

// ReadHome reads the user's own file. If it is not there, it is nil.
func ReadHome(name string) (*File, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the configuration cannot be read: %w; make it a file that you can read, or remove it", err)
	}
	return &File{Name: name, Data: data, Trusted: true}, nil
}

// layer is what one source says: values by key.
type layer map[string]Setting

// layer reads the file. The error has everything that is wrong with it.
func (f *File) layer(source Source, near Near) (layer, error) {
	data := bytes.TrimPrefix(f.Data, []byte("\ufeff"))
	if len(data) > largest {
		return nil, fmt.Errorf("%s: it is larger than 1 MiB, which is no configuration; remove it or make it smaller", f.Name)
	}
	values := map[string]any{}
	if err := toml.Unmarshal(data, &values); err != nil {
		return nil, f.broken(source, data, err)
	}
	lines, _ := linesOf(data)
	found := layer{}
	var problems []error
	for name, v := range flat(values) {
		origin := Origin{Source: source, Name: f.Name, Line: lines[name]}
		s, err := readTOML(name, v, origin, near)
		if err == nil && source == FolderFile {
			err = fixed(s)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found[name] = s
	}
	slices.SortFunc(problems, func(a, b error) int { return a.(*Problem).Origin.Line - b.(*Problem).Origin.Line })
	return found, errors.Join(problems...)
}

// flat gives the keys of tables such as [shell] their whole names.
func flat(values map[string]any) map[string]any {
	all := map[string]any{}
	for name, v := range values {
		table, ok := v.(map[string]any)
		if !ok || !slices.ContainsFunc(Keys, func(k Key) bool { return strings.HasPrefix(k.Name, name+".") }) {
			all[name] = v
			continue
		}
		for inner, v := range table {
			all[name+"."+inner] = v
		}
	}
	return all
}

// broken says where the file is not TOML.
func (f *File) broken(source Source, data []byte, err error) error {
	origin := Origin{Source: source, Name: f.Name}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		origin.Line, _ = at.Position()
	} else {
		_, origin.Line = linesOf(data) // a key that is there twice has no position
	}
	words := strings.Map(func(r rune) rune { // the message has parts of the file in it
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.TrimPrefix(err.Error(), "toml: "))
	return &Problem{origin, "", fmt.Errorf("it is not TOML: %s; a line is KEY = VALUE, each key once, texts in quotes: mode = \"supervised\"", words)}
}

func readTOML(name string, v any, origin Origin, near Near) (Setting, error) {
	k, ok := keyOf(name)
	if !ok {
		return Setting{}, &Problem{origin, "", unknown("key", name, keyNames(), near, "redline config lists the keys")}
	}
	value, err := k.kind.fromTOML(v)
	if err != nil {
		return Setting{}, &Problem{origin, name, err}
	}
	return Setting{Key: k, Value: value, Origin: origin}, nil
}

// fixed refuses what would let a folder's file change its meaning after it was
// trusted: it names another file.
func fixed(s Setting) error {
	value, _ := s.Value.(string)
	switch {
	case s.Key.Name == "system_prompt" && strings.HasPrefix(value, "@"):
		return &Problem{s.Origin, s.Key.Name, errors.New("cannot name a file here, because that could change after the folder was trusted; write the prompt itself")}
	case strings.HasPrefix(value, "scripted:"):
		return &Problem{s.Origin, s.Key.Name, errors.New("cannot be a script here, because that could change after the folder was trusted; use --model")}
	}
	return nil
}

// linesOf finds where keys are first named, counted from 1, those of a table with
// its name before them, and where one is named again; 0 if none is.
func linesOf(data []byte) (lines map[string]int, again int) {
	lines = map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		var parts []string
		line := 0
		for it := e.Key(); it.Next(); {
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
			parts = append(parts, string(it.Node().Data))
		}
		if len(parts) == 0 {
			continue
		}
		name := strings.Join(parts, ".")
		switch e.Kind {
		case unstable.KeyValue:
			name = table + name
		case unstable.Table:
			table = name + "."
		case unstable.ArrayTable: // each is a table of its own
			table = fmt.Sprintf("%s[%d].", name, line)
		}
		if lines[name] > 0 && again == 0 && e.Kind != unstable.ArrayTable {
			again = line
		}
		for _, name := range []string{name, strings.Split(name, ".")[0]} {
			if lines[name] == 0 {
				lines[name] = line
			}
		}
	}
	return lines, again
}
