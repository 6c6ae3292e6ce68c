package jsonl

import (
	"net/url"
	"regexp"
	"strings"
)

// withheld stands where a value had the form of a key.
const withheld = "(withheld)"

// withoutSecrets leaves out fields whose name is that of a secret, and covers
// values that have the form of one. It works on what encoding/json makes of any
// JSON.
func withoutSecrets(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			if !secretName(name) {
				out[name] = withoutSecrets(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = withoutSecrets(inner)
			if i > 0 && secretFlag(v[i-1]) {
				out[i] = withheld
			}
		}
		return out
	case string:
		return withoutKeys(v)
	}
	return value
}

// secretParts make a name a secret's wherever they stand in it.
var secretParts = []string{
	"apikey", "secret", "password", "passwd", "passphrase", "credential", "authorization", "bearer", "privatekey", "accesskey", "cookie",
}

// secretName looks at names such as apiKey, OPENAI_API_KEY, x-api-key, token or
// authToken. maxTokens is not one, nor is cacheKey.
func secretName(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for _, part := range secretParts {
		if strings.Contains(plain, part) {
			return true
		}
	}
	switch plain {
	case "keys", "pass", "pwd":
		return true
	case "cachekey":
		return false
	}
	return strings.HasSuffix(plain, "token") || strings.HasSuffix(plain, "key") || strings.HasSuffix(plain, "auth")
}

// secretFlag is an element of a command line after which a secret comes.
func secretFlag(value any) bool {
	s, ok := value.(string)
	return ok && strings.HasPrefix(s, "-") && !strings.Contains(s, "=") && secretName(strings.TrimLeft(s, "-"))
}

// keyForms are the forms of keys that services give out, and of headers and
// parameters that carry one.
var keyForms = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{8,}` +
	`|\b(?:sk|pk|rk|gsk|xai|hf|r8|pplx|ghp|gho|ghs|glpat|github_pat|nvapi|fw|tgp_v1)[-_][\w-]{12,}` +
	`|\bAIza[\w-]{20,}|\bAKIA[A-Z0-9]{12,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*` +
	`|[?&;](?:api[_-]?key|key|token|access[_-]?token|secret|sig|signature)=[^&#\s]+` +
	`|--?(?:api[_-]?key|key|token|secret|password)=\S+`)

func withoutKeys(s string) string {
	if u, err := url.Parse(s); err == nil && u.Host != "" && u.User != nil {
		u.User = nil
		s = u.String()
	}
	return keyForms.ReplaceAllString(s, withheld)
}
