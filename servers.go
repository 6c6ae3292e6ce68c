package redline

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/llm"
)

// LocalServer is a model server that answers on this machine.
type LocalServer struct {
	Service string   `json:"service"`
	URL     string   `json:"url"`
	Models  []string `json:"models"`
}

// LocalServers asks the services of the catalogue that are on this machine, and
// no others, which models they have. Those that do not answer at once are left
// out.
func LocalServers(ctx context.Context, c *llm.Catalogue) []LocalServer {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var found []LocalServer
	for _, s := range c.Services() {
		if !s.Local || !loopback(s.BaseURL) {
			continue
		}
		wg.Go(func() {
			if models, ok := modelsAt(ctx, s.BaseURL); ok {
				mu.Lock()
				defer mu.Unlock()
				found = append(found, LocalServer{s.ID, s.BaseURL, models})
			}
		})
	}
	wg.Wait()
	slices.SortFunc(found, func(a, b LocalServer) int { return strings.Compare(a.Service, b.Service) })
	return found
}

// loopback tells whether an address is on this machine.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// modelsAt asks a server that speaks like OpenAI's for its models.
func modelsAt(ctx context.Context, base string) ([]string, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/models", nil)
	if err != nil {
		return nil, false
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(req)
	if err != nil {
		return nil, false
	}
	defer answer.Body.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&list)
	if err != nil || answer.StatusCode != http.StatusOK || list.Data == nil {
		return nil, false
	}
	models := []string{}
	for _, m := range list.Data {
		models = append(models, m.ID)
	}
	slices.Sort(models)
	return models, true
}
