package outline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/outline"
	"redline/internal/text"
)

const sections = `# Winter
## Costs
### *Gas* and ` + "`oil`" + `
## costs
# Summer   House
## Notes
### #tag
# summer house
## Notes
# Žluť
# Deed
### \# Deed
`

// TestFind: the answer is the line of the heading, or the error.
func TestFind(t *testing.T) {
	list := outline.Headings(text.FromString(sections))
	for _, c := range []struct {
		name string
		line int
		err  string
	}{
		{name: "Winter", line: 1},
		{name: "winter", line: 1},
		{name: " WINTER ", line: 1},
		{name: "# Winter", line: 1},
		{name: "# Deed", line: 12}, // its exact text
		{name: "#  Deed", line: 11},
		{name: "# Winter #", line: 1},
		{name: "#\tWinter", line: 1},
		{name: "## Winter", err: `no heading is called "## Winter"; the nearest: "# Winter" on line 1`},
		{name: "Costs", line: 2},
		{name: "costs", line: 4},
		{name: "COSTS", err: `2 headings are called "COSTS", on lines 2, 4; give a line instead`},
		{name: "Gas and oil", line: 3},
		{name: "*Gas* and `oil`", line: 3},
		{name: "### *gas*  and `oil`", line: 3},
		{name: "Summer House", line: 5},
		{name: "Summer\thouse", err: `2 headings are called "Summer\thouse", on lines 5, 8; give a line instead`},
		{name: "Notes", err: `2 headings are called "Notes", on lines 6, 9; give a line instead`},
		{name: "### Notes", err: `no heading is called "### Notes"; the nearest: "## Notes" on line 6, "## Notes" on line 9`},
		{name: "#tag", line: 7},
		{name: "tag", err: `no heading is called "tag"; the nearest: "### #tag" on line 7`},
		{name: "žluť", line: 10},
		{name: "Wintre", err: `no heading is called "Wintre"; the nearest: "# Winter" on line 1`},
		{name: "The winter of it", err: `no heading is called "The winter of it"; the nearest: "# Winter" on line 1`},
		{name: "Gas", err: `no heading is called "Gas"; the nearest: "### Gas and oil" on line 3`},
		{name: "Rules of the house", err: `no heading is called "Rules of the house"; the nearest: "# Summer House" on line 5, "# summer house" on line 8`},
		{name: "Index", err: `no heading is called "Index"`},
		{name: "", err: `no heading is called ""`},
	} {
		h, err := outline.Find(list, c.name)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if h.Line != c.line || got != c.err {
			t.Errorf("Find(%q)\n got line %d, error %s\nwant line %d, error %s", c.name, h.Line, got, c.line, c.err)
		}
	}
}

func TestFindErrors(t *testing.T) {
	list := outline.Headings(text.FromString(sections))
	_, err := outline.Find(list, "Notes")
	var many *outline.AmbiguousError
	if !errors.As(err, &many) || !cmp.Equal(many.Lines, []int{6, 9}) {
		t.Errorf("Find: %#v", err)
	}
	_, err = outline.Find(list, "Cost")
	var none *outline.NotFoundError
	if !errors.As(err, &none) || len(none.Nearest) != 2 || none.Nearest[0] != list[1] {
		t.Errorf("Find: %#v", err)
	}
	_, err = outline.Find(nil, strings.Repeat("x", 1000))
	if !errors.As(err, &none) || none.Nearest != nil {
		t.Errorf("Find: %#v", err)
	}
}
