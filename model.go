package redline

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"redline/internal/text"
	"redline/llm"
	"redline/llm/anthropic"
	"redline/llm/app"
	"redline/llm/google"
	"redline/llm/offline"
	"redline/llm/openai"
	"redline/llm/route"
	"redline/llm/scripted"
)

// Offline is the name of the built-in model.
const Offline = "offline"

// scriptPrefix begins the name of a script that is played as a model.
const scriptPrefix = "scripted:"

// Preferred are the models that are used when no model is configured but the key
// of their service is in the environment: the first service counts. Services for
// which there is no sensible choice are not among them.
var Preferred = []string{
	"anthropic/claude-sonnet-5",
	"openai/gpt-5.4",
	"google/gemini-3.5-flash",
	"deepseek/deepseek-v4-pro",
}

// Chosen is a model, how it is reached, and why it was chosen.
type Chosen struct {
	Provider llm.Provider
	Model    llm.Model
	Name     string // as the user knows it
	Why      string
}

// String is the line that tells the user.
func (c Chosen) String() string { return fmt.Sprintf("model: %s (%s)", c.Name, c.Why) }

// ModelOptions say which model is wanted. The zero value leaves the choice to what
// the environment has.
type ModelOptions struct {
	Name    string // service/model, a model's id, offline, scripted:FILE; "": none is named
	From    string // where the name comes from, such as --model
	BaseURL string // "": that of the service
	Key     llm.Secret
	KeyFrom string // "flag" goes before the environment, everything else behind it

	// Local is the model on the user's own machine, for modes local and
	// hybrid_auto. BaseURL and Key are not for it.
	Local    string
	Mode     route.Mode // "": remote
	ModeFrom string
	Controls route.Controls // of hybrid_auto

	Catalogue *llm.Catalogue           // nil: the built-in one
	Getenv    func(name string) string // nil: os.Getenv

	patience llm.Patience
}

// ChooseModel finds the model that is wanted: the one that is named, else the
// first of [Preferred] whose service has its key in the environment, else the
// built-in one. It does not touch the network.
func ChooseModel(o ModelOptions) (Chosen, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	switch o.Mode {
	case "", route.Remote:
		return o.choose()
	case route.Local:
		if o.Local == "" {
			return Chosen{}, &OptionError{errors.New("agent_mode is local, but no local model is named: set local_model, such as ollama/qwen3")}
		}
		return o.local().choose()
	}
	return o.hybrid()
}

// local are the options for the local model alone.
func (o ModelOptions) local() ModelOptions {
	o.Name, o.From, o.BaseURL, o.Key = o.Local, "local_model, agent_mode "+string(o.Mode)+from(o.ModeFrom), "", ""
	return o
}

func from(place string) string {
	if place == "" {
		return ""
	}
	return " from " + place
}

func (o ModelOptions) choose() (Chosen, error) {
	switch {
	case o.Name == Offline || o.Name == Offline+"/"+Offline:
		return builtIn("from " + o.From), nil
	case strings.HasPrefix(o.Name, scriptPrefix):
		return script(o.Name, "from "+o.From)
	}
	if o.Catalogue == nil {
		o.Catalogue = llm.Builtin()
	}
	if o.Name == "" {
		name, why := o.preferred()
		if name == "" {
			return builtIn(why), nil
		}
		o.Name = name
		return o.named(why)
	}
	return o.named("from " + o.From)
}

// preferred is the model whose service has its key in the environment, and why it
// is chosen; if there is none, why not.
func (o ModelOptions) preferred() (name, why string) {
	for _, name := range Preferred {
		m, err := o.Catalogue.Find(name)
		if err != nil {
			continue // the user has changed the catalogue
		}
		if key := keySet(o.Catalogue, m.Provider, o.Getenv); key != "" {
			return name, key + " is set"
		}
	}
	for _, s := range o.Catalogue.Services() {
		if key := keySet(o.Catalogue, s.ID, o.Getenv); key != "" {
			return "", fmt.Sprintf("built in; %s is set, but you have to name a model: --model %s/…", key, s.ID)
		}
	}
	return "", "built in; no model is configured: see redline models"
}

// keySet is the variable with the key of a service, or "" if none is set.
func keySet(c *llm.Catalogue, service string, getenv func(string) string) string {
	s, err := c.Service(service)
	if err != nil || len(s.Keys) == 0 {
		return ""
	}
	_, variable, err := s.Key("", getenv, "")
	if err != nil {
		return ""
	}
	return variable
}

// named makes ready the model of a name.
func (o ModelOptions) named(why string) (Chosen, error) {
	m, err := o.find()
	if err != nil {
		return Chosen{}, &OptionError{fmt.Errorf("%s: %w", cmp.Or(o.From, "the model"), err)}
	}
	s, err := o.Catalogue.Service(m.Provider)
	if err != nil {
		return Chosen{}, err
	}
	if m.API == llm.APIOffline {
		return builtIn(why), nil
	}
	if err := o.place(&m, s); err != nil {
		return Chosen{}, err
	}
	key, err := o.key(s)
	if err != nil {
		return Chosen{}, err
	}
	p, err := connect(m, llm.Endpoint{BaseURL: m.BaseURL, Key: key})
	if err != nil {
		return Chosen{}, fmt.Errorf("%s: %w", m.Name(), err)
	}
	return Chosen{Provider: llm.Retry(p, o.patience), Model: m, Name: m.Name(), Why: why}, nil
}

// find looks up the name. An unknown service is told with the nearest one.
func (o ModelOptions) find() (llm.Model, error) {
	m, err := o.Catalogue.Find(o.Name)
	if err == nil {
		return m, nil
	}
	service, id, slash := strings.Cut(o.Name, "/")
	if !slash || id == "" {
		return m, err
	}
	var ids []string
	for _, s := range o.Catalogue.Services() {
		ids = append(ids, s.ID)
	}
	if near := text.Nearest(service, ids); near != "" {
		return m, fmt.Errorf("there is no service %q; did you mean %s/%s?", service, near, id)
	}
	return m, fmt.Errorf("there is no service %q; the services are %s; for another server use openai-compatible/%s with --base-url", service, strings.Join(ids, ", "), id)
}

// place puts the model where its server is.
func (o ModelOptions) place(m *llm.Model, s llm.Service) error {
	if o.BaseURL == "" {
		if m.BaseURL == "" {
			return &OptionError{fmt.Errorf("%s has no address: give one with --base-url, such as http://127.0.0.1:8000/v1", m.Name())}
		}
		return nil
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &OptionError{errors.New("the base URL has no scheme: write it with http:// or https://, such as http://127.0.0.1:11434/v1")}
	}
	elsewhere := strings.TrimRight(o.BaseURL, "/") != strings.TrimRight(s.BaseURL, "/")
	if elsewhere && m.Context == 0 && m.API == llm.APIResponses {
		m.API = llm.APIChat // what servers that are like OpenAI's speak
	}
	m.BaseURL = o.BaseURL
	return nil
}

// key is the key for the service. A server of the user's own may need none.
func (o ModelOptions) key(s llm.Service) (llm.Secret, error) {
	flag, config := "", o.Key.Reveal()
	if o.KeyFrom == "flag" {
		flag, config = config, ""
	}
	key, _, err := s.Key(flag, o.Getenv, config)
	if err != nil && o.BaseURL != "" {
		return "", nil
	}
	return key, err
}

// connect makes a provider for the protocol of the model.
func connect(m llm.Model, e llm.Endpoint) (llm.Provider, error) {
	switch m.API {
	case llm.APIChat:
		return openai.NewChat(e)
	case llm.APIResponses:
		return openai.NewResponses(e)
	case llm.APIMessages:
		return anthropic.New(e)
	case llm.APIGemini:
		return google.New(e)
	case llm.APIApp:
		return app.New(e)
	}
	return nil, fmt.Errorf("the protocol %s has no server", m.API)
}

// hybrid joins the local and the remote model.
func (o ModelOptions) hybrid() (Chosen, error) {
	if o.Local == "" || o.Name == "" {
		return Chosen{}, &OptionError{errors.New("agent_mode is hybrid_auto, which needs two models: set local_model, such as ollama/qwen3, and model")}
	}
	here := o.local()
	here.patience.Attempts = 1 // the router asks again, or somebody else
	local, err := here.choose()
	if err != nil {
		return Chosen{}, err
	}
	remote, err := o.choose()
	if err != nil {
		return Chosen{}, err
	}
	router, err := route.New(route.Config{
		Mode: route.HybridAuto, Controls: o.Controls,
		Local: route.Side{Provider: local.Provider, Model: local.Model}, Remote: route.Side{Provider: remote.Provider, Model: remote.Model},
	})
	if err != nil {
		return Chosen{}, &OptionError{err}
	}
	return Chosen{Provider: router, Model: remote.Model, Name: local.Name + ", then " + remote.Name, Why: "agent_mode hybrid_auto" + from(o.ModeFrom)}, nil
}

// script plays a file as a model.
func script(name, why string) (Chosen, error) {
	file := strings.TrimPrefix(name, scriptPrefix)
	if file == "" {
		return Chosen{}, &OptionError{errors.New("no script is named: write scripted:FILE.yaml")}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Chosen{}, fmt.Errorf("read the script of the model: %w", err)
	}
	p, err := scripted.Parse(filepath.ToSlash(file), data)
	if err != nil {
		return Chosen{}, err
	}
	return Chosen{Provider: p, Model: scripted.Model(), Name: name, Why: why}, nil
}

// builtIn is the model that needs neither a key nor a network.
func builtIn(why string) Chosen {
	return Chosen{Provider: offline.New(), Model: offline.Model(), Name: Offline, Why: why}
}

// ModelNames are the names of all models that are known without a configuration.
func ModelNames() []string {
	var names []string
	for _, m := range llm.Builtin().Models() {
		names = append(names, m.Name())
	}
	return names
}
