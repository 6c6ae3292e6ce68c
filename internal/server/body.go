package server

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// readBody decodes a body. A name that is twice in an object is refused: whoever looked
// at the request before may have read the other one.
func readBody(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	if _, first := v.(*any); first { // it is decoded again, for its route
		return unambiguous(data)
	}
	return nil
}

// unambiguous refuses JSON with two fields of one name in an object.
func unambiguous(data []byte) error {
	type level struct {
		names map[string]bool // of an object; nil: it is a list
		name  bool            // the next token is one
	}
	var open []level
	for d := json.NewDecoder(bytes.NewReader(data)); d.More() || len(open) > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		top := len(open) - 1
		switch token {
		case json.Delim('{'):
			open = append(open, level{map[string]bool{}, true})
			continue
		case json.Delim('['):
			open = append(open, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open, top = open[:top], top-1
		}
		if top < 0 || open[top].names == nil {
			continue
		}
		if name, ok := token.(string); ok && open[top].name {
			if open[top].names[name] {
				return fmt.Errorf("an object has the name %.40q twice", name)
			}
			open[top].names[name], open[top].name = true, false
			continue
		}
		open[top].name = true // the value has ended
	}
	return nil
}
