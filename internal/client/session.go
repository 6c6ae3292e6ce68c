package client

import (
	"context"
	"net/url"

	"redline/internal/wire"
)

// Create makes a session, or goes on with the one that the options name.
func (c *Client) Create(ctx context.Context, o wire.SessionOptions) (wire.NewSession, error) {
	return post[wire.NewSession](ctx, c, "/api/agent/sessions", o)
}

// Session is a session with all of its state.
func (c *Client) Session(ctx context.Context, id string) (wire.Session, error) {
	return get[wire.Session](ctx, c, "/api/agent/sessions/"+part(id))
}

// Sessions lists the sessions of a folder; "" is the server's first.
func (c *Client) Sessions(ctx context.Context, folder string) ([]wire.SessionInfo, error) {
	path := "/api/agent/sessions"
	if folder != "" {
		path += "?" + url.Values{"folder": {folder}}.Encode()
	}
	list, err := get[wire.SessionList](ctx, c, path)
	return list.Sessions, err
}

// Archive puts a session away, or takes it out again.
func (c *Client) Archive(ctx context.Context, id string, away bool) error {
	return c.order(ctx, "/api/agent/sessions/"+part(id)+"/archive", wire.ArchiveRequest{Archived: away})
}
