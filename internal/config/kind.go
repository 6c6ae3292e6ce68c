package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is a type of values: how they are read, and which allow more.
type kind interface {
	name() string
	fromTOML(v any) (any, error)
	fromText(s string) (any, error)
	// loose grows with what a value allows. It is asked of keys whose trust is
	// Stricter.
	loose(v any) float64
}

// Secret is a value that is never shown.
type Secret string

const set = "set"

func (Secret) String() string               { return set }
func (Secret) GoString() string             { return set }
func (Secret) Format(f fmt.State, _ rune)   { fmt.Fprint(f, set) }
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + set + `"`), nil }
func (Secret) MarshalText() ([]byte, error) { return []byte(set), nil }

// Reveal is the secret itself.
func (s Secret) Reveal() string { return string(s) }

// shown is a value in a message.
func shown(v any) string {
	if s, ok := v.(string); ok {
		if r := []rune(s); len(r) > 60 {
			s = string(r[:60]) + "…"
		}
		return strconv.Quote(s)
	}
	if s := fmt.Sprint(v); len(s) <= 60 {
		return s
	}
	return "that"
}

type text struct{ check func(string) error }

func (text) name() string      { return "text" }
func (text) loose(any) float64 { return math.Inf(1) }
func (k text) fromTOML(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("must be a text in quotes, not %s", shown(v))
	}
	return k.fromText(s)
}

func (k text) fromText(s string) (any, error) {
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("must not be empty: leave it out instead")
	}
	if k.check != nil {
		if err := k.check(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func checkModel(s string) error {
	if strings.HasPrefix(s, "scripted:") {
		return nil
	}
	if strings.ContainsAny(s, " \t\r\n") {
		return fmt.Errorf("must be the name of a model, such as openai/gpt-5-mini, not %s", shown(s))
	}
	return nil
}

// checkURL does not repeat the address: it may have a password in it.
func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"):
		return nil
	case !strings.Contains(s, "://"):
		return errors.New("has no scheme: write it with http:// or https://, such as http://127.0.0.1:11434/v1")
	}
	return errors.New("must be an address such as https://host/v1")
}

func checkPrompt(s string) error {
	if strings.TrimSpace(s) == "@" {
		return errors.New("names no file: write @FILE, or the prompt itself")
	}
	return nil
}

// checkAddress is about the form: whether the address is there to be had is found
// out when it is used.
func checkAddress(s string) error {
	host, port, err := net.SplitHostPort(s)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || strings.ContainsAny(host, " /@") {
		return fmt.Errorf("must be an address such as 127.0.0.1:7333, not %s", shown(s))
	}
	return nil
}

// secret is a text that errors do not repeat.
type secret struct {
	least int // characters; 0: any
}

func (secret) name() string      { return "secret" }
func (secret) loose(any) float64 { return math.Inf(1) }
func (k secret) fromTOML(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errors.New("must be a text in quotes")
	}
	return k.fromText(s)
}

func (k secret) fromText(s string) (any, error) {
	switch s = strings.TrimSpace(s); {
	case s == "":
		return nil, errors.New("must not be empty: leave it out instead")
	case len(s) < k.least:
		return nil, fmt.Errorf("must have %d characters or more, so that nobody can guess it", k.least)
	case k.least > 0 && strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("must be letters, digits and signs of ASCII, without spaces: it is sent in a header")
	}
	return Secret(s), nil
}

// word is one of a few. How much each allows grows with its place, unless ranks
// say otherwise.
type word struct {
	words []string
	ranks []float64
}

func words(list ...string) word { return word{list, nil} }

func (word) name() string { return "word" }
func (k word) loose(v any) float64 {
	i := slices.Index(k.words, fmt.Sprint(v))
	if i < 0 || k.ranks == nil {
		return float64(i)
	}
	return k.ranks[i]
}

func (k word) fromTOML(v any) (any, error) {
	if s, ok := v.(string); ok {
		return k.fromText(s)
	}
	return nil, k.not(v)
}

func (k word) fromText(s string) (any, error) {
	if !slices.Contains(k.words, s) {
		return nil, k.not(s)
	}
	return s, nil
}

func (k word) not(v any) error {
	last := len(k.words) - 1
	return fmt.Errorf("must be %s or %s, not %s", strings.Join(k.words[:last], ", "), k.words[last], shown(v))
}

// number is a whole number.
type number struct {
	least int
	none  bool // 0 stands for no limit
}

func (number) name() string { return "number" }
func (k number) loose(v any) float64 {
	if n := v.(int); n != 0 || !k.none {
		return float64(n)
	}
	return math.Inf(1)
}

func (k number) fromTOML(v any) (any, error) {
	n, ok := v.(int64)
	if !ok || n < int64(k.least) || n > math.MaxInt32 {
		return nil, k.not(v)
	}
	return int(n), nil
}

func (k number) fromText(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, k.not(s)
	}
	return k.fromTOML(n)
}

func (k number) not(v any) error {
	return fmt.Errorf("must be a whole number, %d or more, not %s", k.least, shown(v))
}

// amount is a number with a fraction, 0 or more.
type amount struct {
	most float64 // 0: any
	none bool    // 0 stands for no limit
}

func (amount) name() string { return "amount" }
func (k amount) loose(v any) float64 {
	if n := v.(float64); n != 0 || !k.none {
		return n
	}
	return math.Inf(1)
}

func (k amount) fromTOML(v any) (any, error) {
	var n float64
	switch v := v.(type) {
	case float64:
		n = v
	case int64:
		n = float64(v)
	default:
		return nil, k.not(v)
	}
	if !(n >= 0) || math.IsInf(n, 1) || k.most > 0 && n > k.most { // nor NaN
		return nil, k.not(v)
	}
	return n, nil
}

func (k amount) fromText(s string) (any, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, k.not(s)
	}
	return k.fromTOML(n)
}

func (k amount) not(v any) error {
	if k.most > 0 {
		return fmt.Errorf("must be a number from 0 to %v, not %s", k.most, shown(v))
	}
	return fmt.Errorf("must be a number, 0 or more, not %s", shown(v))
}

// truth is true or false.
type truth struct {
	allows float64 // 1: true allows more than false; -1: less; 0: that cannot be said
}

func (truth) name() string { return "true or false" }
func (k truth) loose(v any) float64 {
	switch {
	case k.allows == 0:
		return math.Inf(1)
	case v == true:
		return k.allows
	}
	return 0
}

func (truth) fromTOML(v any) (any, error) {
	b, ok := v.(bool)
	if !ok {
		return nil, fmt.Errorf("must be true or false, not %s", shown(v))
	}
	return b, nil
}

func (k truth) fromText(s string) (any, error) {
	switch s {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return k.fromTOML(s)
}

// span is a length of time. Zero stands for no limit.
type span struct{}

func (span) name() string { return "time" }
func (span) loose(v any) float64 {
	if d := v.(time.Duration); d != 0 {
		return float64(d)
	}
	return math.Inf(1)
}

func (k span) fromTOML(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, k.not(v)
	}
	return k.fromText(s)
}

func (k span) fromText(s string) (any, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return nil, k.not(s)
	}
	return d, nil
}

func (span) not(v any) error {
	return fmt.Errorf("must be a time such as \"90s\", \"30m\" or \"2h\", not %s", shown(v))
}

// rules are texts of the form verdict:tool:path.
type rules struct{}

func (rules) name() string      { return "list" }
func (rules) loose(any) float64 { return math.Inf(1) }
func (k rules) fromTOML(v any) (any, error) {
	all, err := texts(v, "deny::drafts/**")
	if err != nil {
		return nil, err
	}
	return k.check(all)
}

func (k rules) fromText(s string) (any, error) { return k.check(parts(s)) }

// texts is a list of a file.
func texts(v any, example string) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list, such as [%q], not %s", example, shown(v))
	}
	var all []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("must be a list of texts, such as [%q]; %s is none", example, shown(v))
		}
		all = append(all, s)
	}
	return all, nil
}

// parts is a list in one text.
func parts(s string) []string {
	var all []string
	for part := range strings.SplitSeq(s, ";") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

func (rules) check(all []string) (any, error) {
	for _, rule := range all {
		verdict, rest, _ := strings.Cut(rule, ":")
		if !slices.Contains([]string{"allow", "ask", "deny"}, verdict) || !strings.Contains(rest, ":") {
			return nil, fmt.Errorf("has the rule %s, which is not of the form verdict:tool:path, such as deny::drafts/**; verdicts are allow, ask and deny", shown(rule))
		}
	}
	return all, nil
}

// commands are names of commands. Whether there are such is not known here.
type commands struct{}

func (commands) name() string      { return "list" }
func (commands) loose(any) float64 { return math.Inf(1) }
func (commands) fromTOML(v any) (any, error) {
	all, err := texts(v, "+rm")
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (k commands) fromText(s string) (any, error) { return k.check(parts(s)) }
func (commands) check(all []string) (any, error)  { return all, nil }

// tables are the [[services]] or [[models]] of a file.
type tables struct{}

func (tables) name() string                 { return "tables" }
func (tables) loose(any) float64            { return math.Inf(1) }
func (tables) fromText(string) (any, error) { return nil, errors.New("can only be set in a file") }
func (tables) fromTOML(v any) (any, error) {
	wrong := errors.New("must be tables: write [[services]] or [[models]] and the fields below it")
	list, ok := v.([]any)
	if !ok {
		return nil, wrong
	}
	all := []map[string]any{}
	for _, v := range list {
		table, ok := v.(map[string]any)
		if !ok {
			return nil, wrong
		}
		all = append(all, table)
	}
	return all, nil
}
