package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"redline"
	"redline/internal/config"
	"redline/internal/text"
	"redline/llm"
	"redline/llm/route"
)

// settings are what the configuration and the flags come to.
type settings struct {
	*config.Config
	homeName string                // of the user's own file, which may not be there
	home     *config.File          // nil: it is not there
	folder   *redline.FolderConfig // nil: the folder has none
	trusted  bool                  // the folder's counts in full
}

// loadSettings hears all sources.
func loadSettings(ctx context.Context, w *where) (*settings, error) {
	s, err := hearAll(ctx, w)
	if err != nil {
		return nil, err
	}
	return s, s.checkAllow()
}

func hearAll(ctx context.Context, w *where) (*settings, error) {
	s, sources, err := userSettings(w)
	if err != nil {
		return nil, err
	}
	if s.folder, err = redline.ReadFolderConfig(w.dir); err != nil || s.folder == nil {
		return s, err
	}
	sources.Folder = &config.File{Name: redline.ConfigPath, Data: s.folder.Data}
	options := s.options() // where trust is looked up is not for the folder to say
	if s.Config, err = config.Load(sources); err != nil {
		return nil, ofFlags(err)
	}
	if len(s.Ignored) == 0 {
		return s, nil
	}
	if s.trusted, err = redline.Trusted(ctx, w.dir, options, s.folder); err != nil || !s.trusted {
		return s, err
	}
	sources.Folder.Trusted = true
	s.Config, err = config.Load(sources)
	return s, ofFlags(err)
}

// userSettings hears all sources but the folder's file. They are enough for
// what only looks back.
func userSettings(w *where) (*settings, config.Sources, error) {
	s := &settings{homeName: config.HomeName(os.Getenv)}
	sources := config.Sources{Environ: os.Environ(), Flags: flagsGiven(w), Defaults: w.defaults, Near: text.Nearest}
	var err error
	if s.home, err = config.ReadHome(s.homeName); err != nil {
		return nil, sources, err
	}
	sources.Home = s.home
	s.Config, err = config.Load(sources)
	return s, sources, ofFlags(err)
}

// defaults are those of a toolset; without one, the toolset that is used if nobody
// names one.
func (w *where) defaults(toolset string) map[string]any {
	if toolset == "" && w.usual != "" {
		return map[string]any{"toolset": w.usual}
	}
	return redline.Defaults(toolset)
}

// ofFlags makes what is wrong with flags a matter of usage.
func ofFlags(err error) error {
	var p *config.Problem
	if errors.As(err, &p) && p.Origin.Source == config.Flags {
		return &status{exitUsage, err}
	}
	return err
}

// flagsGiven are those that were given and have a key in the configuration.
func flagsGiven(w *where) []config.Flag {
	var list []config.Flag
	add := func(flag, key string, values ...string) {
		if w.changed(flag) {
			list = append(list, config.Flag{Name: "--" + flag, Key: key, Values: values})
		}
	}
	add("model", "model", w.model)
	add("base-url", "base_url", w.baseURL)
	add("api-key", "api_key", w.apiKey)
	add("thinking", "thinking", w.thinking)
	add("system-prompt", "system_prompt", w.systemPrompt)
	add("toolset", "toolset", w.toolset)
	add("review", "review", w.review)
	add("mode", "mode", w.mode)
	add("rule", "rules", w.rules...)
	add("budget", "budget", strconv.FormatFloat(w.budget, 'g', -1, 64))
	add("max-iterations", "maxIterations", strconv.Itoa(w.maxIterations))
	add("state", "state", w.state)
	add("listen", "listen", w.listen)
	add("token", "token", w.token)
	list = append(list, sandboxGiven(w)...)
	if w.noColor {
		add("no-color", "color", "never")
	}
	return list
}

// options are for opening the folder.
func (s *settings) options() redline.Options {
	var o redline.Options
	o.State, _ = config.Get[string](s.Config, "state")
	o.MaxHunkLines, _ = config.Get[int](s.Config, "max_hunk_lines")
	o.MaxHunkBytes, _ = config.Get[int](s.Config, "max_hunk_bytes")
	o.Commands = s.commands()
	return o
}

// limits are those that somebody has set. The others are the toolset's.
func (s *settings) limits() redline.Limits {
	number := func(key string) *int { return chosen[int](s, key) }
	return redline.Limits{
		MaxActionsPerRequest: number("maxActionsPerRequest"), MaxIterations: number("maxIterations"), MaxTokensPerIteration: number("maxTokensPerIteration"),
		MaxToolCallsPerJob: number("max_tool_calls_per_job"), MaxSchemaRetries: number("max_schema_retries"),
		Bulk: number("bulk"), MaxDestructivePerMinute: number("maxDestructivePerMinute"),
		Temperature: chosen[float64](s, "temperature"), WallTime: chosen[time.Duration](s, "wallTime"),
		MaxSearchResultsDefault: number("max_search_results_default"), MaxSearchResultsCap: number("max_search_results_cap"),
		MaxSearchSnippetLines: number("max_search_snippet_lines"),
		MaxReadBytesDefault:   number("max_read_bytes_default"), MaxReadLinesDefault: number("max_read_lines_default"),
	}
}

// chosen is the value of a key that somebody has set, or nil.
func chosen[T any](s *settings, key string) *T {
	if s.Setting(key).Origin.Source == config.Default {
		return nil
	}
	v, ok := config.Get[T](s.Config, key)
	if !ok {
		return nil
	}
	return &v
}

// word is a text, or "" if it is not set.
func (s *settings) word(key string) string {
	v, _ := config.Get[string](s.Config, key)
	return v
}

// rules are those of mode custom. In another mode, which somebody has chosen after
// them, they say nothing.
func (s *settings) rules() []string {
	if s.word("mode") != "custom" {
		return nil
	}
	list, _ := config.Get[[]string](s.Config, "rules")
	return list
}

// colors tells whether to use colours.
func (s *settings) colors(terminal bool) bool {
	switch s.word("color") {
	case "always":
		return true
	case "never":
		return false
	}
	return terminal && os.Getenv("TERM") != "dumb"
}

// systemPrompt is the prompt itself, where a file is named read from there: beside
// the configuration that names it, or from where the program was started.
func (s *settings) systemPrompt() (string, error) {
	set := s.Setting("system_prompt")
	prompt, _ := set.Value.(string)
	name, isFile := strings.CutPrefix(prompt, "@")
	if !isFile {
		return prompt, nil
	}
	if set.Origin.Source == config.HomeFile && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(set.Origin.Name), name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read the system prompt (%s): %w", set.Origin, err)
	}
	return string(data), nil
}

// notice tells what of the folder's configuration was ignored; "" if nothing.
func (s *settings) notice() string {
	var wait, never []string
	for _, i := range s.Ignored {
		item := fmt.Sprintf("%s (line %d)", i.Key.Name, i.Origin.Line)
		if i.Never {
			never = append(never, item)
		} else {
			wait = append(wait, item)
		}
	}
	var said []string
	if len(wait) > 0 {
		said = append(said, fmt.Sprintf("%s is not trusted, so this is ignored: %s; redline trust allows it", redline.ConfigPath, strings.Join(wait, ", ")))
	}
	if len(never) > 0 {
		said = append(said, fmt.Sprintf("%s cannot set %s; put it into your own configuration", redline.ConfigPath, strings.Join(never, ", ")))
	}
	return strings.Join(said, "; ")
}

// tell tells the user of it.
func (s *settings) tell(st streams) {
	if notice := s.notice(); notice != "" {
		fmt.Fprintln(st.err, "redline:", notice)
	}
}

// catalogue is the built-in one with what the configuration adds, file by file.
func (s *settings) catalogue() (*llm.Catalogue, error) {
	c := llm.Builtin()
	heard := map[config.Source]map[string]config.Setting{}
	for _, key := range []string{"services", "models"} {
		for _, said := range s.Heard(key) {
			if heard[said.Origin.Source] == nil {
				heard[said.Origin.Source] = map[string]config.Setting{}
			}
			heard[said.Origin.Source][key] = said
		}
	}
	for _, source := range []config.Source{config.HomeFile, config.FolderFile} {
		said := heard[source]
		if len(said) == 0 {
			continue
		}
		tables, at := map[string]any{}, ""
		for _, key := range []string{"models", "services"} {
			if t, ok := said[key]; ok {
				tables[key], at = t.Value, t.Origin.Name
			}
		}
		data, err := json.Marshal(tables)
		if err == nil {
			err = c.Load(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; see docs/configuration.md", at, err)
		}
	}
	return c, nil
}

// model chooses the model.
func (s *settings) model() (redline.Chosen, error) {
	o, err := s.modelOptions()
	if err != nil {
		return redline.Chosen{}, err
	}
	return redline.ChooseModel(o)
}

func (s *settings) modelOptions() (redline.ModelOptions, error) {
	named, mode := s.Setting("model"), s.Setting("agent_mode")
	o := redline.ModelOptions{
		Name: s.word("model"), From: named.Origin.String(), Local: s.word("local_model"), Mode: route.Mode(s.word("agent_mode")), Controls: s.controls(),
	}
	if mode.Origin.Source != config.Default {
		o.ModeFrom = mode.Origin.String()
	} else if o.Local != "" {
		return o, &config.Problem{Origin: s.Setting("local_model").Origin, Err: errors.New("local_model has no effect by itself: set agent_mode to local or hybrid_auto, or leave it out")}
	}
	if at, ok := s.tied("base_url"); ok {
		o.BaseURL = at.Value.(string)
	}
	if at, ok := s.tied("api_key"); ok {
		o.Key = llm.Secret(at.Value.(config.Secret).Reveal())
		o.KeyFrom = at.Origin.String()
		if at.Origin.Source >= config.Environment {
			o.KeyFrom = "flag"
		}
	}
	for _, key := range []string{"base_url", "api_key"} {
		if at := s.Setting(key); at.Value != nil && named.Value == nil && o.Mode != route.Local {
			return o, &config.Problem{Origin: at.Origin, Err: fmt.Errorf("%s is set, but not the model that it is for: name one with --model or in the configuration", key)}
		}
	}
	var err error
	if len(s.Heard("services"))+len(s.Heard("models")) > 0 {
		o.Catalogue, err = s.catalogue()
	}
	return o, err
}

// tied is an address or a key, if it is for the model that is used: when a later
// source names a model of another service, what was said before is not for that.
// A key must not be sent to anybody else.
func (s *settings) tied(key string) (config.Setting, bool) {
	said := s.Setting(key)
	if said.Value == nil {
		return said, false
	}
	then, now := s.Before("model", said.Origin.Source+1), s.Setting("model")
	return said, then.Value == nil || serviceOf(then) == serviceOf(now)
}

func serviceOf(model config.Setting) string {
	name, _ := model.Value.(string)
	service, _, _ := strings.Cut(name, "/")
	return service
}

// controls are those of hybrid_auto.
func (s *settings) controls() route.Controls {
	var c route.Controls
	c.MaxLocalAttempts, _ = config.Get[int](s.Config, "hybrid_max_local_attempts")
	c.RemoteOnSchemaFail, _ = config.Get[bool](s.Config, "hybrid_remote_on_schema_fail")
	c.RemoteOnContextOverflow, _ = config.Get[bool](s.Config, "hybrid_remote_on_context_overflow")
	c.RemoteOnTimeoutMS, _ = config.Get[int](s.Config, "hybrid_remote_on_timeout_ms")
	return c
}

// conversation is how a conversation works, with the model that is chosen for it.
// What nobody has said is left to the session that goes on, or to the toolset.
func (s *settings) conversation(w *where) (redline.ConversationOptions, error) {
	o := redline.ConversationOptions{
		Mode: s.said("mode", config.HomeFile), Rules: s.rules(), Limits: s.limits(), Thinking: llm.Level(s.word("thinking")),
		SendMessage: chosen[bool](s, "send_message"), Session: w.session, Continue: w.again, File: w.file, Yes: w.yes,
	}
	o.Budget, _ = config.Get[float64](s.Config, "budget")
	least := config.HomeFile
	if o.Session != "" || o.Continue {
		least = config.Flags // the session has its own
	}
	o.Toolset, o.Review = s.said("toolset", least), s.said("review", least)
	var err error
	if o.SystemPrompt, err = s.systemPrompt(); err != nil {
		return o, err
	}
	o.Model, err = s.model()
	return o, err
}

// said is the word for a key, if a source from least on has said it.
func (s *settings) said(key string, least config.Source) string {
	if s.Setting(key).Origin.Source < least {
		return ""
	}
	return s.word(key)
}
