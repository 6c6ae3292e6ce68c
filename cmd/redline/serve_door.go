package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"redline/internal/config"
	"redline/internal/server"
)

// door is where a server listens, and whom it lets in.
type door struct {
	listening
	secure *tls.Config // nil: plain HTTP
	given  bool        // the token is one that the user has set
	hosts  []string
	away   bool // others than this machine can reach it

	guard    *server.Guard
	listener net.Listener
	url      string
}

// newDoor checks what the user wants. Nothing is opened yet.
func newDoor(l listening, f serveFlags) (*door, error) {
	d := &door{listening: l, given: l.Token != "", hosts: f.hosts}
	host, _, err := net.SplitHostPort(l.Address)
	if err != nil {
		return nil, usage("%s is no address: use one such as 127.0.0.1:7333", l.Address)
	}
	d.away = !local(host)
	if d.away && !d.given {
		return nil, usage("%s can be reached by others, so the token must be one that you have set, in REDLINE_TOKEN, your configuration or --token: redline does not hand a random one to the network", l.Address)
	}
	if (f.cert == "") != (f.key == "") {
		return nil, usage("--tls-cert and --tls-key go together: give both")
	}
	if f.cert != "" {
		if d.secure, err = server.TLS(f.cert, f.key); err != nil {
			return nil, err
		}
	}
	if !d.given {
		d.Token = server.NewToken()
	}
	return d, nil
}

// local tells whether only this machine can reach an address.
func local(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// open listens.
func (d *door) open() error {
	l, err := net.Listen("tcp", d.Address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is taken: another program listens there; stop it, or choose another address, such as --listen 127.0.0.1:0 for any port that is free", d.Address)
	case err != nil:
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", d.Address, err)
	}
	at := l.Addr().(*net.TCPAddr)
	d.listener = l
	d.guard = &server.Guard{Token: d.Token, Port: at.Port, TLS: d.secure != nil, Public: server.Public, Hosts: d.hosts}
	name := at.IP.String()
	if d.away {
		d.guard.Hosts = append(d.guard.Hosts, callNames(at.IP)...)
		if at.IP.IsUnspecified() {
			name = "127.0.0.1"
		}
	}
	scheme := "http://"
	if d.secure != nil {
		scheme = "https://"
	}
	d.url = scheme + net.JoinHostPort(name, fmt.Sprint(at.Port))
	return nil
}

// callNames are the names by which others call a server at an address: that, or all of
// the machine's.
func callNames(ip net.IP) []string {
	if !ip.IsUnspecified() {
		return []string{ip.String()}
	}
	var names []string
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return names
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			names = append(names, n.IP.String())
		}
	}
	return names
}

// clients are the programs that may use the models.
func clients(list []config.Client) []server.Client {
	var all []server.Client
	for _, c := range list {
		all = append(all, server.Client{Name: c.Name, Token: c.Token.Reveal(), Quota: c.Quota})
	}
	return all
}
