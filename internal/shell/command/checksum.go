package command

import (
	"bufio"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

func init() {
	for _, k := range []*Command{
		{Name: "md5sum", Run: checksumOf("MD5", md5.New)},
		{Name: "sha1sum", Run: checksumOf("SHA1", sha1.New)},
		{Name: "sha256sum", Run: checksumOf("SHA256", sha256.New)},
		{Name: "sha512sum", Run: checksumOf("SHA512", sha512.New)},
	} {
		k.About, k.Synopsis = "Show or check the checksums of files.", "[OPTION]... [FILE]..."
		k.Options = []Option{
			{Short: "b", Long: "binary", Help: "show that files were read as binary"},
			{Short: "c", Long: "check", Help: "read checksums from the files and check them"},
			{Long: "ignore-missing", Help: "with -c: no error for files that are not there"},
			{Long: "quiet", Help: "with -c: show only what failed"},
			{Long: "status", Help: "with -c: show nothing"},
			{Long: "strict", Help: "with -c: a line that is no checksum is an error"},
			{Long: "tag", Help: "show the kind of checksum"},
			{Short: "t", Long: "text", Help: "read files as text, as without it"},
			{Short: "w", Long: "warn", Help: "with -c: tell each line that is no checksum"},
			{Short: "z", Long: "zero", Help: "end each line with NUL, not newline"},
		}
		register(k)
	}
	register(&Command{
		Name: "cksum", About: "Show the CRC checksums and sizes of files.",
		Synopsis: "[FILE]...", Options: []Option{},
		Differs: "Other kinds of checksums (-a) have their own commands: sha256sum, md5sum.",
		Run:     cksum,
	})
}

// checksums is a run of sha256sum or one of its kind.
type checksums struct {
	*Call
	kind string
	make func() hash.Hash
}

func checksumOf(kind string, make func() hash.Hash) func(*Call) int {
	return func(c *Call) int {
		s := checksums{Call: c, kind: kind, make: make}
		status := 0
		for _, name := range c.Inputs() {
			if c.Stopped() {
				break
			}
			if c.Flag("c") {
				status |= s.checkList(name)
				continue
			}
			sum, err := s.sum(name)
			if err != nil {
				status = c.Fail(1, "%s: %s", name, Reason(err))
				continue
			}
			s.print(sum, name)
		}
		return status
	}
}

func (s *checksums) sum(name string) (string, error) {
	in, err := s.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	h := s.make()
	if _, err := io.Copy(h, untilStopped{s.Call, in}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// untilStopped is a reader that fails once the command is to end.
type untilStopped struct {
	c  *Call
	in io.Reader
}

// Read implements io.Reader.
func (u untilStopped) Read(p []byte) (int, error) {
	if err := u.c.Context.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(p)
}

// print shows one checksum. Names with newlines are escaped, and the line begins with
// a backslash to say so.
func (s *checksums) print(sum, name string) {
	mark, shown := "", name
	if !s.Flag("z") && strings.ContainsAny(name, "\\\n\r") {
		mark = `\`
		shown = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
	}
	switch {
	case s.Flag("tag"):
		fmt.Fprintf(s.Out, "%s%s (%s) = %s", mark, s.kind, shown, sum)
	case s.Last("b", "t") == "b":
		fmt.Fprintf(s.Out, "%s%s *%s", mark, sum, shown)
	default:
		fmt.Fprintf(s.Out, "%s%s  %s", mark, sum, shown)
	}
	s.Out.WriteByte(lineEnd(s.Call))
}

// checkCount counts what a check found.
type checkCount struct{ lines, badLines, failed, unreadable, matched int }

func (s *checksums) checkList(list string) int {
	in, err := s.Open(list)
	if err != nil {
		return s.Fail(1, "%s: %s", list, Reason(err))
	}
	defer in.Close()
	shown := list
	if stdin(list) {
		shown = "'standard input'"
	}
	var n checkCount
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan() && !s.Stopped(); number++ {
		text := strings.TrimSuffix(lines.Text(), "\r")
		if strings.HasPrefix(text, "#") {
			continue
		}
		sum, name, ok := s.parse(text)
		if !ok {
			n.badLines++
			if s.Flag("w") {
				s.Fail(0, "%s: %d: improperly formatted %s checksum line", shown, number, s.kind)
			}
			continue
		}
		n.lines++
		s.check(sum, name, &n)
	}
	if err := lines.Err(); err != nil {
		return s.Fail(1, "%s: %s", list, Reason(err))
	}
	return s.verdict(shown, n)
}

// parse reads a line of a list, in either of its forms.
func (s *checksums) parse(line string) (sum, name string, ok bool) {
	line, escaped := strings.CutPrefix(line, `\`)
	if rest, tagged := strings.CutPrefix(line, s.kind+" ("); tagged {
		i := strings.LastIndex(rest, ") = ")
		if i < 0 {
			return "", "", false
		}
		name, sum = rest[:i], rest[i+4:]
	} else {
		sum, name, _ = strings.Cut(strings.TrimLeft(line, " \t"), " ")
		if name == "" {
			return "", "", false
		}
		if name[0] == ' ' || name[0] == '*' {
			name = name[1:]
		}
	}
	if escaped {
		name = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(name)
	}
	raw, err := hex.DecodeString(sum)
	return strings.ToLower(sum), name, err == nil && len(raw) == s.make().Size() && name != ""
}

func (s *checksums) check(sum, name string, n *checkCount) {
	silent := s.Flag("status")
	is, err := s.sum(name)
	switch {
	case err != nil && s.Flag("ignore-missing") && Reason(err) == "No such file or directory":
	case err != nil:
		s.Fail(1, "%s: %s", name, Reason(err))
		n.unreadable++
		if !silent {
			s.Out.WriteString(name + ": FAILED open or read\n")
		}
	case is != sum:
		n.failed++
		if !silent {
			s.Out.WriteString(name + ": FAILED\n")
		}
	default:
		n.matched++
		if !silent && !s.Flag("quiet") {
			s.Out.WriteString(name + ": OK\n")
		}
	}
}

func (s *checksums) verdict(list string, n checkCount) int {
	if n.lines == 0 {
		return s.Fail(1, "%s: no properly formatted checksum lines found", list)
	}
	warn := func(count int, one, many string) {
		switch {
		case s.Flag("status") || count == 0:
		case count == 1:
			s.Fail(0, "WARNING: 1 %s", one)
		default:
			s.Fail(0, "WARNING: %d %s", count, many)
		}
	}
	warn(n.badLines, "line is improperly formatted", "lines are improperly formatted")
	warn(n.unreadable, "listed file could not be read", "listed files could not be read")
	warn(n.failed, "computed checksum did NOT match", "computed checksums did NOT match")
	if s.Flag("ignore-missing") && n.matched == 0 {
		return s.Fail(1, "%s: no file was verified", list)
	}
	if n.failed+n.unreadable > 0 || s.Flag("strict") && n.badLines > 0 {
		return 1
	}
	return 0
}

// crcTable is for the polynomial of POSIX cksum, most significant bit first.
var crcTable = func() (table [256]uint32) {
	for i := range table {
		crc := uint32(i) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}()

func cksum(c *Call) int {
	status := 0
	for _, name := range c.Inputs() {
		if c.Stopped() {
			break
		}
		data, err := c.Read(name)
		if err != nil {
			status = c.Fail(1, "%s: %s", name, Reason(err))
			continue
		}
		crc := uint32(0)
		for _, b := range data {
			crc = crc<<8 ^ crcTable[byte(crc>>24)^b]
		}
		for n := len(data); n > 0; n >>= 8 {
			crc = crc<<8 ^ crcTable[byte(crc>>24)^byte(n)]
		}
		c.Out.WriteString(strconv.FormatUint(uint64(^crc), 10) + " " + strconv.Itoa(len(data)))
		if len(c.Operands) > 0 {
			c.Out.WriteString(" " + name)
		}
		c.Out.WriteByte('\n')
	}
	return status
}
