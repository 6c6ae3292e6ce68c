package route

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"redline/llm"
)

// Mode says which side answers.
type Mode string

const (
	Local      Mode = "local"
	Remote     Mode = "remote"
	HybridAuto Mode = "hybrid_auto" // local first, remote when that does not do
)

// Side is a model and how it is reached.
type Side struct {
	Provider llm.Provider
	Model    llm.Model // takes the place of the one in the request
}

// Config is what a Router needs. A side that the mode never asks may be empty;
// so may the remote side of hybrid_auto, which then stays local and says so.
type Config struct {
	Mode     Mode
	Local    Side
	Remote   Side
	Controls Controls // of hybrid_auto; start with DefaultControls
}

// Controls say when hybrid_auto leaves the local model.
type Controls struct {
	// MaxLocalAttempts is how many attempts in a row may fail before the job
	// leaves: answers with an invalid schema, and requests that failed.
	MaxLocalAttempts int `json:"hybrid_max_local_attempts"`
	// RemoteOnSchemaFail makes an invalid schema a failed attempt.
	RemoteOnSchemaFail bool `json:"hybrid_remote_on_schema_fail"`
	// RemoteOnContextOverflow leaves when the conversation is, or is estimated
	// to be, larger than the local model's context window.
	RemoteOnContextOverflow bool `json:"hybrid_remote_on_context_overflow"`
	// RemoteOnTimeoutMS is how long a local step may take, in milliseconds. 0:
	// as long as it likes, and no timeout leads to remote.
	RemoteOnTimeoutMS int `json:"hybrid_remote_on_timeout_ms"`
	// StrictLocalOnly forbids remote, whatever happens. The local model must
	// then be one that runs on the user's own machine.
	StrictLocalOnly bool `json:"strict_local_only"`
}

// DefaultControls are two attempts, all reasons to leave, two minutes for a
// step. Reading JSON into them keeps those that it does not name.
func DefaultControls() Controls {
	return Controls{MaxLocalAttempts: 2, RemoteOnSchemaFail: true, RemoteOnContextOverflow: true, RemoteOnTimeoutMS: 120_000}
}

// Router answers the steps of one conversation. It may be used by several
// goroutines at once.
type Router struct {
	config Config
	mu     sync.Mutex
	job    *job
}

// Format prints the mode and the two models, and no more: package fmt would
// print the keys that lie inside of the providers.
func (r *Router) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "%s: local %s, remote %s", r.config.Mode, r.config.Local.Model.Name(), r.config.Remote.Model.Name())
}

var (
	_ llm.Provider = (*Router)(nil)
	_ llm.Observer = (*Router)(nil)
)

// New makes a Router that begins with a new job.
func New(c Config) (*Router, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("routing: %w", err)
	}
	return &Router{config: c, job: new(job)}, nil
}

func (c Config) check() error {
	switch c.Mode {
	case Local, Remote, HybridAuto:
	default:
		return fmt.Errorf("unknown mode %q: use local, remote or hybrid_auto", c.Mode)
	}
	switch {
	case c.Mode != Remote && !c.Local.there():
		return fmt.Errorf("mode %s needs a local model", c.Mode)
	case c.Mode == Remote && c.Controls.StrictLocalOnly:
		return errors.New("mode remote contradicts strict_local_only: choose local or hybrid_auto, or unset it")
	case c.Mode == Remote && !c.Remote.there():
		return errors.New("mode remote needs a remote model")
	case c.Controls.StrictLocalOnly && !c.Local.Model.Local:
		return fmt.Errorf("strict_local_only is set, but model %s is not known to run on this machine: set local: true for it in the configuration if it does", c.Local.Model.Name())
	case c.Mode == HybridAuto && c.Controls.MaxLocalAttempts < 1:
		return fmt.Errorf("hybrid_max_local_attempts is %d: use 1 or more", c.Controls.MaxLocalAttempts)
	case c.Controls.RemoteOnTimeoutMS < 0:
		return fmt.Errorf("hybrid_remote_on_timeout_ms is %d: use 0 for no limit, or more", c.Controls.RemoteOnTimeoutMS)
	}
	return nil
}

func (s Side) there() bool { return s.Provider != nil && s.Model.ID != "" }

// barred says why remote cannot be asked, and is empty if it can.
func (c Config) barred() string {
	switch {
	case c.Controls.StrictLocalOnly:
		return "strict_local_only is set"
	case !c.Remote.there():
		return "no remote model is configured"
	}
	return ""
}

// limit is how long a local step may take; 0: no limit.
func (c Config) limit() time.Duration {
	if c.Mode != HybridAuto || c.barred() != "" {
		return 0
	}
	return time.Duration(c.Controls.RemoteOnTimeoutMS) * time.Millisecond
}

// NewJob returns to the local model for what comes next. A step that is still
// running counts for the job in which it began.
func (r *Router) NewJob() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.job = new(job)
}
