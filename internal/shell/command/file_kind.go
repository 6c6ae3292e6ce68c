package command

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// kindOfContent tells what data is; cut: there is more.
func kindOfContent(data []byte, cut bool) contentKind {
	switch len(data) {
	case 0:
		return contentKind{"empty", "inode/x-empty", "binary"}
	case 1:
		return contentKind{"very short file (no magic)", "application/octet-stream", "binary"}
	}
	for _, m := range magics {
		if bytes.HasPrefix(data, []byte(m.prefix)) {
			if k, ok := m.kind(data); ok {
				return k
			}
		}
	}
	encoding, words := textEncoding(data, cut)
	if encoding == "" {
		return contentKind{"data", "application/octet-stream", "binary"}
	}
	return textKind(data, encoding, words, cut)
}

// magic is a kind of data that begins with certain bytes.
type magic struct {
	prefix string
	kind   func(data []byte) (contentKind, bool)
}

// sure is the kind of all data that begins so.
func sure(words, mime string) func([]byte) (contentKind, bool) {
	return func([]byte) (contentKind, bool) { return contentKind{words, mime, "binary"}, true }
}

var magics = []magic{
	{"\x89PNG\r\n\x1a\n", pngKind},
	{"\xff\xd8\xff", jpegKind},
	{"GIF8", gifKind},
	{"RIFF", riffKind},
	{"%PDF-", pdfKind},
	{"PK\x03\x04", zipKind},
	{"PK\x05\x06", sure("Zip archive data (empty)", "application/zip")},
	{"\x1f\x8b", sure("gzip compressed data", "application/gzip")},
	{"BZh", sure("bzip2 compressed data", "application/x-bzip2")},
	{"\xfd7zXZ\x00", sure("XZ compressed data", "application/x-xz")},
	{"\x28\xb5\x2f\xfd", sure("Zstandard compressed data", "application/zstd")},
	{"7z\xbc\xaf\x27\x1c", sure("7-zip archive data", "application/x-7z-compressed")},
	{"SQLite format 3\x00", sure("SQLite 3.x database", "application/vnd.sqlite3")},
	{"\x7fELF", sure("ELF executable", "application/x-executable")},
	{"ID3", sure("Audio file with ID3", "audio/mpeg")},
	{"OggS", sure("Ogg data", "application/ogg")},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", sure("Composite Document File V2 Document", "application/CDFV2")},
	{"II*\x00", sure("TIFF image data, little-endian", "image/tiff")},
	{"MM\x00*", sure("TIFF image data, big-endian", "image/tiff")},
	{"BM", bitmapKind},
}

func pngKind(data []byte) (contentKind, bool) {
	if len(data) < 29 || string(data[12:16]) != "IHDR" {
		return contentKind{"PNG image data", "image/png", "binary"}, true
	}
	colour := map[byte]string{0: " grayscale", 2: "/color RGB", 3: " colormap", 4: " gray+alpha", 6: "/color RGBA"}[data[25]]
	lace := "non-interlaced"
	if data[28] == 1 {
		lace = "interlaced"
	}
	words := fmt.Sprintf("PNG image data, %d x %d, %d-bit%s, %s", binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:]), data[24], colour, lace)
	return contentKind{words, "image/png", "binary"}, true
}

func jpegKind(data []byte) (contentKind, bool) {
	words := "JPEG image data"
	if len(data) >= 18 && string(data[6:11]) == "JFIF\x00" {
		unit := map[byte]string{0: "aspect ratio", 1: "resolution (DPI)", 2: "resolution (DPCM)"}[data[13]]
		words += fmt.Sprintf(", JFIF standard %d.%02d, %s, density %dx%d, segment length %d", data[11], data[12], unit,
			binary.BigEndian.Uint16(data[14:]), binary.BigEndian.Uint16(data[16:]), binary.BigEndian.Uint16(data[4:]))
	}
	return contentKind{words, "image/jpeg", "binary"}, true
}

func gifKind(data []byte) (contentKind, bool) {
	if len(data) < 10 {
		return contentKind{}, false
	}
	words := fmt.Sprintf("GIF image data, version %s, %d x %d", data[3:6], binary.LittleEndian.Uint16(data[6:]), binary.LittleEndian.Uint16(data[8:]))
	return contentKind{words, "image/gif", "binary"}, true
}

func riffKind(data []byte) (contentKind, bool) {
	k := contentKind{"RIFF (little-endian) data", "application/octet-stream", "binary"}
	if len(data) >= 12 {
		switch string(data[8:12]) {
		case "WEBP":
			k.words, k.mime = k.words+", Web/P image", "image/webp"
		case "WAVE":
			k.words, k.mime = k.words+", WAVE audio", "audio/x-wav"
		case "AVI ":
			k.words, k.mime = k.words+", AVI", "video/x-msvideo"
		}
	}
	return k, true
}

func pdfKind(data []byte) (contentKind, bool) {
	version := data[5:min(8, len(data))]
	encoding, _ := textEncoding(data, true)
	if encoding == "" {
		encoding = "binary"
	}
	return contentKind{"PDF document, version " + string(version), "application/pdf", encoding}, true
}

func zipKind(data []byte) (contentKind, bool) {
	if len(data) < 30 {
		return contentKind{}, false
	}
	for _, office := range []struct{ part, words, mime string }{
		{"word/", "Microsoft Word 2007+", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"xl/", "Microsoft Excel 2007+", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"ppt/", "Microsoft PowerPoint 2007+", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
	} {
		if bytes.Contains(data[:min(len(data), 30)], []byte("[Content_Types]")) || bytes.HasPrefix(data[30:], []byte("[Content_Types].xml")) || bytes.HasPrefix(data[30:], []byte(office.part)) {
			if bytes.Contains(data, []byte(office.part)) {
				return contentKind{office.words, office.mime, "binary"}, true
			}
		}
	}
	if bytes.HasPrefix(data[30:], []byte("mimetypeapplication/epub+zip")) {
		return contentKind{"EPUB document", "application/epub+zip", "binary"}, true
	}
	if rest, ok := bytes.CutPrefix(data[30:], []byte("mimetypeapplication/vnd.oasis.opendocument.")); ok {
		for _, kind := range []string{"text", "spreadsheet", "presentation"} {
			if bytes.HasPrefix(rest, []byte(kind)) {
				return contentKind{"OpenDocument " + strings.ToUpper(kind[:1]) + kind[1:], "application/vnd.oasis.opendocument." + kind, "binary"}, true
			}
		}
	}
	return contentKind{fmt.Sprintf("Zip archive data, at least v%d.%d to extract", data[4]/10, data[4]%10), "application/zip", "binary"}, true
}

func bitmapKind(data []byte) (contentKind, bool) {
	if len(data) < 30 || binary.LittleEndian.Uint32(data[6:]) != 0 {
		return contentKind{}, false
	}
	return contentKind{"PC bitmap", "image/bmp", "binary"}, true
}

// textEncoding is the encoding of a text; "" if data is none.
func textEncoding(data []byte, cut bool) (name, words string) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return "utf-16le", "Unicode text, UTF-16, little-endian"
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "utf-16be", "Unicode text, UTF-16, big-endian"
	case !textBytes(data):
		return "", ""
	}
	ascii := true
	for _, b := range data {
		ascii = ascii && b < 0x80
	}
	if cut && !ascii {
		// The last character may be cut off.
		for i := 0; i < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data); i++ {
			data = data[:len(data)-1]
		}
	}
	switch {
	case ascii:
		return "us-ascii", "ASCII"
	case utf8.Valid(data) && bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return "utf-8", "Unicode text, UTF-8 (with BOM)"
	case utf8.Valid(data):
		return "utf-8", "Unicode text, UTF-8"
	}
	for _, b := range data {
		if b >= 0x80 && b < 0xa0 {
			return "unknown-8bit", "Non-ISO extended-ASCII"
		}
	}
	return "iso-8859-1", "ISO-8859"
}

// textBytes tells whether data has no bytes that texts do not have.
func textBytes(data []byte) bool {
	for _, b := range data {
		if b < 0x20 && strings.IndexByte("\a\b\t\n\f\r\x1b", b) < 0 || b == 0x7f {
			return false
		}
	}
	return true
}

// textKind tells what kind of text it is.
func textKind(data []byte, encoding, words string, cut bool) contentKind {
	k := contentKind{mime: "text/plain", encoding: encoding}
	lead, executable := "", ""
	switch kind := textContent(data, cut); kind.mime {
	case "":
	case "application/json", "text/csv", "image/svg+xml":
		return contentKind{kind.words, kind.mime, encoding}
	default:
		k.mime = kind.mime
		lead = kind.words + ", "
		executable = kind.encoding
	}
	ends := lineEnds(data)
	if strings.HasPrefix(encoding, "utf-16") {
		ends = ""
	}
	k.words = lead + words + " text" + executable + ends
	return k
}

var (
	markup = regexp.MustCompile(`(?i)^\s*<(!doctype html|html|head|body|title)\b`)
	svg    = regexp.MustCompile(`^\s*(<\?xml[^>]*>\s*)?<svg\b`)
	cCode  = regexp.MustCompile(`(?m)^(#include\s*[<"]|int main\s*\(|package main$)`)
	pyCode = regexp.MustCompile(`(?m)^(def \w+\(.*\):$|from \S+ import |import \w+$)`)
)

// textContent is what a text is about; encoding holds the word " executable".
func textContent(data []byte, cut bool) contentKind {
	head := data[:min(len(data), 8<<10)]
	switch {
	case bytes.HasPrefix(head, []byte("#!")):
		return scriptKind(head)
	case svg.Match(head):
		return contentKind{"SVG Scalable Vector Graphics image", "image/svg+xml", ""}
	case bytes.HasPrefix(head, []byte("<?xml version=\"")):
		return contentKind{"XML 1.0 document", "text/xml", ""}
	case markup.Match(head):
		return contentKind{"HTML document", "text/html", ""}
	case bytes.HasPrefix(head, []byte("%!PS")):
		return contentKind{"PostScript document", "application/postscript", ""}
	case !cut && isJSON(data):
		return contentKind{"JSON text data", "application/json", ""}
	case cCode.Match(head):
		return contentKind{"C source", "text/x-c", ""}
	case pyCode.Match(head) && bytes.Contains(head, []byte("def ")):
		return contentKind{"Python script", "text/x-script.python", " executable"}
	case isCSV(head):
		return contentKind{"CSV text", "text/csv", ""}
	}
	return contentKind{}
}

func isJSON(data []byte) bool {
	trimmed := bytes.TrimSpace(data)
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
}

// isCSV: the same number of commas in each of the first lines.
func isCSV(head []byte) bool {
	lines, fields := 0, 0
	for line := range bytes.Lines(head) {
		if !bytes.HasSuffix(line, []byte("\n")) || lines == 10 {
			break
		}
		quoted, n := false, 1
		for _, b := range line {
			switch {
			case b == '"':
				quoted = !quoted
			case b == ',' && !quoted:
				n++
			}
		}
		if n < 2 || lines > 0 && n != fields {
			return false
		}
		fields = n
		lines++
	}
	return lines > 1
}

func scriptKind(head []byte) contentKind {
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) > 1 && strings.HasSuffix(words[0], "/env") {
		words = words[1:]
	}
	if len(words) == 0 {
		return contentKind{}
	}
	name := words[0][strings.LastIndexByte(words[0], '/')+1:]
	switch {
	case name == "sh" || name == "dash":
		return contentKind{"POSIX shell script", "text/x-shellscript", " executable"}
	case name == "bash":
		return contentKind{"Bourne-Again shell script", "text/x-shellscript", " executable"}
	case strings.HasPrefix(name, "python"):
		return contentKind{"Python script", "text/x-script.python", " executable"}
	case name == "perl":
		return contentKind{"Perl script", "text/x-perl", " executable"}
	case name == "node":
		return contentKind{"Node.js script", "application/javascript", " executable"}
	case name == "ruby":
		return contentKind{"Ruby script", "text/x-ruby", " executable"}
	}
	return contentKind{"a " + words[0] + " script", "text/plain", " executable"}
}

// longLine is from where on a line is very long; characters.
const longLine = 300

// lineEnds tells what is odd about the lines of a text.
func lineEnds(data []byte) string {
	crlf := bytes.Count(data, []byte("\r\n"))
	lf := bytes.Count(data, []byte("\n")) - crlf
	cr := bytes.Count(data, []byte("\r")) - crlf
	longest := 0
	for line := range bytes.Lines(data) {
		longest = max(longest, utf8.RuneCount(bytes.TrimRight(line, "\r\n")))
	}
	var b strings.Builder
	if longest > longLine {
		fmt.Fprintf(&b, ", with very long lines (%d)", longest)
	}
	switch {
	case crlf+lf+cr == 0:
		b.WriteString(", with no line terminators")
	case crlf+cr > 0:
		var kinds []string
		for _, k := range []struct {
			n    int
			name string
		}{{crlf, "CRLF"}, {cr, "CR"}, {lf, "LF"}} {
			if k.n > 0 {
				kinds = append(kinds, k.name)
			}
		}
		b.WriteString(", with " + strings.Join(kinds, ", ") + " line terminators")
	}
	if bytes.IndexByte(data, 0x1b) >= 0 {
		b.WriteString(", with escape sequences")
	}
	if bytes.IndexByte(data, '\b') >= 0 {
		b.WriteString(", with overstriking")
	}
	return b.String()
}
