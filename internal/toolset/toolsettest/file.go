package toolsettest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// file is a file, an empty folder (its name ends in a slash) or a symbolic link
// of a case.
type file struct {
	name   string
	data   []byte
	target string
}

const (
	quoted  = " (quoted)"
	pointer = " -> "
	shown   = 4 << 10 // bytes; of a longer file only the size is shown
)

// parseFile reads a file of an archive; name is without the folder of the section.
func parseFile(name string, data []byte) (file, error) {
	if n, target, ok := strings.Cut(name, pointer); ok {
		return file{name: n, target: target}, nil
	}
	n, ok := strings.CutSuffix(name, quoted)
	if !ok {
		return file{name: name, data: data}, nil
	}
	f := file{name: n, data: []byte{}}
	for line := range strings.Lines(string(data)) {
		s, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			return f, fmt.Errorf("%s: %s is no Go string", name, strings.TrimSpace(line))
		}
		f.data = append(f.data, s...)
	}
	return f, nil
}

// format is the opposite of parseFile.
func (f file) format(section string) txtar.File {
	name := section + "/" + f.name
	switch {
	case f.target != "":
		return txtar.File{Name: name + pointer + f.target}
	case len(f.data) > shown:
		return txtar.File{Name: name, Data: fmt.Appendf(nil, "[%d bytes]\n", len(f.data))}
	case plain(f.data):
		return txtar.File{Name: name, Data: f.data}
	}
	var b strings.Builder
	for line := range strings.Lines(string(f.data)) {
		b.WriteString(strconv.Quote(line) + "\n")
	}
	return txtar.File{Name: name + quoted, Data: []byte(b.String())}
}

// plain tells whether a text file can show the data as it is.
func plain(data []byte) bool {
	s := string(data)
	if s != "" && !strings.HasSuffix(s, "\n") || !utf8.ValidString(s) || strings.HasPrefix(s, "-- ") || strings.Contains(s, "\n-- ") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && r != ' ' && !unicode.IsGraphic(r) || r == '\uFEFF' || unicode.IsSpace(r) && r > unicode.MaxASCII
	})
}

func (f file) write(dir string) error {
	full := filepath.Join(dir, filepath.FromSlash(f.name))
	if strings.HasSuffix(f.name, "/") {
		return os.MkdirAll(full, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if f.target != "" {
		return os.Symlink(f.target, full)
	}
	return os.WriteFile(full, f.data, 0o644)
}

// tree is the whole folder in the order of paths, without Redline's own.
func tree(t testing.TB, dir string) []file {
	t.Helper()
	var list []file
	err := filepath.WalkDir(dir, func(full string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(rel)}
		switch {
		case rel == ".":
			return nil
		case rel == ".redline":
			return filepath.SkipDir
		case e.IsDir():
			inside, err := os.ReadDir(full)
			if err != nil || len(inside) > 0 {
				return err
			}
			f.name += "/"
		case e.Type()&os.ModeSymlink != 0:
			f.target, err = os.Readlink(full)
		default:
			f.data, err = os.ReadFile(full)
		}
		list = append(list, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// show is a tree as the text of a case.
func show(section string, files []file) []txtar.File {
	var list []txtar.File
	for _, f := range files {
		list = append(list, f.format(section))
	}
	return list
}
