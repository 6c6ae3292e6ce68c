package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// AuditEntry is one call of a tool, or one decision of the user.
type AuditEntry struct {
	Seq        int             `json:"seq"`
	Time       time.Time       `json:"timestamp"`
	Session    string          `json:"session,omitempty"`
	Turn       string          `json:"turn,omitempty"`
	Action     string          `json:"action"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Result     AuditResult     `json:"result"`
	Error      string          `json:"error,omitempty"`
	Duration   time.Duration   `json:"duration_ns,omitempty"` // the tool's own; 0 if it did not run
	Previous   string          `json:"previous"`              // the hash of the entry before
	Hash       string          `json:"hash"`                  // of this entry without its hash
}

// AuditResult is how a call ended.
type AuditResult string

// The results.
const (
	AuditSuccess  AuditResult = "success"
	AuditError    AuditResult = "error"
	AuditRejected AuditResult = "rejected"
)

const auditRecords = "audit"

// Audit adds an entry to the log. Secrets in the parameters are left out, and of
// long texts all but the beginning: the log is never collected, and what was
// written to documents is in their history. Each entry holds the hash of the one before, so that an edit of the log shows.
func (l *Ledger) Audit(ctx context.Context, e AuditEntry) error {
	l.late.wait()
	return l.audit(ctx, e)
}

func (l *Ledger) audit(ctx context.Context, e AuditEntry) error {
	log, ok := l.store.(Appender)
	if !ok {
		return errors.New("the store keeps no audit log")
	}
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	e.Action, e.Parameters, e.Error = beginning(e.Action), Redact(e.Parameters), beginning(RedactText(e.Error))
	return log.Append(ctx, auditRecords, func(last Record) (Record, error) {
		e.Seq, e.Previous = 1, ""
		if last.ID != "" {
			var before AuditEntry
			if err := json.Unmarshal(last.Body, &before); err != nil {
				return Record{}, fmt.Errorf("audit entry %s: %w", last.ID, err)
			}
			e.Seq, e.Previous = before.Seq+1, before.Hash
		}
		e.Hash = e.sum()
		body, err := json.Marshal(e)
		if err != nil {
			return Record{}, err
		}
		return Record{Key: Key{auditRecords, fmt.Sprintf("%012d", e.Seq)}, Session: e.Session, State: string(e.Result), Time: e.Time, Body: body}, nil
	})
}

// sum is the hash of the entry without its hash.
func (e AuditEntry) sum() string {
	e.Hash = ""
	body, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("an audit entry that cannot be written: %v", err)) // its parameters were checked
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// AuditLog yields the entries, oldest first.
func (l *Ledger) AuditLog(ctx context.Context) iter.Seq2[AuditEntry, error] {
	return func(yield func(AuditEntry, error) bool) {
		l.late.wait()
		for r, err := range l.store.Load(ctx, Query{Kind: auditRecords}) {
			var e AuditEntry
			if err == nil {
				err = json.Unmarshal(r.Body, &e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// VerifyAudit checks the chain and says where it is broken.
func (l *Ledger) VerifyAudit(ctx context.Context) error {
	previous, seq := "", 0
	for e, err := range l.AuditLog(ctx) {
		if err != nil {
			return err
		}
		seq++
		switch {
		case e.Seq != seq:
			return fmt.Errorf("audit log: entry %d is missing", seq)
		case e.Previous != previous:
			return fmt.Errorf("audit log: entry %d does not follow on the one before", seq)
		case e.Hash != e.sum():
			return fmt.Errorf("audit log: entry %d was changed", seq)
		}
		previous = e.Hash
	}
	return nil
}

// ExportAudit writes the log as JSON, one entry a line.
func (l *Ledger) ExportAudit(ctx context.Context, w io.Writer) error {
	enc := json.NewEncoder(w)
	for e, err := range l.AuditLog(ctx) {
		if err == nil {
			err = enc.Encode(e)
		}
		if err != nil {
			return fmt.Errorf("export the audit log: %w", err)
		}
	}
	return nil
}

const (
	redacted    = "[redacted]"
	longestText = 2000 // bytes of a text in an entry
)

// beginning cuts a long text. Secrets must have been taken out before: half of
// one does not look like one. What is no UTF-8 is replaced, or the entry would
// not be read back as it was hashed.
func beginning(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= longestText {
		return s
	}
	n := longestText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… [%d bytes in all]", s[:n], len(s))
}

var (
	secretKey   = regexp.MustCompile(`(?i)(api[-_]?key|secret|passw|token|authorization|credential|private[-_]?key|cookie)`)
	secretValue = regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|xox[abprs]-[A-Za-z0-9-]{8,}|AKIA[0-9A-Z]{12,}|AIza[0-9A-Za-z_-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)`)
	assignment  = regexp.MustCompile(`(?i)\b([\w-]*(?:api[-_]?key|secret|passw(?:or)?d|token|credential)[\w-]*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s"',;&]+)`)
	bearer      = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`)
)

// Redact leaves secrets out of JSON, and of long texts all but the beginning, as the
// audit log does. What is no JSON becomes a string.
func Redact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		v = strings.ToValidUTF8(string(raw), "\ufffd")
	}
	out, err := json.Marshal(redactValue("", v))
	if err != nil {
		return json.RawMessage(`"` + redacted + `"`)
	}
	return out
}

// RedactText leaves out what looks like a secret inside a text.
func RedactText(s string) string {
	s = bearer.ReplaceAllString(secretValue.ReplaceAllString(s, redacted), redacted)
	return assignment.ReplaceAllString(s, "${1}"+redacted)
}

func redactValue(key string, v any) any {
	if secretKey.MatchString(key) {
		switch v.(type) {
		case map[string]any, []any:
			return redacted
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = redactValue(k, x)
		}
		return v
	case []any:
		for i, x := range v {
			v[i] = redactValue(key, x)
		}
		return v
	case string:
		if secretKey.MatchString(key) && v != "" && !strings.HasPrefix(v, "sha256:") {
			return redacted
		}
		return beginning(RedactText(v))
	}
	if secretKey.MatchString(key) && v != nil {
		if _, isBool := v.(bool); !isBool {
			return redacted
		}
	}
	return v
}
