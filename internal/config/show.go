package config

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Display is the value for people and programs: secrets are not in it.
func (s Setting) Display() string {
	switch v := s.Value.(type) {
	case nil:
		return ""
	case []string:
		return strings.Join(v, ", ")
	case []map[string]any:
		return strings.Join(tableNames(v), ", ")
	case []Client:
		return strings.Join(clientNames(v), ", ")
	case time.Duration:
		return short(v)
	case string:
		if s.Key.Name == "base_url" {
			return withoutUser(v)
		}
		return v
	}
	return fmt.Sprint(s.Value)
}

// JSON is the value for programs: secrets are not in it.
func (s Setting) JSON() any {
	switch v := s.Value.(type) {
	case nil, int, float64, bool, []string:
		return v
	case []map[string]any:
		return tableNames(v)
	case []Client:
		return clientNames(v)
	}
	return s.Display()
}

func tableNames(list []map[string]any) []string {
	names := []string{}
	for _, t := range list {
		name := fmt.Sprint(t["id"])
		if p, ok := t["provider"].(string); ok {
			name = p + "/" + name
		}
		names = append(names, name)
	}
	return names
}

func clientNames(list []Client) []string {
	names := []string{}
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// short writes 30m0s as 30m.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// withoutUser leaves out the name and password that an address may have.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return set
	}
	u.User = nil
	return u.String()
}
