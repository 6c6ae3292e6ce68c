package client

import (
	"context"
	"net/url"
	"strconv"

	"redline/internal/wire"
)

func jobPath(id, rest string) string { return "/api/agent/jobs/" + part(id) + rest }

// Run starts a job, or queues it behind the one that is on.
func (c *Client) Run(ctx context.Context, r wire.RunRequest) (wire.NewJob, error) {
	return post[wire.NewJob](ctx, c, "/api/agent/run", r)
}

// Job is a job as it is now.
func (c *Client) Job(ctx context.Context, id string) (wire.Job, error) {
	return get[wire.Job](ctx, c, jobPath(id, ""))
}

// Events are the events of a job behind a cursor that are there now; limit 0: as many
// as the server gives at a time.
func (c *Client) Events(ctx context.Context, job string, after, limit int) (wire.JobEvents, error) {
	query := url.Values{"cursor": {strconv.Itoa(after)}}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[wire.JobEvents](ctx, c, jobPath(job, "/events?"+query.Encode()))
}

// Cancel ends a job.
func (c *Client) Cancel(ctx context.Context, job string) error {
	return c.order(ctx, jobPath(job, "/cancel"), nil)
}

// Resume goes on with a job whose program ended.
func (c *Client) Resume(ctx context.Context, job string) (wire.NewJob, error) {
	return post[wire.NewJob](ctx, c, jobPath(job, "/resume"), nil)
}

// Rerun repeats the request of a job on the fresh files, as a new job.
func (c *Client) Rerun(ctx context.Context, job string) (wire.NewJob, error) {
	return post[wire.NewJob](ctx, c, jobPath(job, "/rerun"), nil)
}

// Clarify answers the question of a job.
func (c *Client) Clarify(ctx context.Context, job string, r wire.ClarifyRequest) error {
	return c.order(ctx, jobPath(job, "/clarify"), r)
}

// Approve answers the request for an approval of a job.
func (c *Client) Approve(ctx context.Context, job string, r wire.ApproveRequest) error {
	return c.order(ctx, jobPath(job, "/approve"), r)
}

// Say tells something to a job that runs.
func (c *Client) Say(ctx context.Context, job string, r wire.SayRequest) error {
	return c.order(ctx, jobPath(job, "/messages"), r)
}

// Apply writes accepted hunks of a job to the disk, and rejects the others.
func (c *Client) Apply(ctx context.Context, r wire.ApplyRequest) (wire.ApplyReply, error) {
	return post[wire.ApplyReply](ctx, c, "/api/agent/apply", r)
}
