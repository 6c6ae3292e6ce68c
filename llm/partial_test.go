package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/llm"
)

func TestPartialJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", ``, `{}`},
		{"white space", " \n", `{}`},
		{"no JSON", `path=a`, `{}`},
		{"whole", `{"a": [1, "x"]}`, `{"a": [1, "x"]}`},
		{"whole, then more", `{"a":1} and so on`, `{"a":1}`},
		{"open object", `{`, `{}`},
		{"open array", `[`, `[]`},
		{"open after white space", "\n {", `{}`},
		{"key cut", `{"pa`, `{}`},
		{"key cut in an escape", `{"p\`, `{}`},
		{"key without colon", `{"path"`, `{}`},
		{"key with colon", `{"path":`, `{}`},
		{"second key cut", `{"a":1,"b`, `{"a":1}`},
		{"second key without value", `{"a":1, "b" : `, `{"a":1}`},
		{"comma", `{"a":1,`, `{"a":1}`},
		{"string cut", `{"path":"a.m`, `{"path":"a.m"}`},
		{"string cut at its start", `{"path":"`, `{"path":""}`},
		{"string cut at a space", `{"text":"one `, `{"text":"one "}`},
		{"string that looks like more", `{"text":"}],{`, `{"text":"}],{"}`},
		{"string whole", `{"path":"a.md"`, `{"path":"a.md"}`},
		{"escape cut", `{"a":"x\`, `{"a":"x"}`},
		{"escaped backslash", `{"a":"x\\`, `{"a":"x\\"}`},
		{"escaped quote", `{"a":"x\"`, `{"a":"x\""}`},
		{"hex escape cut", `{"a":"x\u00e`, `{"a":"x"}`},
		{"hex escape whole", `{"a":"x\u00e4`, `{"a":"x\u00e4"}`},
		{"surrogate pair cut in two", `{"a":"x\ud83d`, `{"a":"x"}`},
		{"surrogate pair cut in the second", `{"a":"x\uD83D\uDE0`, `{"a":"x"}`},
		{"surrogate pair whole", `{"a":"x\ud83d\ude00`, `{"a":"x\ud83d\ude00"}`},
		{"no surrogate but an escaped backslash", `{"a":"\\ud83d`, `{"a":"\\ud83d"}`},
		{"first byte of a rune", "{\"a\":\"x\xf0\x9f", `{"a":"x"}`},
		{"whole rune", `{"a":"xä`, `{"a":"xä"}`},
		{"number", `{"a":1,"b":12`, `{"a":1,"b":12}`},
		{"minus", `{"a":1,"b":-`, `{"a":1}`},
		{"decimal point", `{"a":1,"b":1.`, `{"a":1}`},
		{"exponent", `[1,1e`, `[1]`},
		{"signed exponent", `[1,1e-`, `[1]`},
		{"word cut", `{"a":tru`, `{}`},
		{"word cut later", `[null, fals`, `[null]`},
		{"word whole", `{"a":true`, `{"a":true}`},
		{"deep", `{"a":[{"b":["c",{"d":"e`, `{"a":[{"b":["c",{"d":"e"}]}]}`},
		{"closed inside", `{"a":[1,2],"b":{"c":3}`, `{"a":[1,2],"b":{"c":3}}`},
		{"array of strings", `["a", "b`, `["a", "b"]`},
		{"brackets that do not match", `[1}`, `{}`},
		{"text alone", `"ab`, `"ab"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(llm.PartialJSON(tt.text)); got != tt.want {
				t.Errorf("PartialJSON(%s)\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

// FuzzPartialJSON cuts valid texts at every byte: the result is valid, and shows
// nothing that the whole text does not hold.
func FuzzPartialJSON(f *testing.F) {
	for _, text := range []string{
		`{"path":"a.md","edits":[{"old":"x\n\"y\"","new":"\u00e4\ud83d\ude00 ä 😀"}],"n":-1.5e+10,"ok":true,"no":false,"nil":null}`,
		`[[],{},[[[{"a":{}}]]],"",0,-0,1E5,"\\\\","\\\"" ]`,
		" { \"a\" : [ 1 , 2 ] ,\t\"b\" : \"c\" } \n",
		`{"a":1,"a":"twice"}`, `{"":""}`, `"top"`, `12.5`, `true`,
		"{\"bad\":\"\xff\xc3(\\ud83dA\\udc00\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			if got := llm.PartialJSON(text); !json.Valid(got) {
				t.Fatalf("PartialJSON(%q) = %s", text, got)
			}
			return
		}
		whole := parse(t, text)
		for cut := range len(text) + 1 {
			got := string(llm.PartialJSON(text[:cut]))
			if !json.Valid([]byte(got)) {
				t.Fatalf("PartialJSON(%q) = %s", text[:cut], got)
			}
			begun := strings.TrimLeft(text[:cut], " \t\r\n") != ""
			if begun && (whole.kind == '{' || whole.kind == '[') && !parse(t, got).shows(whole) {
				t.Fatalf("PartialJSON(%q) = %s, which the whole text does not hold", text[:cut], got)
			}
		}
	})
}

// node is a JSON value with its members in order, so that a key may be there
// twice.
type node struct {
	kind    byte // { [ " 0 or w, for words
	text    string
	keys    []string
	members []node
}

func parse(t *testing.T, text string) node {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return parseNext(t, d)
}

func parseNext(t *testing.T, d *json.Decoder) node {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch v := token.(type) {
	case string:
		return node{kind: '"', text: v}
	case json.Number:
		return node{kind: '0', text: v.String()}
	case json.Delim:
		n := node{kind: byte(v)}
		for d.More() {
			if v == '{' {
				n.keys = append(n.keys, parseNext(t, d).text)
			}
			n.members = append(n.members, parseNext(t, d))
		}
		d.Token()
		return n
	}
	return node{kind: 'w', text: map[any]string{nil: "null", true: "true", false: "false"}[token]}
}

// shows reports whether n is the beginning of whole: nothing else is there, and
// only the last member may be unfinished.
func (n node) shows(whole node) bool {
	if n.kind != whole.kind || len(n.members) > len(whole.members) {
		return false
	}
	switch n.kind {
	case 'w':
		return n.text == whole.text
	case '"', '0':
		return strings.HasPrefix(whole.text, n.text)
	}
	for i, m := range n.members {
		if n.kind == '{' && n.keys[i] != whole.keys[i] {
			return false
		}
		if !m.shows(whole.members[i]) || i < len(n.members)-1 && !whole.members[i].shows(m) {
			return false
		}
	}
	return true
}
