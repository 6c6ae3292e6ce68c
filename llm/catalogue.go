package llm

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Service is a place that answers for models: a company's API or a server that
// the user runs.
type Service struct {
	ID      string   `json:"id"`
	Label   string   `json:"label,omitempty"` // its name for people
	API     API      `json:"api"`
	BaseURL string   `json:"baseURL,omitempty"` // "": the user gives it
	Dialect string   `json:"dialect,omitempty"` // as Model.Dialect
	Keys    []string `json:"keys,omitempty"`    // environment variables for the key, the first that is set counts; none: it needs no key
	Local   bool     `json:"local,omitempty"`   // runs on the user's own machine

	// What is assumed of its models that say nothing else.
	Can      Abilities     `json:"can"`
	Thinking ThinkingStyle `json:"thinking,omitempty"`
}

// Catalogue knows services and models. Load first; then any number of
// goroutines may read.
type Catalogue struct {
	Checked string // the day on which the built-in facts were checked; prices change

	entries  entries
	services map[string]Service
	models   map[string]Model // by full name
}

// entries are what was said of services and models, in order: what comes later
// overrides the fields that it names.
type entries struct {
	services, models map[string][]json.RawMessage
}

type catalogueJSON struct {
	Checked  string            `json:"checked"`
	Note     string            `json:"note"`
	Services []json.RawMessage `json:"services"`
	Models   []json.RawMessage `json:"models"`
}

//go:embed catalogue.json
var builtin []byte

// Builtin returns a new catalogue of the facts that come with this package.
func Builtin() *Catalogue {
	c := &Catalogue{}
	if err := c.Load(builtin); err != nil {
		panic("llm: the built-in catalogue: " + err.Error()) // a test loads it
	}
	return c
}

// Load adds services and models, or changes those that are known: an entry
// overrides only the fields that it names. Models that name no api, address,
// dialect or ability have those of their service. If anything is wrong, nothing
// is changed and the error names the entry.
//
//	{
//	  "services": [{"id": "gpu", "api": "openai-chat", "baseURL": "http://gpu:8000/v1", "dialect": "vllm"}],
//	  "models":   [{"provider": "gpu", "id": "qwen3-32b", "context": 32768, "can": {"tools": true}}]
//	}
func (c *Catalogue) Load(data []byte) error {
	var file catalogueJSON
	if err := decode(data, &file); err != nil {
		return fmt.Errorf("the catalogue: %w", err)
	}
	next := &Catalogue{Checked: cmp.Or(file.Checked, c.Checked), entries: c.entries.clone()}
	for i, raw := range file.Services {
		if err := next.entries.addService(raw); err != nil {
			return fmt.Errorf("services[%d]: %w", i, err)
		}
	}
	for i, raw := range file.Models {
		if err := next.entries.addModel(raw); err != nil {
			return fmt.Errorf("models[%d]: %w", i, err)
		}
	}
	if err := next.resolve(); err != nil {
		return err
	}
	*c = *next
	return nil
}

func (e entries) clone() entries {
	if e.services == nil {
		return entries{map[string][]json.RawMessage{}, map[string][]json.RawMessage{}}
	}
	return entries{maps.Clone(e.services), maps.Clone(e.models)}
}

func (e entries) addService(raw json.RawMessage) error {
	var s Service
	if err := decode(raw, &s); err != nil {
		return fmt.Errorf("service %q: %w", nameIn(raw), err)
	}
	if s.ID == "" || strings.ContainsAny(s.ID, "/ \t\n") {
		return fmt.Errorf("service %q: the id must be a word without slashes", s.ID)
	}
	e.services[s.ID] = append(slices.Clip(e.services[s.ID]), raw)
	return nil
}

func (e entries) addModel(raw json.RawMessage) error {
	var m Model
	if err := decode(raw, &m); err != nil {
		return fmt.Errorf("model %q: %w", nameIn(raw), err)
	}
	switch {
	case m.ID == "":
		return errors.New("a model has no id")
	case m.Provider == "":
		return fmt.Errorf("model %q: it names no provider; use the id of a service", m.ID)
	}
	e.models[m.Name()] = append(slices.Clip(e.models[m.Name()]), raw)
	return nil
}

// nameIn is the name of an entry that may be wrong otherwise.
func nameIn(raw json.RawMessage) string {
	var named struct{ Provider, ID string }
	_ = json.Unmarshal(raw, &named) // what can be read of it
	return strings.TrimPrefix(named.Provider+"/"+named.ID, "/")
}

// resolve works out what all entries together say.
func (c *Catalogue) resolve() error {
	c.services, c.models = map[string]Service{}, map[string]Model{}
	for _, id := range slices.Sorted(maps.Keys(c.entries.services)) {
		var s Service
		for _, raw := range c.entries.services[id] {
			if err := decode(raw, &s); err != nil {
				return fmt.Errorf("service %q: %w", id, err)
			}
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("service %q: %w", id, err)
		}
		s.Label = cmp.Or(s.Label, s.ID)
		c.services[id] = s
	}
	for _, name := range slices.Sorted(maps.Keys(c.entries.models)) {
		provider, id, _ := strings.Cut(name, "/")
		s, ok := c.services[provider]
		if !ok {
			return fmt.Errorf("model %q: there is no service %q; the services are %s", name, provider, c.serviceIDs())
		}
		m := s.model(id)
		for _, raw := range c.entries.models[name] {
			if err := decode(raw, &m); err != nil {
				return fmt.Errorf("model %q: %w", name, err)
			}
		}
		if err := m.check(); err != nil {
			return fmt.Errorf("model %q: %w", name, err)
		}
		c.models[name] = m
	}
	return nil
}

// decode reads JSON that may have no fields we do not know: a misspelt one would
// have no effect.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("there is more after the end")
	}
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// model is what is assumed of a model of the service.
func (s Service) model(id string) Model {
	return Model{ID: id, Provider: s.ID, API: s.API, BaseURL: s.BaseURL, Dialect: s.Dialect, Local: s.Local, Can: s.Can, Thinking: s.Thinking}
}

var apis = []API{APIChat, APIResponses, APIMessages, APIGemini, APIApp, APIOffline, APIScripted}

func (s Service) check() error {
	if slices.Contains(s.Keys, "") {
		return errors.New("the name of an environment variable is empty")
	}
	return s.model("x").check()
}

func (m Model) check() error {
	switch {
	case m.API == "":
		return fmt.Errorf("it names no api; use one of %q", apis)
	case !slices.Contains(apis, m.API):
		return fmt.Errorf("unknown api %q; use one of %q", m.API, apis)
	case m.Context < 0:
		return fmt.Errorf("context is %d; a limit cannot be negative", m.Context)
	case m.MaxOutput < 0:
		return fmt.Errorf("maxOutput is %d; a limit cannot be negative", m.MaxOutput)
	case m.Context > 0 && m.MaxOutput > m.Context:
		return fmt.Errorf("maxOutput is %d, more than the context of %d", m.MaxOutput, m.Context)
	case !slices.Contains([]ThinkingStyle{"", ThinkByEffort, ThinkByBudget, ThinkByLevel, ThinkAdaptively}, m.Thinking):
		return fmt.Errorf("unknown thinking %q; use effort, budget, level or adaptive", m.Thinking)
	}
	for level := range m.Efforts {
		if !slices.Contains(Levels, level) {
			return fmt.Errorf("efforts has the unknown level %q; use %q", level, Levels)
		}
	}
	if u, err := url.Parse(m.BaseURL); m.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("baseURL is not a URL such as https://host/v1")
	}
	return m.Price.check()
}

func (p *Price) check() error {
	if p == nil {
		return nil
	}
	if min(p.Input, p.Output, p.CacheRead, p.CacheWrite) < 0 || p.Over < 0 {
		return errors.New("a price is negative")
	}
	if (p.Over > 0) != (p.Long != nil) {
		return errors.New("the prices over and long belong together")
	}
	return p.Long.check()
}

// Find returns the model of a name: service/model, or a model's id alone if one
// service has it. Of a model that is not listed it returns what its service
// assumes.
func (c *Catalogue) Find(name string) (Model, error) {
	if m, ok := c.models[name]; ok {
		return m.clone(), nil
	}
	if provider, id, _ := strings.Cut(name, "/"); id != "" {
		if s, ok := c.services[provider]; ok {
			return s.model(id), nil
		}
	}
	var found []Model
	for _, m := range c.models {
		if m.ID == name {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 0:
		return Model{}, c.unknown(name)
	case 1:
		return found[0].clone(), nil
	}
	var names []string
	for _, m := range found {
		names = append(names, m.Name())
	}
	slices.Sort(names)
	return Model{}, fmt.Errorf("model %q is there more than once: use %s", name, strings.Join(names, " or "))
}

func (c *Catalogue) unknown(name string) error {
	hint := "name it as service/model"
	if near := c.near(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? Otherwise " + hint
	}
	return fmt.Errorf("unknown model %q: %s; the services are %s", name, hint, c.serviceIDs())
}

// near lists up to three models whose names are closest to a name, if they are
// close at all: at most a third of it differs.
func (c *Catalogue) near(name string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	given := strings.ToLower(name)
	for full, m := range c.models {
		d := min(distance(given, strings.ToLower(full)), distance(given, strings.ToLower(m.ID)))
		if d <= max(2, len(given)/3) && d < len(given) {
			list = append(list, candidate{full, d})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, x := range list[:min(3, len(list))] {
		names = append(names, x.name)
	}
	return names
}

// distance counts the bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// Models returns all models that are listed, sorted by name.
func (c *Catalogue) Models() []Model {
	var list []Model
	for _, name := range slices.Sorted(maps.Keys(c.models)) {
		list = append(list, c.models[name].clone())
	}
	return list
}

// Services returns all services, sorted by id.
func (c *Catalogue) Services() []Service {
	var list []Service
	for _, id := range slices.Sorted(maps.Keys(c.services)) {
		s, _ := c.Service(id)
		list = append(list, s)
	}
	return list
}

// Service returns the service of an id.
func (c *Catalogue) Service(id string) (Service, error) {
	s, ok := c.services[id]
	if !ok {
		return Service{}, fmt.Errorf("unknown service %q: the services are %s", id, c.serviceIDs())
	}
	s.Keys = slices.Clone(s.Keys)
	return s, nil
}

func (c *Catalogue) serviceIDs() string {
	return strings.Join(slices.Sorted(maps.Keys(c.services)), ", ")
}

// clone shares nothing with m.
func (m Model) clone() Model {
	m.Efforts = maps.Clone(m.Efforts)
	m.Price = m.Price.clone()
	return m
}

func (p *Price) clone() *Price {
	if p == nil {
		return nil
	}
	q := *p
	q.Long = p.Long.clone()
	return &q
}

// Key finds the key of a service, given what a flag says, the environment, and
// what the configuration says; the first that says something counts. Source
// tells which it was: "flag", the name of a variable, "config", or "" if the
// service needs no key and there is none. Keys go into an [Endpoint] and
// nowhere else.
func (s Service) Key(flag string, getenv func(string) string, config string) (key Secret, source string, err error) {
	if flag = strings.TrimSpace(flag); flag != "" {
		return Secret(flag), "flag", nil
	}
	for _, name := range s.Keys {
		if value := strings.TrimSpace(getenv(name)); value != "" {
			return Secret(value), name, nil
		}
	}
	if config = strings.TrimSpace(config); config != "" {
		return Secret(config), "config", nil
	}
	if len(s.Keys) == 0 {
		return "", "", nil
	}
	return "", "", fmt.Errorf("%s needs a key: set %s, or give one with --api-key", s.Label, strings.Join(s.Keys, " or "))
}
