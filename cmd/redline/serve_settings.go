package main

import (
	"cmp"
	"math"
	"time"

	"redline/internal/config"
	"redline/internal/session"
)

// hosting is what the configuration says about sessions and jobs that are kept.
type hosting struct {
	Limits          session.HostLimits
	RerunOnConflict bool
	Confirm         bool
}

func (s *settings) hosting() hosting {
	var h hosting
	h.RerunOnConflict, _ = config.Get[bool](s.Config, "rerun_on_conflict")
	h.Confirm, _ = config.Get[bool](s.Config, "confirm_before_edits")
	h.Limits = session.HostLimits{
		MaxSessions: s.most("max_sessions"), MaxJobsPerSession: s.most("max_jobs_per_session"), MaxEventsPerJob: s.most("max_events_per_job"),
		CompletedTTL: time.Duration(min(s.most("completed_ttl_hours"), longestHours)) * time.Hour,
	}
	return h
}

// longestHours are a century, which is for good.
const longestHours = 100 * 365 * 24

// most is a limit, whose 0 in the configuration is none: so many there never are.
func (s *settings) most(key string) int {
	n, _ := config.Get[int](s.Config, key)
	return cmp.Or(n, math.MaxInt32)
}

// listening is where and for whom a server listens.
type listening struct {
	Address string
	Token   string // "": a random one
	Clients []config.Client
	Poll    int // milliseconds
}

func (s *settings) listening() listening {
	l := listening{Address: s.word("listen")}
	token, _ := config.Get[config.Secret](s.Config, "token")
	l.Token = token.Reveal()
	l.Clients, _ = config.Get[[]config.Client](s.Config, "clients")
	l.Poll, _ = config.Get[int](s.Config, "poll_interval_ms")
	return l
}
