package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/internal/ledger"
	"redline/internal/text"
)

// blob is a content on its way into the database.
type blob struct {
	hash    text.Hash
	content []byte
	packed  packed // data is nil while it is believed to be there
	seen    int64  // the generation it was seen in, or -1
	id      int64  // of its row in contents
}

// Blob returns the content with that hash, checked against it. A content that
// does not match is damage, and makes the store read-only.
func (s *Store) Blob(ctx context.Context, h text.Hash) ([]byte, error) {
	if s.readers == nil {
		return nil, fmt.Errorf("read %s: %w: %w", h, ledger.ErrNoBlob, s.ReadOnly())
	}
	content, err := s.readers.blob(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", h, s.explainRead(err))
	}
	return content, nil
}

// blob looks at ctx only before it begins: a query that can be interrupted costs
// as much again as the reading. A join would be parsed anew for each hash.
func (r *readers) blob(ctx context.Context, h text.Hash) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rows, err := r.query(context.Background(),
		"SELECT size, codec, (SELECT data FROM contents WHERE id = blobs.content) FROM blobs WHERE hash = ?", h[:])
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, ledger.ErrNoBlob
	}
	var p packed
	var data sql.RawBytes
	if err := rows.Scan(&p.size, &p.codec, &data); err != nil {
		return nil, errors.Join(rows.Err(), err)
	}
	p.data = data
	content, err := p.unpack()
	if err != nil {
		return nil, err
	}
	if text.Sum(content) != h {
		return nil, &damage{"a content does not match its hash"}
	}
	return content, rows.Close()
}

// readBlobs hashes the contents, drops doubles, finds out which of them the
// database has, and packs the others. All of that needs no lock.
func (s *Store) readBlobs(ctx context.Context, contents [][]byte) ([]blob, error) {
	for _, content := range contents {
		if len(content) > maxContent {
			return nil, fmt.Errorf("a content of %d bytes is too large, the limit is %d", len(content), maxContent)
		}
	}
	blobs := make([]blob, len(contents))
	if err := inParallel(ctx, len(blobs), func(i int) {
		blobs[i] = blob{hash: text.Sum(contents[i]), content: contents[i], seen: -1}
	}); err != nil {
		return nil, err
	}
	blobs = distinct(blobs)
	if err := s.readers.find(ctx, blobs); err != nil {
		return nil, err
	}
	return blobs, inParallel(ctx, len(blobs), func(i int) {
		if b := &blobs[i]; b.seen < 0 {
			b.packed = pack(b.content)
		}
	})
}

// distinct keeps the first of equal blobs, in order.
func distinct(blobs []blob) []blob {
	known := make(map[text.Hash]bool, len(blobs))
	return slices.DeleteFunc(blobs, func(b blob) bool {
		double := known[b.hash]
		known[b.hash] = true
		return double
	})
}

// findRows is how many hashes one query looks for.
const findRows = 64

// find sets in which generation the blobs that are there were saved.
func (r *readers) find(ctx context.Context, blobs []blob) error {
	at := make(map[text.Hash]*blob, findRows)
	for chunk := range slices.Chunk(blobs, findRows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(at)
		args := make([]any, findRows)
		for i := range args { // the last hash fills the list up
			b := &chunk[min(i, len(chunk)-1)]
			at[b.hash] = b
			args[i] = b.hash[:]
		}
		rows, err := r.query(context.Background(), findQuery, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
			var hash sql.RawBytes
			var generation int64
			if err := rows.Scan(&hash, &generation); err != nil {
				return errors.Join(err, rows.Close())
			}
			if b := at[hashOf(hash)]; b != nil {
				b.seen = generation
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

var findQuery = "SELECT hash, generation FROM blobs WHERE hash IN (" + list("?", findRows) + ")"

// insertRows is how many rows one statement inserts.
const insertRows = 32

// putBlobs makes sure that all blobs are there and carry the current
// generation.
func (w *writer) putBlobs(ctx context.Context, blobs []blob) error {
	if len(blobs) == 0 {
		return nil
	}
	var generation, last int64
	if err := w.row("SELECT number, (SELECT coalesce(max(id), 0) FROM contents) FROM generation", nil, &generation, &last); err != nil {
		return err
	}
	var missing []*blob
	for i := range blobs {
		b := &blobs[i]
		there, err := w.renew(b, generation)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if b.packed.data == nil { // collected after it was seen
			b.packed = pack(b.content)
		}
		last++
		b.id = last
		missing = append(missing, b)
	}
	missing, err := w.insertBlobs(ctx, missing, generation)
	if err != nil {
		return err
	}
	return w.insertContents(ctx, missing)
}

// renew tells whether the blob is there, and is safe from a collection that has
// begun: one that has the current generation can be deleted by no one.
func (w *writer) renew(b *blob, generation int64) (there bool, err error) {
	if b.seen < 0 || b.seen == generation {
		return b.seen >= 0, nil
	}
	n, err := w.exec("UPDATE blobs SET generation = ? WHERE hash = ?", generation, b.hash[:])
	return n > 0, err
}

// insertBlobs returns those whose contents are to be inserted as well. It goes
// in the order of the table, which is faster for large batches.
func (w *writer) insertBlobs(ctx context.Context, blobs []*blob, generation int64) ([]*blob, error) {
	sorted := slices.SortedFunc(slices.Values(blobs), func(a, b *blob) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	lost := map[*blob]bool{}
	args := make([]any, 0, 6*insertRows)
	for chunk := range slices.Chunk(sorted, insertRows) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		args = args[:0]
		for _, b := range chunk {
			args = append(args, b.hash[:], b.packed.size, len(b.packed.data), b.packed.codec, generation, b.id)
		}
		n, err := w.exec("INSERT INTO blobs (hash, size, stored, codec, generation, content) VALUES "+
			list("(?,?,?,?,?,?)", len(chunk))+" ON CONFLICT DO NOTHING", args...)
		if err != nil {
			return nil, err
		}
		if n < int64(len(chunk)) { // somebody else saved some of them meanwhile
			if err := w.findLost(chunk, generation, lost); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(blobs, func(b *blob) bool { return lost[b] }), nil
}

// findLost notes which of the blobs have the content of another.
func (w *writer) findLost(blobs []*blob, generation int64, lost map[*blob]bool) error {
	for _, b := range blobs {
		var content int64
		if err := w.row("SELECT content FROM blobs WHERE hash = ?", []any{b.hash[:]}, &content); err != nil {
			return err
		}
		if content == b.id {
			continue
		}
		lost[b] = true
		if _, err := w.exec("UPDATE blobs SET generation = ? WHERE hash = ?", generation, b.hash[:]); err != nil {
			return err
		}
	}
	return nil
}

// notNull is data as a value of the database, where nil is NULL.
func notNull(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

func (w *writer) insertContents(ctx context.Context, blobs []*blob) error {
	args := make([]any, 0, 2*insertRows)
	for chunk := range slices.Chunk(blobs, insertRows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		args = args[:0]
		for _, b := range chunk {
			args = append(args, b.id, notNull(b.packed.data))
			w.unmerged += int64(len(b.packed.data))
		}
		if _, err := w.exec("INSERT INTO contents (id, data) VALUES "+list("(?,?)", len(chunk)), args...); err != nil {
			return err
		}
	}
	return nil
}

// hashOf is the hash in a column, or the zero one, which no content has.
func hashOf(column []byte) (h text.Hash) {
	if len(column) == len(h) {
		h = text.Hash(column)
	}
	return h
}

// list repeats an element of an SQL list.
func list(element string, n int) string { return strings.Repeat(element+",", n-1) + element }
