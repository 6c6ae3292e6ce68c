package command

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// rgFilter decides which files rg searches.
type rgFilter struct {
	c        *Call
	globs    []ignoreRule // of -g, as said: kept means excluded
	chosen   bool         // some -g names what to search
	types    [][]*glob    // of -t
	nots     [][]*glob    // of -T
	hidden   bool
	noIgnore bool
	most     int // depth; negative: no limit
}

// options reads the options; the error is for the user.
func (f *rgFilter) options(c *Call) error {
	f.c = c
	unrestricted := 0
	types := fileTypes
	if c.Flag("type-add") {
		types = map[string][]string{}
		for name, globs := range fileTypes {
			types[name] = globs
		}
	}
	for _, g := range c.Given {
		switch g.Name {
		case "g", "iglob":
			rule, ok := newIgnoreRule(g.Value, globStyle{path: true, braces: true, fold: g.Name == "iglob" || c.Flag("glob-case-insensitive")})
			if ok {
				f.globs = append(f.globs, rule)
				f.chosen = f.chosen || !rule.keep
			}
		case "u":
			unrestricted++
		case "type-add":
			name, pattern, ok := strings.Cut(g.Value, ":")
			if !ok {
				return fmt.Errorf("invalid definition (format is type:glob, e.g., html:*.html)")
			}
			types[name] = append(slices.Clone(types[name]), pattern)
		case "t", "T":
			patterns, ok := types[g.Value]
			if !ok && g.Value != "all" {
				return fmt.Errorf("unrecognized file type: %s", g.Value)
			}
			var globs []*glob
			for _, p := range patterns {
				globs = append(globs, newGlob(p, globStyle{}))
			}
			if g.Name == "t" {
				f.types = append(f.types, globs)
			} else {
				f.nots = append(f.nots, globs)
			}
		}
	}
	f.hidden = unrestricted > 1 || c.Flag(".")
	f.noIgnore = unrestricted > 0 || c.Flag("no-ignore")
	return nil
}

// listed reads the ignore files of a folder.
func (f *rgFilter) listed(p *place, entries []fs.DirEntry, read func(name string) []byte) {
	if f.noIgnore {
		return
	}
	for _, name := range ignoreFiles {
		if _, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, n string) int { return strings.Compare(e.Name(), n) }); ok {
			p.rules = append(p.rules, parseIgnore(read(name), "")...)
		}
	}
}

// above is a place with the ignore files around a folder.
func (f *rgFilter) above(dir string) *place {
	rel, err := f.c.Tree.Rel(dir)
	if f.noIgnore || err != nil || rel == "." {
		return nil
	}
	p := &place{}
	at := f.c.Tree.Root()
	for rest := rel; ; {
		for _, name := range ignoreFiles {
			if data, err := f.c.Tree.ReadFile(path.Join(at, name)); err == nil {
				p.rules = append(p.rules, parseIgnore(data, rest+"/")...)
			}
		}
		head, tail, more := strings.Cut(rest, "/")
		if !more {
			return p
		}
		at, rest = path.Join(at, head), tail
	}
}

func (f *rgFilter) enters(p *place, name string) bool {
	return (f.most < 0 || p.depth+1 < f.most) && f.takes(p, name, true)
}

func (f *rgFilter) wants(p *place, name string) bool {
	return f.most != 0 && f.takes(p, name, false)
}

// takes tells whether a file is searched or a folder entered: -g decides, else ignore
// files and types; what is hidden must be asked for.
func (f *rgFilter) takes(p *place, name string, dir bool) bool {
	if len(f.globs) > 0 {
		switch judge(f.globs, strings.TrimPrefix(p.shown+name, "./"), name, dir) {
		case skipped:
			return true
		case kept:
			return false
		}
		if f.chosen && !dir {
			return false
		}
	}
	asked := false
	switch p.judged(name, dir) {
	case skipped:
		return false
	case kept:
		asked = true
	}
	if !dir && (len(f.types) > 0 || len(f.nots) > 0) {
		if anyGlob(f.nots, name) || len(f.types) > 0 && !anyGlob(f.types, name) {
			return false
		}
		asked = asked || len(f.types) > 0
	}
	return asked || f.hidden || !strings.HasPrefix(name, ".")
}

func anyGlob(sets [][]*glob, name string) bool {
	for _, set := range sets {
		for _, g := range set {
			if g.match(name) {
				return true
			}
		}
	}
	return false
}

// fileTypes are the types of -t.
var fileTypes = map[string][]string{
	"asciidoc": {"*.adoc", "*.asc", "*.asciidoc"},
	"c":        {"*.[chH]", "*.[chH].in", "*.cats"},
	"config":   {"*.cfg", "*.conf", "*.config", "*.ini"},
	"cpp":      {"*.[ChH]", "*.cc", "*.[ch]pp", "*.[ch]xx", "*.hh", "*.inl"},
	"css":      {"*.css", "*.scss"},
	"csv":      {"*.csv"},
	"go":       {"*.go"},
	"html":     {"*.htm", "*.html", "*.ejs"},
	"java":     {"*.java", "*.jsp", "*.jspx", "*.properties"},
	"js":       {"*.js", "*.jsx", "*.vue", "*.cjs", "*.mjs"},
	"json":     {"*.json", "composer.lock"},
	"jsonl":    {"*.jsonl"},
	"log":      {"*.log"},
	"lua":      {"*.lua"},
	"make":     {"[Gg][Nn][Uu]makefile", "[Mm]akefile", "*.mk", "*.mak"},
	"markdown": {"*.markdown", "*.md", "*.mdown", "*.mkdn", "*.mdx"},
	"md":       {"*.markdown", "*.md", "*.mdown", "*.mkdn", "*.mdx"},
	"org":      {"*.org", "*.org_archive"},
	"pdf":      {"*.pdf"},
	"php":      {"*.php", "*.php3", "*.php4", "*.php5", "*.phtml"},
	"py":       {"*.py", "*.pyi"},
	"python":   {"*.py", "*.pyi"},
	"rst":      {"*.rst"},
	"ruby":     {"*.rb", "*.gemspec", "Gemfile", "Rakefile", "config.ru"},
	"rust":     {"*.rs"},
	"sh":       {"*.bash", "*.sh", "*.zsh", "*.ksh", "*.csh", ".bashrc", ".profile", ".zshrc"},
	"sql":      {"*.sql", "*.psql"},
	"svg":      {"*.svg"},
	"tex":      {"*.bib", "*.cls", "*.dtx", "*.ins", "*.ltx", "*.sty", "*.tex"},
	"toml":     {"*.toml", "Cargo.lock"},
	"ts":       {"*.ts", "*.tsx", "*.cts", "*.mts"},
	"txt":      {"*.txt"},
	"xml":      {"*.xml", "*.xml.dist", "*.dtd", "*.rng", "*.sch", "*.xhtml", "*.xjb", "*.xsd", "*.xsl", "*.xslt"},
	"yaml":     {"*.yaml", "*.yml"},
}
