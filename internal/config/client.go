package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Client is another program that may use the models of the server.
type Client struct {
	Name  string
	Token Secret
	Quota int // tokens of a day; 0: no limit
}

// clients are the tables [clients.NAME] of a file.
type clients struct{}

func (clients) name() string                 { return "tables" }
func (clients) loose(any) float64            { return math.Inf(1) }
func (clients) fromText(string) (any, error) { return nil, errors.New("can only be set in a file") }

func (clients) fromTOML(v any) (any, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("must be tables: write [clients.NAME] and the fields token and quota_tokens_per_day below it")
	}
	list := []Client{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		c, err := readClient(name, table[name])
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(other Client) bool { return other.Token == c.Token }); i >= 0 {
			return nil, fmt.Errorf("%s has the token of %s: each needs its own", name, list[i].Name)
		}
		list = append(list, c)
	}
	return list, nil
}

// nameSigns are what the name of a client may have: it is shown in metrics and logs.
const nameSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

func readClient(name string, v any) (Client, error) {
	fields, ok := v.(map[string]any)
	switch {
	case !ok:
		return Client{}, fmt.Errorf("%s must be a table: write [clients.%s] and the fields token and quota_tokens_per_day below it", shownName(name), shownName(name))
	case name == "" || len(name) > 60 || strings.Trim(name, nameSigns) != "":
		return Client{}, fmt.Errorf("has the name %s: use up to 60 letters, digits, points and dashes", shown(name))
	}
	c := Client{Name: name}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		v := fields[field]
		var err error
		switch field {
		case "token":
			var token any
			token, err = secret{least: 16}.fromTOML(v)
			c.Token, _ = token.(Secret)
		case "quota_tokens_per_day":
			var quota any
			quota, err = number{none: true}.fromTOML(v)
			c.Quota, _ = quota.(int)
		default:
			err = errors.New("is not known; the fields are token and quota_tokens_per_day")
		}
		if err != nil {
			return Client{}, fmt.Errorf("has a %s whose %s %w", name, shownName(field), err)
		}
	}
	if c.Token == "" {
		return Client{}, fmt.Errorf("has no token for %s, and without one nobody is let in", name)
	}
	return c, nil
}
