package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxProblems is how many problems an InvalidError holds; a model that gets
// everything wrong learns from the first ones.
const maxProblems = 20

// InvalidError says what is wrong with a value, for the model that sent it.
type InvalidError struct {
	Tool     string    // whose arguments they are; "" if it is another value
	Problems []Problem // at least one, at most 20
	More     int       // problems that are left out
	Expected string    // the schema in short
}

// Problem is one thing that is wrong. It is an error, so that a method
// Check() error can return one, or several by errors.Join.
type Problem struct {
	Path    string `json:"path"`    // like edits[2].line; "" is the whole value
	Message string `json:"message"` // what was expected and what came
}

func (p Problem) Error() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

func (e *InvalidError) Error() string {
	var b strings.Builder
	b.WriteString("invalid value:")
	if e.Tool != "" {
		b.Reset()
		fmt.Fprintf(&b, "invalid arguments for %s:", e.Tool)
	}
	for _, p := range e.Problems {
		b.WriteString("\n- " + p.Error())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n- and %d more", e.More)
	}
	if e.Expected != "" {
		b.WriteString("\nexpected: " + e.Expected)
	}
	return b.String()
}

// problemsOf takes an error of a Check or of decoding apart.
func problemsOf(err error) []Problem {
	switch e := err.(type) {
	case Problem:
		return []Problem{e}
	case *Problem:
		return []Problem{*e}
	case *InvalidError:
		return e.Problems
	case *json.UnmarshalTypeError:
		return []Problem{{Path: e.Field, Message: fmt.Sprintf("a %s does not fit %s", e.Value, e.Type)}}
	case interface{ Unwrap() []error }:
		var list []Problem
		for _, inner := range e.Unwrap() {
			list = append(list, problemsOf(inner)...)
		}
		return list
	}
	return []Problem{{Message: err.Error()}}
}

// member is the path of a member of an object, index that of an item.
func member(path, name string) string {
	switch {
	case !isWord(name):
		return path + "[" + quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// isWord tells names that can stand in a path as they are.
func isWord(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && r != '_' && r != '$' && (i == 0 || !unicode.IsDigit(r) && r != '-') {
			return false
		}
	}
	return name != "" && len(name) <= 100
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// quote shows a string in a message, cut if it is long.
func quote(s string) string {
	const limit = 60
	if runes := []rune(s[:min(len(s), 4*limit+4)]); len(s) > limit && len(runes) > limit {
		return strings.TrimSuffix(string(appendString(nil, string(runes[:limit]))), `"`) + `…"`
	}
	return string(appendString(nil, s))
}

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return strings.Join(quoted, ", ")
}

// meant is the end of a message that names what could have been meant.
func meant(name string, known []string) string {
	if list := near(name, known); len(list) > 0 {
		quoted := make([]string, len(list))
		for i, s := range list {
			quoted[i] = quote(s)
		}
		return "; did you mean " + strings.Join(quoted, " or ") + "?"
	}
	return ""
}
