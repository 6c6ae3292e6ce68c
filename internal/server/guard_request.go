package server

import (
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// methods are those that routes can have, and those that browsers ask with.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// ours tells whether a Host is one of the server's own.
func (g *Guard) ours(host string) bool {
	name, port, ok := splitHost(host)
	if !ok {
		return false
	}
	if slices.ContainsFunc(g.Hosts, func(h string) bool {
		return strings.EqualFold(h, host) || strings.EqualFold(strings.Trim(h, "[]"), name)
	}) {
		return true
	}
	switch {
	case port != "":
	case g.TLS:
		port = "443"
	default:
		port = "80"
	}
	if g.Port != 0 && port != strconv.Itoa(g.Port) {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsLoopback() && !address.Is4In6()
}

// splitHost takes a Host apart, as strictly as it can be written: brackets are around an
// IPv6 address without a zone, and nowhere else, and a port is a number.
func splitHost(host string) (name, port string, ok bool) {
	name, port, colon := strings.Cut(host, ":")
	if strings.HasPrefix(host, "[") {
		var rest string
		name, rest, ok = strings.Cut(host[1:], "]")
		address, err := netip.ParseAddr(name)
		if !ok || err != nil || !address.Is6() || address.Zone() != "" || rest != "" && rest[0] != ':' {
			return "", "", false
		}
		colon, port = rest != "", strings.TrimPrefix(rest, ":")
	}
	if colon {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || strconv.FormatUint(n, 10) != port {
			return "", "", false
		}
	}
	return name, port, name != ""
}

// foreign tells whether a browser says that another site made the request. A user who
// types the address is none.
func foreign(r *http.Request) bool {
	site := r.Header.Values("Sec-Fetch-Site")
	if len(site) == 0 || len(site) == 1 && (site[0] == "same-origin" || site[0] == "none") {
		return false
	}
	// The link that opens the page may be clicked in a mail or on another page.
	return len(site) > 1 || !reads(r) || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// sameOrigin tells whether the Origin, if there is one, is the server's own.
func (g *Guard) sameOrigin(r *http.Request) bool {
	origins, ok := r.Header["Origin"]
	if !ok {
		return true
	}
	scheme := "http://"
	if g.TLS {
		scheme = "https://"
	}
	return len(origins) == 1 && origins[0] == scheme+r.Host
}

// plain tells whether everybody reads a path the same way: it has nothing that some leave
// out, decode twice or take for a separator. No route has such a one.
func plain(u *url.URL) bool {
	if strings.Contains(u.Path, `\`) || !utf8.ValidString(u.Path) || strings.ContainsFunc(u.Path, unicode.IsControl) {
		return false
	}
	if strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") {
		return false
	}
	return u.Path == "/" || path.Clean(u.Path) == strings.TrimSuffix(u.Path, "/")
}

// checkBody refuses bodies that are not plain JSON: what a form of another page can
// send never is.
func checkBody(r *http.Request) *refusal {
	if writes := r.Method == http.MethodPost || r.Method == http.MethodPut; !writes && (reads(r) || r.ContentLength == 0) {
		return nil
	}
	if e := r.Header.Values("Content-Encoding"); len(e) > 1 || len(e) == 1 && e[0] != "identity" {
		return fail(http.StatusUnsupportedMediaType, "unsupported_media_type", "send the body as it is, without Content-Encoding")
	}
	given := r.Header.Values("Content-Type")
	if len(given) == 1 {
		kind, set, err := mime.ParseMediaType(given[0])
		if charset, ok := set["charset"]; err == nil && kind == "application/json" && (!ok || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	return fail(http.StatusUnsupportedMediaType, "unsupported_media_type", "send JSON in UTF-8, with the header \"Content-Type: application/json\"")
}
