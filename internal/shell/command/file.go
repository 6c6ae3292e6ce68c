package command

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

func init() {
	register(&Command{
		Name: "file", About: "Tell what is in files.",
		Synopsis: "[OPTION]... FILE...",
		Options: []Option{
			{Short: "b", Long: "brief", Help: "without the names"},
			{Short: "i", Long: "mime", Help: "as a MIME type with the encoding"},
			{Long: "mime-type", Help: "as a MIME type"},
			{Long: "mime-encoding", Help: "the encoding"},
			{Short: "L", Long: "dereference", Help: "follow links"},
			{Short: "h", Long: "no-dereference", Help: "do not follow links (the default)"},
			{Short: "F", Long: "separator", Value: "STRING", Help: "what stands behind names, instead of a colon"},
			{Short: "f", Long: "files-from", Value: "FILE", Help: "read the names of files from FILE"},
			{Short: "N", Long: "no-pad", Help: "names are not made equally wide"},
			{Short: "E", Help: "stop at a file that cannot be read"},
			{Short: "k", Long: "keep-going", Help: "nothing"},
			{Short: "s", Long: "special-files", Help: "nothing"},
		},
		Differs: "It knows text, its encoding and line ends, the common kinds of scripts and markup, and the common images, documents and archives, not all that file(1) knows.",
		Run:     runFile,
	})
}

// mostLook is how much of a file is looked at; bytes.
const mostLook = 1 << 20

func runFile(c *Call) int {
	names := c.Operands
	if list, ok := c.Value("f"); ok {
		data, err := c.Read(list)
		if err != nil {
			return c.Fail(1, "Cannot open `%s' (%s)", list, Reason(err))
		}
		for line := range strings.Lines(string(data)) {
			names = append(names, strings.TrimSuffix(line, "\n"))
		}
	}
	if len(names) == 0 {
		return c.Try(1, "no file is named")
	}
	separator := ":"
	if value, ok := c.Value("F"); ok {
		separator = value
	}
	width := 0
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(fileTitle(name)))
	}
	for _, name := range names {
		if c.Stopped() {
			break
		}
		k, err := look(c, name)
		text := k.text(c)
		if err != nil {
			text = fmt.Sprintf("cannot open `%s' (%s)", name, Reason(err))
			if c.Flag("E") {
				text = fmt.Sprintf("ERROR: cannot stat `%s' (%s)", name, Reason(err))
			}
		}
		if !c.Flag("b") {
			title := fileTitle(name)
			c.Out.WriteString(title + separator + " ")
			if !c.Flag("N") {
				c.Out.WriteString(strings.Repeat(" ", width-utf8.RuneCountInString(title)))
			}
		}
		c.Out.WriteString(text + "\n")
		if err != nil && c.Flag("E") {
			return 1
		}
	}
	return 0
}

func fileTitle(name string) string {
	if name == "-" {
		return "/dev/stdin"
	}
	return name
}

// contentKind is what is in a file.
type contentKind struct {
	words, mime, encoding string
}

// text is how a kind is shown.
func (k contentKind) text(c *Call) string {
	switch {
	case c.Flag("i"):
		return k.mime + "; charset=" + k.encoding
	case c.Flag("mime-type"):
		return k.mime
	case c.Flag("mime-encoding"):
		return k.encoding
	}
	return k.words
}

// look finds out what is at a name.
func look(c *Call, name string) (contentKind, error) {
	if name != "-" {
		if name == "" {
			return contentKind{}, fs.ErrNotExist
		}
		info, err := c.Tree.Lstat(c.Path(name))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			target, missing := c.Tree.Stat(c.Path(name))
			switch {
			case missing != nil:
				to, _ := c.Tree.ReadLink(c.Path(name))
				return contentKind{"broken symbolic link to " + to, "inode/symlink", "binary"}, nil
			case c.Flag("L"):
				info = target
			default:
				to, _ := c.Tree.ReadLink(c.Path(name))
				return contentKind{"symbolic link to " + to, "inode/symlink", "binary"}, nil
			}
		}
		switch {
		case err != nil:
			return contentKind{}, err
		case info.IsDir():
			return contentKind{"directory", "inode/directory", "binary"}, nil
		case !info.Mode().IsRegular():
			return contentKind{"character special", "inode/chardevice", "binary"}, nil
		}
	}
	in, err := c.Open(name)
	if err != nil {
		return contentKind{}, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, mostLook))
	if err != nil {
		return contentKind{}, err
	}
	return kindOfContent(data, len(data) == mostLook), nil
}
