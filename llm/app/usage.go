package app

import (
	"maps"
	"sync"
	"time"

	"redline/llm"
)

// Record is what one request took.
type Record struct {
	Account string         `json:"account"`
	Model   string         `json:"model"`             // the one that answered, provider/model
	Usage   llm.Usage      `json:"usage"`             // of all attempts, also those that were void
	CostUSD *float64       `json:"costUSD,omitempty"` // nil: the price is not known
	Began   time.Time      `json:"began"`
	Took    time.Duration  `json:"tookNs"`
	Stop    llm.StopReason `json:"stopReason"`      // aborted: the client went away
	Class   llm.Class      `json:"class,omitempty"` // of the failure, if it failed
}

// meter makes the record of one request out of its events.
type meter struct {
	track  func(Record)
	record Record
	began  time.Time
	parts  int // attempts that said what they took
	ended  bool
}

func (m *meter) add(ev llm.Event) {
	if ev.Reply == nil || ev.Type != llm.EventRestart && ev.Type != llm.EventDone {
		return
	}
	m.charge(ev.Reply)
	if ev.Type == llm.EventRestart {
		return
	}
	m.record.Stop = ev.Reply.Stop
	if ev.Reply.Failure != nil {
		m.record.Class = ev.Reply.Failure.Class
	}
	if ev.Reply.Model != "" {
		m.record.Model = llm.Model{Provider: ev.Reply.Provider, ID: ev.Reply.Model}.Name()
	}
	m.end()
}

// charge adds what an attempt took. If the cost of one is not known, that of all
// is not.
func (m *meter) charge(r *llm.Reply) {
	m.record.Usage = m.record.Usage.Add(r.Usage)
	switch sum := m.record.CostUSD; {
	case m.parts == 0:
		m.record.CostUSD = r.CostUSD
	case sum == nil || r.CostUSD == nil:
		m.record.CostUSD = nil
	default:
		both := *sum + *r.CostUSD
		m.record.CostUSD = &both
	}
	m.parts++
}

// end tells the record, the first time it is called.
func (m *meter) end() {
	if m.ended {
		return
	}
	m.ended = true
	m.record.Began, m.record.Took = m.began, time.Since(m.began)
	if m.track != nil {
		m.track(m.record)
	}
}

// Usage adds up records by account, in memory. The zero Usage is ready; it may be
// used by several goroutines at once.
type Usage struct {
	mu     sync.Mutex
	totals map[string]Total
}

// Total is what all requests of an account took.
type Total struct {
	Requests int           `json:"requests"`
	Failed   int           `json:"failed"`
	Aborted  int           `json:"aborted"`
	Usage    llm.Usage     `json:"usage"`
	CostUSD  float64       `json:"costUSD"`
	Unpriced int           `json:"unpriced"` // requests whose cost is not known
	Took     time.Duration `json:"tookNs"`
}

// Track adds a record. It is made to be Config.Track.
func (u *Usage) Track(r Record) {
	u.mu.Lock()
	defer u.mu.Unlock()
	t := u.totals[r.Account]
	t.Requests++
	switch r.Stop {
	case llm.StopError:
		t.Failed++
	case llm.StopAborted:
		t.Aborted++
	}
	t.Usage = t.Usage.Add(r.Usage)
	if r.CostUSD == nil {
		t.Unpriced++
	} else {
		t.CostUSD += *r.CostUSD
	}
	t.Took += r.Took
	if u.totals == nil {
		u.totals = map[string]Total{}
	}
	u.totals[r.Account] = t
}

// Account is what one account took.
func (u *Usage) Account(name string) Total {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.totals[name]
}

// Accounts is what every account took that asked anything.
func (u *Usage) Accounts() map[string]Total {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.totals)
}
