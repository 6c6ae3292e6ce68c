package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"redline"
	"redline/internal/config"
	"redline/internal/server"
	"redline/internal/wire"
	"redline/llm"
	"redline/llm/app"
	"redline/llm/route"
)

// partOf is a host as a server sees it.
func partOf(name, dir string, h *redline.Host, settings server.Settings) server.Folder {
	return server.Folder{
		Name: name, Dir: dir,
		Sessions: h, Archive: h, Jobs: h, Control: h, Answers: h, Streams: h, Reviews: h, Hunks: h, Changes: h, Undo: h, Turns: h,
		Checkpoints: h, Documents: h, Tabs: h, Library: h, Trash: h, Records: h, Settings: settings,
	}
}

// folderSettings is what a server tells of the configuration of a folder.
type folderSettings struct {
	set  *settings
	used redline.Chosen
}

// Config is every key, what it is and who said so.
func (f *folderSettings) Config(context.Context) ([]wire.Setting, error) {
	list := []wire.Setting{}
	for _, v := range f.set.Settings() {
		s := wire.Setting{Key: v.Key.Name, Value: v.JSON()}
		if v.Value != nil {
			s.Origin = v.Origin.String()
		}
		list = append(list, s)
	}
	return list, nil
}

// Models are those of the catalogue, and the one that is used.
func (f *folderSettings) Models(context.Context) ([]wire.Model, error) {
	c, err := f.set.catalogue()
	if err != nil {
		return nil, err
	}
	list := []wire.Model{{Name: f.used.Name, Context: f.used.Model.Context, Output: f.used.Model.MaxOutput, Current: true, Ready: true}}
	for _, m := range c.Models() {
		if m.Name() == f.used.Name || m.Name() == f.used.Model.Name() {
			continue
		}
		s, err := c.Service(m.Provider)
		ready := err == nil
		if ready {
			_, _, err = s.Key("", os.Getenv, "")
			ready = err == nil
		}
		list = append(list, wire.Model{Name: m.Name(), Context: m.Context, Output: m.MaxOutput, Ready: ready})
	}
	return list, nil
}

// choose makes a model ready that a request names; "" is the configured one. A request
// cannot name a script, which is a file of this machine, and the configured address and
// key are only for the service that they were given for.
func (s *settings) choose(name string) (redline.Chosen, error) {
	o, err := s.modelOptions()
	if err != nil {
		return redline.Chosen{}, err
	}
	if name == "" || name == o.Name {
		return redline.ChooseModel(o)
	}
	if strings.HasPrefix(name, "scripted:") {
		return redline.Chosen{}, &redline.OptionError{Err: errors.New("a request cannot name a script: start the server with it")}
	}
	asked := config.Setting{Value: name}
	if serviceOf(asked) != serviceOf(s.Setting("model")) {
		o.BaseURL, o.Key = "", ""
	}
	o.Name, o.From, o.Mode, o.Local = name, "the request", route.Remote, ""
	return redline.ChooseModel(o)
}

// models are the models for other programs.
func (t *site) models(set *settings) http.Handler {
	return app.Handler(app.Config{
		Authorise: func(ctx context.Context, _ string) (string, error) { return server.ClientOf(ctx), nil },
		Resolve: func(_ context.Context, _, name string) (llm.Provider, llm.Model, error) {
			c, err := set.choose(name)
			var option *redline.OptionError
			if errors.As(err, &option) {
				err = &llm.Failure{Class: llm.ClassInvalidRequest, Status: http.StatusNotFound, Message: option.Error()}
			}
			return c.Provider, c.Model, err
		},
		Quota: func(_ context.Context, account string, _ llm.Model) error {
			err := t.clients.Allow(account)
			var e *wire.Error
			if errors.As(err, &e) {
				return &llm.Failure{Class: llm.ClassRateLimit, Code: e.Code, Message: e.Message}
			}
			return err
		},
		Track: t.track,
	})
}

// track counts what a request to a model took.
func (t *site) track(r app.Record) {
	used := server.Used{Input: r.Usage.Prompt(), Output: r.Usage.Output}
	if r.CostUSD != nil {
		used.CostUSD = *r.CostUSD
	}
	t.metrics.Client(r.Account, used.Input, used.Output)
	if err := t.clients.Add(context.Background(), r.Account, used); err != nil {
		t.log.Error("the usage of a client was not kept", "client", r.Account, "error", err)
	}
}
