package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"redline/internal/wire"
)

// TheUser is the name of the client that shows the server's own token, or needs none.
const TheUser = "(user)"

// Client is another program that may use the models, and nothing else.
type Client struct {
	Name  string
	Token string
	Quota int // tokens of a day, in UTC; 0: no limit
}

// Used is what one request to a model took.
type Used struct {
	Input, Output int // tokens
	CostUSD       float64
}

// UsageStore keeps what clients have used. What is kept is not looked into; before
// anything was, it is nil.
type UsageStore interface {
	LoadUsage(ctx context.Context) ([]byte, error)
	SaveUsage(ctx context.Context, usage []byte) error
}

// Clients knows who may use the models, and what they have used.
type Clients struct {
	list  []Client
	store UsageStore // nil: nothing is kept
	now   func() time.Time

	mu   sync.Mutex
	used map[string]*usage // by name
}

// usage is what a client has used.
type usage struct {
	Day      string  `json:"day"` // of Today
	Today    int     `json:"tokens_today"`
	Requests int     `json:"requests"`
	Input    int     `json:"input_tokens"`
	Output   int     `json:"output_tokens"`
	CostUSD  float64 `json:"cost_usd"`
}

// NewClients reads what the clients have used before.
func NewClients(ctx context.Context, list []Client, store UsageStore, now func() time.Time) (*Clients, error) {
	c := &Clients{list: list, store: store, now: now, used: map[string]*usage{}}
	if store == nil {
		return c, nil
	}
	data, err := store.LoadUsage(ctx)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &c.used)
	}
	if err != nil {
		return nil, fmt.Errorf("read what the clients of the models have used: %w", err)
	}
	if c.used == nil {
		c.used = map[string]*usage{}
	}
	return c, nil
}

// Known tells whether a token is that of a client. It looks at all of them, however
// much of one is right.
func (c *Clients) Known(token string) bool { return c.name(token) != "" }

func (c *Clients) name(token string) string {
	found := ""
	for _, client := range c.list {
		if same(token, client.Token) {
			found = client.Name
		}
	}
	return found
}

type clientKey struct{}

// ClientOf is whose request it is.
func ClientOf(ctx context.Context) string {
	name, _ := ctx.Value(clientKey{}).(string)
	return name
}

// of is a request that knows whose it is: the guard has let it through, so who shows no
// token of a client is the user. What comes behind may ask for a token all the same.
func (c *Clients) of(r *http.Request) *http.Request {
	token, _ := bearer(r.Header.Values("Authorization"))
	r = r.Clone(context.WithValue(r.Context(), clientKey{}, cmp.Or(c.name(token), TheUser)))
	r.Header.Set("Authorization", "Bearer "+cmp.Or(token, "none"))
	return r
}

// Allow refuses a client whose quota of the day is used up.
func (c *Clients) Allow(name string) error {
	quota := c.quota(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if used := c.today(name); quota > 0 && used.Today >= quota {
		return wire.Errorf(wire.CodeQuota, "the %d tokens of the day are used up; they begin anew at 00:00 UTC", quota).With("quota_tokens_per_day", quota).With("tokens_today", used.Today)
	}
	return nil
}

func (c *Clients) quota(name string) int {
	i := slices.IndexFunc(c.list, func(client Client) bool { return client.Name == name })
	if i < 0 {
		return 0
	}
	return c.list[i].Quota
}

// today is what a client has used, where Today is about today.
func (c *Clients) today(name string) *usage {
	u := c.used[name]
	if u == nil {
		u = &usage{}
		c.used[name] = u
	}
	if day := c.now().UTC().Format(time.DateOnly); u.Day != day {
		u.Day, u.Today = day, 0
	}
	return u
}

// Add counts what a request of a client took, and keeps it.
func (c *Clients) Add(ctx context.Context, name string, n Used) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.today(name)
	u.Requests++
	u.Today += n.Input + n.Output
	u.Input += n.Input
	u.Output += n.Output
	u.CostUSD += n.CostUSD
	if c.store == nil {
		return nil
	}
	data, err := json.Marshal(c.used)
	if err != nil {
		return err
	}
	return c.store.SaveUsage(context.WithoutCancel(ctx), data) // under the lock: in order
}

// usages are what the user sees of all clients, or a client of itself.
func (c *Clients) usages(who string) wire.ClientUsages {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := []string{TheUser}
	for _, client := range c.list {
		names = append(names, client.Name)
	}
	all := wire.ClientUsages{Clients: []wire.ClientUsage{}}
	for _, name := range names {
		if who != TheUser && who != name {
			continue
		}
		u := c.today(name)
		all.Clients = append(all.Clients, wire.ClientUsage{
			Client: name, Quota: c.quota(name), Today: u.Today, Requests: u.Requests, Input: u.Input, Output: u.Output, CostUSD: u.CostUSD,
		})
	}
	return all
}

// Models are the routes about models alone: POST chat-with-tools and v1/stream, which
// the handler answers at these paths, and GET usage.
func Models(c *Clients, models http.Handler) http.Handler {
	mux := http.NewServeMux()
	ask := http.StripPrefix("/api/llm", models)
	for _, path := range []string{"chat-with-tools", "v1/stream"} {
		mux.HandleFunc("POST "+modelsPath+path, func(w http.ResponseWriter, r *http.Request) { ask.ServeHTTP(w, c.of(r)) })
	}
	mux.HandleFunc("GET "+modelsPath+"usage", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(c.usages(ClientOf(c.of(r).Context()))) // a client that is gone needs no answer
	})
	mux.HandleFunc(modelsPath, func(w http.ResponseWriter, r *http.Request) {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			asked := r.Clone(r.Context())
			asked.Method = method
			if _, pattern := mux.Handler(asked); pattern != modelsPath {
				w.Header().Set("Allow", method)
				fail(http.StatusMethodNotAllowed, "method_not_allowed", "use %s", method).write(w)
				return
			}
		}
		fail(http.StatusNotFound, wire.CodeNotFound, "there is nothing here: the models have POST chat-with-tools, POST v1/stream and GET usage").write(w)
	})
	return mux
}

// Readers is how many streams are open.
func (s *Server) Readers() int {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	return s.streams.open
}
