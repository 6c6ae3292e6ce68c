package jsonl

import (
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"redline/agent"
)

// Store is the session files of all projects below one folder:
// root/--path-to-project--/2025-10-12T10-00-00-000Z_uuid.jsonl.
type Store struct {
	root  string
	kinds agent.Kinds
}

// Open returns the store below root, which need not exist yet. kinds are the
// application's own messages; those that are not registered are kept as they are.
func Open(root string, kinds agent.Kinds) *Store { return &Store{root: root, kinds: kinds} }

// Create begins a session on the folder cwd. Its file appears with the first
// message, so that a session in which nothing was said leaves nothing behind.
// config is what the caller wants to find again, an object in JSON; fields with
// the name of a secret are left out and values with the form of a key covered.
func (s *Store) Create(cwd string, config any) (*Session, error) {
	return s.CreateAs(uuid.NewString(), cwd, config)
}

// CreateAs is Create for a session that has its id already: somebody knows it, though
// nothing was said in it yet.
func (s *Store) CreateAs(id, cwd string, config any) (*Session, error) {
	cwd, err := absolute(cwd)
	if err != nil {
		return nil, err
	}
	public, err := publicConfig(config)
	if err != nil {
		return nil, err
	}
	meta := Metadata{ID: id, Started: now(), CWD: cwd, Config: public}
	return &Session{meta: meta, path: s.path(meta)}, nil
}

// Resume opens a session to go on with it, after repairing what a crash left:
//
//   - the torn end of a last line moves to a file beside it
//   - a last line that only lacks its newline gets it
//   - calls without a result get one that says so, but for a question of the model
//     with which the session ends: it waits for its answer ([session.OpenQuestion])
//
// Nothing else is changed. While another process writes to the session, it
// fails with a [LockedError].
func (s *Store) Resume(path string) (*Session, *Record, error) {
	session := &Session{path: path}
	if err := session.open(); err != nil {
		return nil, nil, err
	}
	record, err := session.restore(s)
	if err != nil {
		session.Close()
		return nil, nil, err
	}
	return session, record, nil
}

// path is where the file of a session lies.
func (s *Store) path(m Metadata) string {
	return filepath.Join(s.root, projectName(m.CWD), fileName(m.Started, m.ID))
}

// now is the time to the millisecond, as names and metadata have it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
