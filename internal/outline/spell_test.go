package outline_test

import (
	"testing"

	"redline/internal/outline"
	"redline/internal/text"
)

// TestSpell: a link whose target becomes another keeps its style, and has that
// target when it is read again.
func TestSpell(t *testing.T) {
	const cannot = "cannot"
	for _, c := range []struct{ document, target, want string }{
		{"[[Note]]", "Other", "[[Other]]"},
		{"[[Note#A|b]]", "folder/Other name", "[[folder/Other name#A|b]]"},
		{"[[ Note ]]", "Other", "[[ Other ]]"},
		{"|a|\n|-|\n|[[Note\\|b]]|", "Other", "|a|\n|-|\n|[[Other\\|b]]|"},
		{"[[#A]]", "Other", "[[Other#A]]"},
		{"[[Note]]", "R&D (100%) `x`", "[[R&D (100%) `x`]]"},
		{"[[Note]]", "a#b", cannot},
		{"[[Note]]", "a|b", cannot},
		{"[[Note]]", "a[b", cannot},
		{"[[Note]]", "a]b", cannot},
		{"[[Note]]", "a^b", cannot},
		{"[[Note]]", " a", cannot},
		{"[[Note]]", `a\`, cannot},
		{"[[Note]]", "", cannot},

		{"---\na: \"[[Note]]\"\n---\n", `x "y" 'z'`, "---\na: \"[[x \\\"y\\\" 'z']]\"\n---\n"},
		{"---\na: '[[Note]]'\n---\n", `x "y" 'z'`, "---\na: '[[x \"y\" ''z'']]'\n---\n"},

		{"[t](a.md)", "b.md", "[t](b.md)"},
		{"[t](a.md#x \"y\")", "../b/c d.md", "[t](../b/c%20d.md#x \"y\")"},
		{"[t](<a.md#x> 'y')", "c d.md", "[t](<c d.md#x> 'y')"},
		{"[t](<a b.md>)", "c (d.md", "[t](<c (d.md>)"},
		{"[t](<a b.md>)", "a<b>.md", "[t](<a%3Cb%3E.md>)"},
		{"[t](a.md)", "b(c).md", "[t](b(c).md)"},
		{"[t](a.md)", "b(c.md", "[t](b%28c.md)"},
		{"[t](a.md)", "b)(c.md", "[t](b%29%28c.md)"},
		{"[t](a.md)", "č.md", "[t](č.md)"},
		{"[t](%C4%8D.md)", "ž.md", "[t](%C5%BE.md)"},
		{"[t](%C4%8D/a.md)", "č/b.md", "[t](%C4%8D/b.md)"},
		{"[t](x%2Dy/a.md)", "x-y/b.md", "[t](x%2Dy/b.md)"},
		{"[t](x\\_y/a.md)", "../x_y/b.md", "[t](../x\\_y/b.md)"},
		{"[t](a.md)", "100%.md", "[t](100%25.md)"},
		{"[t](a.md)", "a#b?c.md", "[t](a%23b%3Fc.md)"},
		{"[t](a.md)", "R&D.md", "[t](R&D.md)"},
		{"[t](a.md)", "R&amp;D.md", "[t](R%26amp;D.md)"},
		{"[t](a.md)", "note:1.md", "[t](note%3A1.md)"},
		{"[t](a.md)", "x/12:30.md", "[t](x/12:30.md)"},
		{"[t](a.md)", "a`b|c[d].md", "[t](a%60b%7Cc%5Bd%5D.md)"},
		{"[t](a.md)", "a*b_c~d$.md", "[t](a*b_c~d$.md)"},
		{"[t](a(/b)/c.md)", "b)/d.md", "[t](b%29/d.md)"},
		{"![t](a.png?raw=true)", "b.png", "![t](b.png?raw=true)"},
		{"[t]: a.md#x 'y'", "b c.md", "[t]: b%20c.md#x 'y'"},
		{"[t]: <a b.md>", "b c.md", "[t]: <b c.md>"},
		{"[t](a.md)", "//b.md", cannot},
		{"[t](a.md)", "", cannot},
	} {
		doc := text.FromString(c.document)
		links := outline.Links(doc)
		if len(links) != 1 {
			t.Errorf("%q has %d links", c.document, len(links))
			continue
		}
		l := links[0]
		s, ok := l.Spell(c.target)
		if !ok {
			s = cannot
		} else {
			s = replace(doc, l, s)
		}
		if s != c.want {
			t.Errorf("%q with the target %q\n got %q\nwant %q", c.document, c.target, s, c.want)
		}
		if !ok {
			continue
		}
		again := outline.Links(text.FromString(s))
		if len(again) != 1 || again[0].Target != c.target || again[0].Anchor != l.Anchor || again[0].Kind != l.Kind {
			t.Errorf("%q is read as %+v", s, again)
		}
	}
}

func replace(doc *text.Document, l outline.Link, s string) string {
	b := doc.Bytes()
	return string(b[:l.Start]) + s + string(b[l.End:])
}
