package redline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
	"redline/internal/text"
	"redline/internal/workspace"
)

// ConfigPath is where a folder has its own configuration.
const ConfigPath = ".redline/config.toml"

// largestConfig is how many bytes a configuration may have.
const largestConfig = 1 << 20

// FolderConfig is the configuration that a folder brings along. The folder may
// come from anywhere, so what it says counts in full only if the user trusts it.
type FolderConfig struct {
	Data []byte
	Hash string // of the data, which is what is trusted
}

// ReadFolderConfig reads the configuration of a folder. It is nil if there is none.
func ReadFolderConfig(dir string) (*FolderConfig, error) {
	folder, err := workspace.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	defer folder.Close()
	path := workspace.MustPath(ConfigPath)
	info, err := folder.Stat(path)
	if errors.Is(err, workspace.NotFound) || errors.Is(err, workspace.NotDirectory) {
		return nil, nil
	}
	wrong := "make it a file that can be read, or remove it"
	switch {
	case err != nil:
		return nil, fmt.Errorf("the folder's configuration cannot be read: %w; %s", err, wrong)
	case !info.IsRegular():
		return nil, fmt.Errorf("the folder's configuration, %s, is not a file; %s", ConfigPath, wrong)
	case info.Size > largestConfig:
		return nil, fmt.Errorf("the folder's configuration, %s, is larger than 1 MiB; make it smaller, or remove it", ConfigPath)
	}
	s, err := folder.Read(path)
	if err != nil {
		return nil, fmt.Errorf("the folder's configuration cannot be read: %w; %s", err, wrong)
	}
	return &FolderConfig{Data: s.Data, Hash: text.Sum(s.Data).String()}, nil
}

// The record of what the user trusts. The state that it is part of belongs to one
// folder, by an identity that no other folder has.
const (
	trustRecords = "trust"
	trustID      = "config"
)

type trustBody struct {
	Hash string    `json:"hash"` // of the configuration; "": none is trusted
	Time time.Time `json:"time"`
}

// Trusted tells whether the user trusts this configuration of the folder.
func Trusted(ctx context.Context, dir string, o Options, c *FolderConfig) (bool, error) {
	_, state, err := statePlace(resolved(dir), o)
	if err != nil {
		return false, err
	}
	file := stateFile(state)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return false, nil // nothing is known of the folder
	}
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return false, err
	}
	_, body, err := loadTrust(ctx, store)
	return err == nil && body.Hash != "" && body.Hash == c.Hash, errors.Join(err, store.Close())
}

// Trust makes the configuration of the folder count in full, as it is now: if it
// changes, it has to be trusted again.
func Trust(ctx context.Context, dir string, o Options, c *FolderConfig) error {
	return saveTrust(ctx, dir, o, trustBody{Hash: c.Hash, Time: time.Now().UTC()})
}

// Revoke ends the trust in the configuration of the folder.
func Revoke(ctx context.Context, dir string, o Options) error {
	return saveTrust(ctx, dir, o, trustBody{Time: time.Now().UTC()})
}

func saveTrust(ctx context.Context, dir string, o Options, body trustBody) error {
	_, state, err := statePlace(resolved(dir), o)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, stateFile(state))
	if err != nil {
		return err
	}
	for {
		err = writeTrust(ctx, store, body)
		if !errors.Is(err, ledger.ErrVersion) { // the last one to speak is heard
			return errors.Join(err, store.Close())
		}
	}
}

func writeTrust(ctx context.Context, store ledger.Store, body trustBody) error {
	record, _, err := loadTrust(ctx, store)
	if err != nil {
		return err
	}
	record.Key, record.Time = ledger.Key{Kind: trustRecords, ID: trustID}, body.Time
	if record.Body, err = json.Marshal(body); err != nil {
		return err
	}
	return store.Save(ctx, ledger.Batch{Records: []ledger.Record{record}})
}

// loadTrust is the record as it is now, which may be none.
func loadTrust(ctx context.Context, store ledger.Store) (r ledger.Record, body trustBody, err error) {
	for r, err = range store.Load(ctx, ledger.Query{Kind: trustRecords, ID: trustID}) {
		if err != nil {
			return r, body, fmt.Errorf("look up what is trusted: %w", err)
		}
		return r, body, json.Unmarshal(r.Body, &body)
	}
	return r, body, nil
}

func stateFile(state string) string { return filepath.Join(state, "redline.db") }

// resolved is the folder by its real name, if it has one.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}
