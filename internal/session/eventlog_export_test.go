package session

// Held is how many jobs and sessions the log has something of in memory.
func (l *EventLog) Held() (jobs, sessions int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.jobs), len(l.sessions)
}
