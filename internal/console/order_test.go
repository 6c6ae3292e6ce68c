package console

import (
	"strings"
	"testing"

	"redline/internal/wire"
)

// TestOrder: the ends of calls are passed on in the order of their starts, each
// once, and nothing else is held back.
func TestOrder(t *testing.T) {
	for _, test := range []struct{ events, want string }{
		{"+a -a +b -b", "+a -a +b -b"},
		{"+a +b +c -c -b -a", "+a +b +c -a -b -c"},
		{"+a +b -b ~ -a +c -c", "+a +b ~ -a -b +c -c"},
		{"~ +a ~a -a ~", "~ +a ~a -a ~"},
		{"+a -x -a", "+a -x -a"}, // heard from the middle on
	} {
		var o order
		var got []string
		for _, word := range strings.Fields(test.events) {
			e := wire.Event{Type: map[byte]string{'+': wire.EventToolStart, '-': wire.EventToolEnd, '~': wire.EventToolUpdate}[word[0]]}
			if word != "~" {
				e.Tool = &wire.Tool{ID: word[1:]}
			}
			for _, out := range o.pass(e) {
				mark := map[string]string{wire.EventToolStart: "+", wire.EventToolEnd: "-", wire.EventToolUpdate: "~"}[out.Type]
				if out.Tool != nil {
					mark += out.Tool.ID
				}
				got = append(got, mark)
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: got %s, want %s", test.events, s, test.want)
		}
	}
}
