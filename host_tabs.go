package redline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// The record of the documents that are open on the folder's page.
const (
	tabRecords = "tabs"
	tabID      = "open"
)

// mostTabs is how many documents can be open.
const mostTabs = 200

// Tabs are the documents that are open, in the order in which they were opened. One
// that is gone is not among them.
func (h *Host) Tabs(ctx context.Context) ([]wire.Tab, error) {
	tabs, _, err := h.tabs(ctx)
	return slices.DeleteFunc(tabs, func(t wire.Tab) bool { return !h.isFile(t.Path) }), err
}

// OpenTab opens a document; one that is open stays where it is.
func (h *Host) OpenTab(ctx context.Context, path string) ([]wire.Tab, error) {
	p, err := h.folder.files.Resolve(path, h.policy(""), workspace.Reading)
	if err != nil {
		return nil, err
	}
	switch info, err := h.folder.files.Stat(p); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &workspace.Error{Code: workspace.IsDirectory, Path: path}
	}
	return h.changeTabs(ctx, func(tabs []wire.Tab) ([]wire.Tab, error) {
		if slices.ContainsFunc(tabs, func(t wire.Tab) bool { return t.Path == p.String() }) {
			return tabs, nil
		}
		if len(tabs) >= mostTabs {
			return nil, wire.Errorf(wire.CodeInvalid, "%d documents are open: close some first", len(tabs))
		}
		return append(tabs, wire.Tab{Path: p.String(), Opened: time.Now().UTC()}), nil
	})
}

// CloseTab closes a document, also one that is gone.
func (h *Host) CloseTab(ctx context.Context, path string) ([]wire.Tab, error) {
	p, err := h.folder.files.Path(path)
	if err != nil {
		return nil, err
	}
	return h.changeTabs(ctx, func(tabs []wire.Tab) ([]wire.Tab, error) {
		open := len(tabs)
		tabs = slices.DeleteFunc(tabs, func(t wire.Tab) bool { return t.Path == p.String() })
		if len(tabs) == open {
			return nil, wire.Errorf(wire.CodeNotFound, "%s is not open", workspace.Display(path))
		}
		return tabs, nil
	})
}

// tabs are those on record, and the record.
func (h *Host) tabs(ctx context.Context) ([]wire.Tab, ledger.Record, error) {
	record := ledger.Record{Key: ledger.Key{Kind: tabRecords, ID: tabID}}
	tabs := []wire.Tab{}
	for r, err := range h.folder.store.Load(ctx, ledger.Query{Kind: tabRecords, ID: tabID}) {
		if err != nil {
			return nil, record, err
		}
		record = r
	}
	if record.Body != nil {
		if err := json.Unmarshal(record.Body, &tabs); err != nil {
			return nil, record, fmt.Errorf("the open documents: %w", err)
		}
	}
	return tabs, record, nil
}

// changeTabs changes the record. Another program may do so at the same time.
func (h *Host) changeTabs(ctx context.Context, change func([]wire.Tab) ([]wire.Tab, error)) ([]wire.Tab, error) {
	for {
		tabs, record, err := h.tabs(ctx)
		if err != nil {
			return nil, err
		}
		tabs = slices.DeleteFunc(tabs, func(t wire.Tab) bool { return !h.isFile(t.Path) })
		if tabs, err = change(tabs); err != nil {
			return nil, err
		}
		if record.Body, err = json.Marshal(tabs); err != nil {
			return nil, err
		}
		record.Time = time.Now()
		err = h.folder.store.Save(ctx, ledger.Batch{Records: []ledger.Record{record}, Lazy: true})
		if err == nil || !errors.Is(err, ledger.ErrVersion) {
			return tabs, err
		}
	}
}

// isFile tells whether a document is there.
func (h *Host) isFile(path string) bool {
	p, err := h.folder.files.Path(path)
	if err != nil {
		return false
	}
	info, err := h.folder.files.Stat(p)
	return err == nil && !info.IsDir()
}
