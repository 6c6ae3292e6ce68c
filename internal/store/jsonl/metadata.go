package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Metadata is what the first line says of a session.
type Metadata struct {
	ID          string          `json:"id"`
	Started     time.Time       `json:"timestamp"`
	CWD         string          `json:"cwd"`
	Config      json.RawMessage `json:"config,omitempty"`      // the caller's, without its secrets
	Parent      string          `json:"parent,omitempty"`      // the session that this one was forked from
	ParentIndex *int            `json:"parentIndex,omitempty"` // the last message taken from it
}

const (
	typeMetadata = "metadata"
	typeMessage  = "message"
)

// line is the metadata as it stands in the file.
func (m Metadata) line() ([]byte, error) {
	out := struct {
		Type string `json:"type"`
		Metadata
	}{typeMetadata, m}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("metadata of session %s: %w", m.ID, err)
	}
	return append(data, '\n'), nil
}

// Model is the model that the config names, or "".
func (m Metadata) Model() string {
	var config struct {
		Model json.RawMessage `json:"model"`
	}
	if json.Unmarshal(m.Config, &config) != nil {
		return ""
	}
	var name string
	if json.Unmarshal(config.Model, &name) == nil {
		return name
	}
	var model struct {
		ID       string `json:"id"`
		Provider string `json:"provider"`
	}
	if json.Unmarshal(config.Model, &model) != nil || model.ID == "" {
		return ""
	}
	if model.Provider == "" {
		return model.ID
	}
	return model.Provider + "/" + model.ID
}

// publicConfig is a config as JSON, without what looks like a secret.
func publicConfig(config any) (json.RawMessage, error) {
	data, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("config of the session: %w", err)
	}
	var value any
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber() // as they are written
	if err := numbers.Decode(&value); err != nil {
		return nil, fmt.Errorf("config of the session: %w", err)
	}
	switch value.(type) {
	case nil:
		return json.RawMessage("{}"), nil
	case map[string]any:
	default:
		return nil, fmt.Errorf("config of the session: a %T is not an object in JSON", config)
	}
	return json.Marshal(withoutSecrets(value))
}
