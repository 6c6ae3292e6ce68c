package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// node is a value of a YAML or JSON text that knows its line.
type node struct {
	line   int
	kind   kind
	text   string  // of a string; of a number or bool, as JSON writes it
	items  []node  // of a list
	fields []field // of an object, in their order
}

type field struct {
	name  string
	line  int
	value node
}

// kind names a kind of value as an error message does.
type kind string

const (
	isNull   kind = "nothing"
	isText   kind = "a text"
	isNumber kind = "a number"
	isBool   kind = "true or false"
	isList   kind = "a list"
	isObject kind = "an object"
)

// fault is what is wrong at a line.
type fault struct {
	line  int
	words string
}

func (f fault) Error() string { return f.words }

func faultf(line int, format string, args ...any) error {
	return fault{line, fmt.Sprintf(format, args...)}
}

// json is the value as JSON, fields in the order of the text.
func (n node) json() string {
	switch n.kind {
	case isNull:
		return "null"
	case isText:
		return quoted(n.text)
	case isList:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.json()
		}
		return "[" + strings.Join(parts, ",") + "]"
	case isObject:
		parts := make([]string, len(n.fields))
		for i, f := range n.fields {
			parts[i] = quoted(f.name) + ":" + f.value.json()
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return n.text
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // a string is always JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parseYAML reads a text of one document.
func parseYAML(data []byte) (node, error) {
	file, err := parser.ParseBytes(data, 0)
	var syntax yaml.Error
	if errors.As(err, &syntax) && syntax.GetToken() != nil {
		return node{}, fault{syntax.GetToken().Position.Line, syntax.GetMessage()}
	}
	if err != nil {
		return node{}, fault{1, err.Error()}
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return node{line: 1, kind: isNull}, nil
	case 1:
		return fromYAML(bodies[0])
	}
	return node{}, faultf(bodies[1].GetToken().Position.Line, "a second document begins; a script is one")
}

func fromYAML(in ast.Node) (node, error) {
	out := node{line: in.GetToken().Position.Line}
	switch n := in.(type) {
	case *ast.NullNode:
		out.kind = isNull
	case *ast.StringNode:
		out.kind, out.text = isText, n.Value
	case *ast.LiteralNode:
		out.kind, out.text = isText, n.Value.Value
	case *ast.BoolNode:
		out.kind, out.text = isBool, fmt.Sprint(n.Value)
	case *ast.IntegerNode:
		out.kind, out.text = isNumber, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		out.kind, out.text = isNumber, n.Token.Value
		if !json.Valid([]byte(out.text)) {
			out.text = fmt.Sprint(n.Value)
		}
	case *ast.SequenceNode:
		return out.list(n.Values)
	case *ast.MappingNode:
		return out.object(n.Values)
	case *ast.MappingValueNode:
		return out.object([]*ast.MappingValueNode{n})
	default:
		return node{}, faultf(out.line, "%s is not for scripts: write the value out", strings.ToLower(in.Type().String()))
	}
	return out, nil
}

func (n node) list(values []ast.Node) (node, error) {
	n.kind = isList
	for _, v := range values {
		item, err := fromYAML(v)
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}

func (n node) object(values []*ast.MappingValueNode) (node, error) {
	n.kind = isObject
	for _, v := range values {
		name := v.Key.GetToken()
		value, err := fromYAML(v.Value)
		if err != nil {
			return node{}, err
		}
		if v.Key.IsMergeKey() {
			return node{}, faultf(name.Position.Line, "<< is not for scripts: write the fields out")
		}
		n.fields = append(n.fields, field{name.Value, name.Position.Line, value})
	}
	if len(n.fields) > 0 {
		n.line = n.fields[0].line
	}
	return n, nil
}

// parseJSON reads the one value of a line.
func parseJSON(line int, data []byte) (node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := fromJSON(line, d)
	if err == nil {
		if _, rest := d.Token(); rest != io.EOF {
			err = errors.New("there is more on the line after the value")
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the value does not end on its line")
	}
	if err != nil {
		return node{}, faultf(line, "not a line of JSON: %v", err)
	}
	return n, nil
}

func fromJSON(line int, d *json.Decoder) (node, error) {
	token, err := d.Token()
	if err != nil {
		return node{}, err
	}
	n := node{line: line}
	switch v := token.(type) {
	case nil:
		n.kind = isNull
	case string:
		n.kind, n.text = isText, v
	case json.Number:
		n.kind, n.text = isNumber, v.String()
	case bool:
		n.kind, n.text = isBool, fmt.Sprint(v)
	case json.Delim:
		n.kind = isList
		if v == '{' {
			n.kind = isObject
		}
		for err == nil && d.More() {
			err = n.take(d)
		}
		if err == nil {
			_, err = d.Token() // the closing bracket
		}
	}
	return n, err
}

// take reads the next item or field.
func (n *node) take(d *json.Decoder) error {
	if n.kind == isList {
		item, err := fromJSON(n.line, d)
		n.items = append(n.items, item)
		return err
	}
	name, err := d.Token()
	if err != nil {
		return err
	}
	value, err := fromJSON(n.line, d)
	n.fields = append(n.fields, field{fmt.Sprint(name), n.line, value})
	return err
}
