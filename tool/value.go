package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep values may nest, and with it all recursion here.
const maxDepth = 128

// value is a JSON value with its members in order and its numbers as they were
// written.
type value struct {
	kind    string // null, boolean, number, string, array, object
	text    string // of a string its characters; of a number or a boolean its literal
	items   []*value
	names   []string // of an object: names[i] is the name of items[i]
	integer bool     // of a number: it is whole and fits 64 bits
}

// parse reads a JSON text strictly: what encoding/json would silently drop or
// replace is an error here.
func parse(data []byte) (*value, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("not valid UTF-8 at byte %d", invalidAt(data))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("empty: send a JSON value")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, syntaxProblem(data, err)
	}
	if at := loneSurrogate(data); at >= 0 {
		return nil, fmt.Errorf("not valid Unicode: half of a surrogate pair, %s, at byte %d", data[at:at+6], at)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return parseNext(d, "", 0)
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

func syntaxProblem(data []byte, err error) error {
	syntax, ok := err.(*json.SyntaxError)
	if !ok {
		return fmt.Errorf("not valid JSON: %v", err)
	}
	at := int(min(syntax.Offset, int64(len(data))))
	return fmt.Errorf("not valid JSON at byte %d, after %s: %v", at, quote(lastRunes(data[:at], 20)), err)
}

func lastRunes(data []byte, n int) string {
	from := len(data)
	for ; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRune(data[:from])
		from -= size
	}
	return string(data[from:])
}

// loneSurrogate finds an escape like \ud800 without its other half, which
// encoding/json would replace by U+FFFD. Of valid JSON it is enough to look at
// backslashes: they occur in strings only.
func loneSurrogate(data []byte) int {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if data[i+1] != 'u' {
			i++
			continue
		}
		r := hexRune(data[i:])
		if !utf16.IsSurrogate(r) {
			i += 5
			continue
		}
		if utf16.DecodeRune(r, hexRune(data[i+6:])) == utf8.RuneError {
			return i
		}
		i += 11
	}
	return -1
}

// hexRune reads \uXXXX at the start of data, or returns -1.
func hexRune(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

func parseNext(d *json.Decoder, path string, depth int) (*value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case nil:
		return &value{kind: "null"}, nil
	case bool:
		return &value{kind: "boolean", text: strconv.FormatBool(t)}, nil
	case string:
		return &value{kind: "string", text: t}, nil
	case json.Number:
		n, err := number(string(t))
		if err != nil {
			return nil, at(path, err)
		}
		return n, nil
	case json.Delim:
		if t == '[' {
			return parseArray(d, path, depth)
		}
	}
	return parseObject(d, path, depth)
}

func at(path string, err error) error {
	if path == "" {
		return err
	}
	return Problem{Path: path, Message: err.Error()}
}

func parseArray(d *json.Decoder, path string, depth int) (*value, error) {
	v := &value{kind: "array"}
	for d.More() {
		item, err := parseNext(d, index(path, len(v.items)), depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.Token()
	return v, err
}

func parseObject(d *json.Decoder, path string, depth int) (*value, error) {
	v := &value{kind: "object"}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if seen[name] {
			return nil, Problem{Path: member(path, name), Message: fmt.Sprintf("%s is there twice; send it once", quote(name))}
		}
		seen[name] = true
		item, err := parseNext(d, member(path, name), depth+1)
		if err != nil {
			return nil, err
		}
		v.add(name, item)
	}
	_, err := d.Token()
	return v, err
}

// number reads a literal. One that not even a float64 holds is refused.
func number(literal string) (*value, error) {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("the number %s is too large", quote(literal))
	}
	v := &value{kind: "number", text: literal}
	if digitsOnly(literal) {
		v.integer = fits64(literal)
	} else {
		v.integer = digits(literal, f) != ""
	}
	return v, nil
}

func digitsOnly(literal string) bool { return !strings.ContainsAny(literal, ".eE") }

func fits64(literal string) bool {
	if _, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return true
	}
	_, err := strconv.ParseUint(literal, 10, 64)
	return err == nil
}

// digits writes a literal with a fraction or an exponent as digits alone, or
// returns "" if it is not whole. The bounds keep exact arithmetic small.
func digits(literal string, f float64) string {
	if len(literal) > 64 || math.Abs(f) >= 1<<63 || f != 0 && math.Abs(f) < 1 {
		return ""
	}
	if f == 0 {
		if mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e"); strings.Trim(mantissa, "-0.") != "" {
			return "" // too small for a float64, but not nothing
		}
		return "0"
	}
	exact, ok := new(big.Rat).SetString(literal)
	if !ok || !exact.IsInt() {
		return ""
	}
	return exact.Num().String()
}

func (v *value) add(name string, item *value) {
	v.names = append(v.names, name)
	v.items = append(v.items, item)
}

// get returns the member of that name, or nil.
func (v *value) get(name string) *value {
	for i, n := range v.names {
		if n == name {
			return v.items[i]
		}
	}
	return nil
}

// native returns the value in the types of encoding/json, whole numbers exact.
func (v *value) native() any {
	switch v.kind {
	case "boolean":
		return v.text == "true"
	case "string":
		return v.text
	case "number":
		if n, err := strconv.ParseInt(v.text, 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(v.text, 10, 64); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(v.text, 64)
		return f
	case "array":
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = item.native()
		}
		return list
	case "object":
		object := make(map[string]any, len(v.items))
		for i, item := range v.items {
			object[v.names[i]] = item.native()
		}
		return object
	}
	return nil
}

// appendJSON writes the value in its own order.
func (v *value) appendJSON(b []byte) []byte {
	switch v.kind {
	case "null":
		return append(b, "null"...)
	case "boolean", "number":
		return append(b, v.text...)
	case "string":
		return appendString(b, v.text)
	}
	open, end := byte('['), byte(']')
	if v.kind == "object" {
		open, end = '{', '}'
	}
	b = append(b, open)
	for i, item := range v.items {
		if i > 0 {
			b = append(b, ',')
		}
		if v.kind == "object" {
			b = append(appendString(b, v.names[i]), ':')
		}
		b = item.appendJSON(b)
	}
	return append(b, end)
}

// appendString writes a JSON string with < > & as they are: people read it.
func appendString(b []byte, s string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string and a buffer cannot fail
	return append(b, bytes.TrimRight(out.Bytes(), "\n")...)
}
