package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/text"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// store is what the contract is about. The tests of the contract know nothing
// else of it.
type store interface {
	ledger.Store
	ledger.Appender
	ledger.Collector
}

// contract is what every store of the ledger does. open returns a new, empty
// store, which the test's cleanup closes.
func contract(t *testing.T, open func(t *testing.T) store) {
	for name, test := range map[string]func(*testing.T, store){
		"blobs come back":                      blobsComeBack,
		"records come back":                    recordsComeBack,
		"nothing is shared with the caller":    nothingShared,
		"versions are checked":                 versionsChecked,
		"a failed batch leaves nothing":        failedBatch,
		"queries":                              queries,
		"queries agree with a model":           queriesModel,
		"saving inside a loop":                 saveInLoop,
		"leaving a loop":                       leaveLoop,
		"large records":                        largeRecords,
		"append":                               appendChain,
		"append that fails":                    appendFails,
		"appends at once":                      appendsAtOnce,
		"saves at once":                        savesAtOnce,
		"collect":                              collect,
		"collect spares what is saved again":   collectSpares,
		"collect beside saves":                 collectBesideSaves,
		"a context that has ended":             endedContext,
		"a context that ends inside an append": endedInside,
		"large and many blobs":                 largeAndMany,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func save(t *testing.T, s ledger.Store, b ledger.Batch) {
	t.Helper()
	if err := s.Save(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s ledger.Store, q ledger.Query) []ledger.Record {
	t.Helper()
	return all(t, s.Load(t.Context(), q))
}

func all(t *testing.T, seq iter.Seq2[ledger.Record, error]) (records []ledger.Record) {
	t.Helper()
	for r, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func ids(records []ledger.Record) (ids []string) {
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}

func record(kind, id string) ledger.Record {
	return ledger.Record{Key: ledger.Key{Kind: kind, ID: id}, Body: []byte(`{"id":"` + id + `"}`)}
}

func wantRecords(t *testing.T, what any, got, want []ledger.Record) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b ledger.Record) bool {
		return a.Key == b.Key && a.Session == b.Session && a.State == b.State && a.Version == b.Version &&
			a.Time.Equal(b.Time) && bytes.Equal(a.Body, b.Body)
	}) {
		t.Fatalf("%+v:\n%s", what, cmp.Diff(want, got, cmpopts.EquateEmpty()))
	}
}

func usage(t *testing.T, s ledger.Collector) ledger.Usage {
	t.Helper()
	u, err := s.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// wantBlob reads a content and compares it.
func wantBlob(t *testing.T, s ledger.Store, content []byte) {
	t.Helper()
	got, err := s.Blob(t.Context(), text.Sum(content))
	if err != nil {
		t.Errorf("content %.20q: %v", content, err)
	} else if !bytes.Equal(got, content) {
		t.Errorf("content %.20q came back as %.20q", content, got)
	}
}

func wantNoBlob(t *testing.T, s ledger.Store, content []byte) {
	t.Helper()
	if _, err := s.Blob(t.Context(), text.Sum(content)); !errors.Is(err, ledger.ErrNoBlob) {
		t.Errorf("content %.20q: %v instead of ErrNoBlob", content, err)
	}
}

func noise(i, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(i), byte(i >> 8), byte(i >> 16)}).Read(b)
	return b
}

func blobsComeBack(t *testing.T, s store) {
	contents := [][]byte{nil, []byte("a"), []byte("line\r\nline"), {0}, bytes.Repeat([]byte("abc "), 5000), noise(1, 100_000)}
	for i := range 200 {
		contents = append(contents, note(i, 4096))
	}
	for _, c := range contents {
		wantNoBlob(t, s, c)
	}
	save(t, s, ledger.Batch{Blobs: contents})
	before := usage(t, s)
	save(t, s, ledger.Batch{Blobs: append(contents[3:], contents...), Lazy: true}) // again, and doubles
	for _, c := range contents {
		wantBlob(t, s, c)
	}
	if after := usage(t, s); after.Blobs != len(contents) || after.BlobBytes != before.BlobBytes {
		t.Errorf("%d contents are stored as %+v, before they were saved again as %+v", len(contents), after, before)
	}
	if sum := int64(len(bytes.Join(contents, nil))); before.BlobBytes >= sum {
		t.Errorf("%d bytes of text take %d bytes", sum, before.BlobBytes)
	}
	if _, err := s.Blob(t.Context(), text.Hash{}); !errors.Is(err, ledger.ErrNoBlob) {
		t.Errorf("no content at all: %v", err)
	}
}

func recordsComeBack(t *testing.T, s store) {
	records := []ledger.Record{
		{Key: ledger.Key{Kind: "turn", ID: "1"}},
		{Key: ledger.Key{Kind: "turn", ID: "a 'b' \"c\" %_\x00é"}, Session: "ü", State: "pending",
			Time: time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.FixedZone("x", 3600)), Body: []byte(`{}`)},
		{Key: ledger.Key{Kind: "checkpoint", ID: "1"}, Body: bytes.Repeat([]byte(`{"a":1}`), 10_000)},
		{Key: ledger.Key{Kind: "bytes", ID: "\xff\xfe"}, Body: noise(1, 5000)},
	}
	save(t, s, ledger.Batch{Records: records})
	for i := range records {
		records[i].Version = 1
	}
	wantRecords(t, "all", load(t, s, ledger.Query{}), records)
	for _, r := range records {
		wantRecords(t, r.Key, load(t, s, ledger.Query{Kind: r.Kind, ID: r.ID}), []ledger.Record{r})
	}
	if u := usage(t, s); u.Records != len(records) || u.DiskBytes <= 0 {
		t.Errorf("usage %+v", u)
	}
	far := record("turn", "far")
	far.Time = time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, bad := range []ledger.Record{record("", "1"), record("turn", ""), far} {
		if err := s.Save(t.Context(), ledger.Batch{Records: []ledger.Record{bad}}); err == nil {
			t.Errorf("%v was saved", bad.Key)
		}
	}
}

func nothingShared(t *testing.T, s store) {
	content, body := noise(1, 50), noise(2, 50)
	r := record("turn", "1")
	r.Body = slices.Clone(body)
	ours := slices.Clone(content)
	save(t, s, ledger.Batch{Blobs: [][]byte{ours}, Records: []ledger.Record{r}})
	clear(ours)
	clear(r.Body)
	for range 2 {
		wantBlob(t, s, content)
		got, _ := s.Blob(t.Context(), text.Sum(content))
		clear(got)
		loaded := load(t, s, ledger.Query{})
		if !bytes.Equal(loaded[0].Body, body) {
			t.Error("the body changed")
		}
		clear(loaded[0].Body)
	}
}

func versionsChecked(t *testing.T, s store) {
	r := record("turn", "1")
	save(t, s, ledger.Batch{Records: []ledger.Record{r}})
	for version := 1; version <= 3; version++ {
		for _, wrong := range []int{0, version - 1, version + 1} {
			r.Version = wrong
			if err := s.Save(t.Context(), ledger.Batch{Records: []ledger.Record{r}}); !errors.Is(err, ledger.ErrVersion) {
				t.Errorf("version %d over %d: %v", wrong, version, err)
			}
		}
		r.Version, r.State = version, fmt.Sprint("state ", version)
		save(t, s, ledger.Batch{Records: []ledger.Record{r}})
		got := load(t, s, ledger.Query{})
		if len(got) != 1 || got[0].Version != version+1 || got[0].State != r.State {
			t.Fatalf("after %d: %+v", version, got)
		}
	}
	ghost := record("turn", "2")
	ghost.Version = 1
	if err := s.Save(t.Context(), ledger.Batch{Records: []ledger.Record{ghost}}); !errors.Is(err, ledger.ErrVersion) {
		t.Errorf("a record that is not there: %v", err)
	}
	twice := []ledger.Record{record("turn", "3"), record("turn", "3")}
	twice[1].Version = 1
	save(t, s, ledger.Batch{Records: twice})
	if got := load(t, s, ledger.Query{ID: "3"}); len(got) != 1 || got[0].Version != 2 {
		t.Errorf("twice in one batch: %+v", got)
	}
}

func failedBatch(t *testing.T, s store) {
	save(t, s, ledger.Batch{Records: []ledger.Record{record("turn", "1")}})
	batch := ledger.Batch{
		Blobs:   [][]byte{[]byte("lost")},
		Records: []ledger.Record{record("turn", "2"), record("turn", "1"), record("turn", "3")},
	}
	if err := s.Save(t.Context(), batch); !errors.Is(err, ledger.ErrVersion) {
		t.Fatal(err)
	}
	wantNoBlob(t, s, []byte("lost"))
	if got := ids(load(t, s, ledger.Query{})); !slices.Equal(got, []string{"1"}) {
		t.Errorf("records %q", got)
	}
	batch.Records = batch.Records[:1]
	save(t, s, batch)
	wantBlob(t, s, []byte("lost"))
}

func queries(t *testing.T, s store) {
	add := func(kind, id, session, state string) {
		r := record(kind, id)
		r.Session, r.State = session, state
		save(t, s, ledger.Batch{Records: []ledger.Record{r}, Lazy: true})
	}
	add("turn", "a", "s1", "pending")
	add("turn", "b", "s2", "accepted")
	add("checkpoint", "a", "s1", "")
	add("turn", "d", "s1", "rejected")
	add("turn", "e", "s1", "pending")
	changed := load(t, s, ledger.Query{Kind: "turn", ID: "a"})[0]
	changed.State = "accepted" // does not change its place
	save(t, s, ledger.Batch{Records: []ledger.Record{changed}})

	for _, c := range []struct {
		q    ledger.Query
		want []string
	}{
		{ledger.Query{}, []string{"a", "b", "a", "d", "e"}},
		{ledger.Query{Newest: true}, []string{"e", "d", "a", "b", "a"}},
		{ledger.Query{Newest: true, Limit: 2}, []string{"e", "d"}},
		{ledger.Query{Limit: 2}, []string{"a", "b"}},
		{ledger.Query{Limit: 99}, []string{"a", "b", "a", "d", "e"}},
		{ledger.Query{Kind: "turn"}, []string{"a", "b", "d", "e"}},
		{ledger.Query{Kind: "turn", Limit: 1, Newest: true}, []string{"e"}},
		{ledger.Query{ID: "a"}, []string{"a", "a"}},
		{ledger.Query{ID: "a", Kind: "checkpoint"}, []string{"a"}},
		{ledger.Query{ID: "a", Session: "s2"}, nil},
		{ledger.Query{Session: "s1"}, []string{"a", "a", "d", "e"}},
		{ledger.Query{Session: "s1", Kind: "turn", States: []string{"pending", "rejected"}}, []string{"d", "e"}},
		{ledger.Query{States: []string{"accepted", "pending"}}, []string{"a", "b", "e"}},
		{ledger.Query{States: []string{"accepted", "pending"}, Newest: true, Limit: 2}, []string{"e", "b"}},
		{ledger.Query{States: []string{""}}, []string{"a"}},
		{ledger.Query{States: []string{"pending", "pending"}}, []string{"e"}},
		{ledger.Query{Kind: "turn", States: []string{"accepted"}}, []string{"a", "b"}},
		{ledger.Query{Kind: "none"}, nil},
	} {
		if got := ids(load(t, s, c.q)); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q instead of %q", c.q, got, c.want)
		}
	}
}

// queriesModel saves, changes and removes at random and compares random queries
// with a list.
func queriesModel(t *testing.T, s store) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	var model []ledger.Record
	for range 40 {
		var batch ledger.Batch
		batch.Lazy = true
		for range rng.IntN(20) {
			r := record(pick("k1", "k2", "k3"), fmt.Sprint(rng.IntN(60)))
			i := slices.IndexFunc(model, func(m ledger.Record) bool { return m.Key == r.Key })
			r.Session, r.State, r.Body = pick("", "s1", "s2"), pick("", "a", "b", "c"), note(rng.IntN(1000), 500)
			if i >= 0 {
				r.Version = model[i].Version
			}
			batch.Records = append(batch.Records, r)
			r.Version++
			if i >= 0 {
				model[i] = r
			} else {
				model = append(model, r)
			}
		}
		save(t, s, batch)
		if rng.IntN(5) == 0 && len(model) > 0 {
			i := rng.IntN(len(model))
			if _, err := s.Collect(t.Context(), []ledger.Key{model[i].Key}, func(text.Hash) bool { return false }); err != nil {
				t.Fatal(err)
			}
			model = slices.Delete(model, i, i+1)
		}
		for range 10 {
			q := ledger.Query{Kind: pick("", "", "k1", "k3"), Session: pick("", "", "s1"), Newest: rng.IntN(2) == 0}
			q.ID = pick("", "", "", fmt.Sprint(rng.IntN(60)))
			q.Limit = rng.IntN(3) * rng.IntN(20)
			for range rng.IntN(3) {
				q.States = append(q.States, pick("", "a", "b"))
			}
			wantRecords(t, q, load(t, s, q), answer(model, q))
		}
	}
}

// answer is the obvious way to query.
func answer(model []ledger.Record, q ledger.Query) (found []ledger.Record) {
	for _, r := range model {
		if (q.Kind == "" || q.Kind == r.Kind) && (q.ID == "" || q.ID == r.ID) && (q.Session == "" || q.Session == r.Session) &&
			(len(q.States) == 0 || slices.Contains(q.States, r.State)) {
			found = append(found, r)
		}
	}
	if q.Newest {
		slices.Reverse(found)
	}
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	return found
}

// saveInLoop: the loop changes what it walks over and adds to it, and ends.
func saveInLoop(t *testing.T, s store) {
	var batch ledger.Batch
	for i := range 1000 {
		batch.Records = append(batch.Records, record("turn", fmt.Sprint(i)))
	}
	save(t, s, batch)
	for _, newest := range []bool{false, true} {
		seen := 0
		for r, err := range s.Load(t.Context(), ledger.Query{Kind: "turn", Newest: newest}) {
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if seen%10 != 0 {
				continue
			}
			r.State = fmt.Sprint("seen ", newest)
			added := record("turn", fmt.Sprint("added ", newest, seen))
			save(t, s, ledger.Batch{Records: []ledger.Record{r, added}, Lazy: true})
		}
		if want := map[bool]int{false: 1000, true: 1100}[newest]; seen != want {
			t.Errorf("newest %v: %d records instead of %d", newest, seen, want)
		}
	}
}

func leaveLoop(t *testing.T, s store) {
	for i := range 20 {
		save(t, s, ledger.Batch{Records: []ledger.Record{record("turn", fmt.Sprint(i))}, Lazy: true})
	}
	for range 20 { // more often than there are connections
		for range s.Load(t.Context(), ledger.Query{}) {
			break
		}
	}
	if got := load(t, s, ledger.Query{}); len(got) != 20 {
		t.Errorf("%d records", len(got))
	}
}

func largeRecords(t *testing.T, s store) {
	var batch ledger.Batch
	for i := range 12 {
		r := record("turn", fmt.Sprint(i))
		r.Body = noise(i, 300_000)
		batch.Records = append(batch.Records, r)
	}
	save(t, s, batch)
	for _, q := range []ledger.Query{{}, {Newest: true}, {Limit: 7}} {
		got := load(t, s, q)
		want := answer(batch.Records, q)
		if !slices.EqualFunc(got, want, func(a, b ledger.Record) bool { return a.ID == b.ID && bytes.Equal(a.Body, b.Body) }) {
			t.Errorf("%+v: %q", q, ids(got))
		}
	}
}

// link is a record of a chain: its body is the id of the one before.
func link(id string) func(ledger.Record) (ledger.Record, error) {
	return func(last ledger.Record) (ledger.Record, error) {
		return ledger.Record{Key: ledger.Key{Kind: "audit", ID: id}, Body: []byte(last.ID)}, nil
	}
}

// wantChain checks that each record names the one before.
func wantChain(t *testing.T, s ledger.Store, n int) {
	t.Helper()
	last, count := "", 0
	for r, err := range s.Load(t.Context(), ledger.Query{Kind: "audit"}) {
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Body) != last {
			t.Fatalf("record %d, %s, follows %q, but says %q", count, r.ID, last, r.Body)
		}
		last, count = r.ID, count+1
	}
	if count != n {
		t.Errorf("the chain has %d records instead of %d", count, n)
	}
}

func appendChain(t *testing.T, s store) {
	for i := range 20 {
		save(t, s, ledger.Batch{Records: []ledger.Record{record("other", fmt.Sprint(i))}, Lazy: true})
		if err := s.Append(t.Context(), "audit", link(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	wantChain(t, s, 20)
	err := s.Append(t.Context(), "audit", func(last ledger.Record) (ledger.Record, error) {
		if last.ID != "19" || last.Kind != "audit" || last.Version != 1 || string(last.Body) != "18" {
			t.Errorf("the last record is %+v", last)
		}
		return ledger.Record{Key: ledger.Key{ID: "no kind"}, Body: []byte("19")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantChain(t, s, 21)
	for i := range 3 { // a chain of another kind, with a name that has to be quoted
		err := s.Append(t.Context(), "it's", func(last ledger.Record) (ledger.Record, error) {
			if (i > 0) != (last.ID == fmt.Sprint(i-1)) {
				t.Errorf("the last record before %d is %+v", i, last)
			}
			return record("it's", fmt.Sprint(i)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func appendFails(t *testing.T, s store) {
	broken := errors.New("broken")
	for range 3 {
		if err := s.Append(t.Context(), "audit", func(ledger.Record) (ledger.Record, error) {
			return record("audit", "x"), broken
		}); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of next was swallowed")
			}
		}()
		_ = s.Append(t.Context(), "audit", func(ledger.Record) (ledger.Record, error) { panic("next") })
	}()
	if err := s.Append(t.Context(), "audit", func(ledger.Record) (ledger.Record, error) {
		return record("turn", "x"), nil
	}); err == nil {
		t.Error("a record of another kind was appended")
	}
	if got := load(t, s, ledger.Query{}); len(got) != 0 {
		t.Errorf("records %+v", got)
	}
	if err := s.Append(t.Context(), "audit", link("1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "audit", link("1")); !errors.Is(err, ledger.ErrVersion) {
		t.Errorf("an id that is there: %v", err)
	}
	wantChain(t, s, 1)
}

func appendsAtOnce(t *testing.T, s store) {
	const goroutines, each = 8, 15
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				if err := s.Append(t.Context(), "audit", link(fmt.Sprint(g, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	wantChain(t, s, goroutines*each)
}

// savesAtOnce: many save the same contents and compete for one record; each
// version has one winner.
func savesAtOnce(t *testing.T, s store) {
	save(t, s, ledger.Batch{Records: []ledger.Record{record("turn", "1")}})
	var group sync.WaitGroup
	var mu sync.Mutex
	won := map[int]int{}
	for g := range 8 {
		group.Go(func() {
			for i := range 15 {
				r := load(t, s, ledger.Query{Kind: "turn", ID: "1"})[0]
				batch := ledger.Batch{Records: []ledger.Record{r}, Lazy: i%2 == 0}
				for j := range 5 {
					batch.Blobs = append(batch.Blobs, note(i*3+j, 2000))
				}
				batch.Blobs = append(batch.Blobs, fmt.Appendf(nil, "%d %d", g, i))
				switch err := s.Save(t.Context(), batch); {
				case err == nil:
					mu.Lock()
					won[r.Version]++
					mu.Unlock()
					for _, content := range batch.Blobs {
						wantBlob(t, s, content)
					}
				case !errors.Is(err, ledger.ErrVersion):
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	last := load(t, s, ledger.Query{})[0].Version
	for version := 1; version < last; version++ {
		if won[version] != 1 {
			t.Errorf("version %d was replaced %d times", version, won[version])
		}
	}
	if sum := len(slices.Collect(maps.Keys(won))); sum != last-1 {
		t.Errorf("%d winners for %d versions", sum, last)
	}
}

func collect(t *testing.T, s store) {
	var batch ledger.Batch
	kept := map[text.Hash]bool{}
	var keys []ledger.Key
	for i := range 1200 {
		batch.Blobs = append(batch.Blobs, note(i, 3000))
		batch.Records = append(batch.Records, record("turn", fmt.Sprint(i)))
		if i%3 == 0 {
			kept[text.Sum(batch.Blobs[i])] = true
		} else {
			keys = append(keys, batch.Records[i].Key)
		}
	}
	save(t, s, batch)
	before := usage(t, s)
	keys = append(keys, ledger.Key{Kind: "turn", ID: "not there"})
	freed, err := s.Collect(t.Context(), keys, func(h text.Hash) bool { return kept[h] })
	if err != nil {
		t.Fatal(err)
	}
	after := usage(t, s)
	if freed <= 0 || freed != before.BlobBytes-after.BlobBytes {
		t.Errorf("%d bytes became free, from %+v to %+v", freed, before, after)
	}
	if after.Blobs != 400 || after.Records != 400 {
		t.Errorf("left is %+v", after)
	}
	if after.DiskBytes >= before.DiskBytes {
		t.Errorf("the files did not become smaller: %d, then %d", before.DiskBytes, after.DiskBytes)
	}
	for i, content := range batch.Blobs {
		if i%3 == 0 {
			wantBlob(t, s, content)
		} else {
			wantNoBlob(t, s, content)
		}
	}
	if got := load(t, s, ledger.Query{}); len(got) != 400 || got[1].ID != "3" {
		t.Errorf("%d records are left", len(got))
	}
	if freed, err := s.Collect(t.Context(), nil, func(h text.Hash) bool { return kept[h] }); freed != 0 || err != nil {
		t.Errorf("a second collection: %d, %v", freed, err)
	}
	save(t, s, batch2(batch, 1)) // what was removed can be saved again
	wantBlob(t, s, batch.Blobs[1])
}

func batch2(b ledger.Batch, i int) ledger.Batch {
	return ledger.Batch{Blobs: b.Blobs[i : i+1], Records: b.Records[i : i+1]}
}

// collectSpares: a blob is saved again at the last moment, after keep was asked
// for it.
func collectSpares(t *testing.T, s store) {
	again, gone := []byte("saved again"), []byte("gone")
	save(t, s, ledger.Batch{Blobs: [][]byte{again, gone}})
	keep := func(h text.Hash) bool {
		save(t, s, ledger.Batch{Blobs: [][]byte{again, []byte("new")}})
		return false
	}
	if _, err := s.Collect(t.Context(), nil, keep); err != nil {
		t.Fatal(err)
	}
	wantBlob(t, s, again)
	wantBlob(t, s, []byte("new"))
	wantNoBlob(t, s, gone)
	if _, err := s.Collect(t.Context(), nil, func(text.Hash) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if u := usage(t, s); u.Blobs != 0 || u.BlobBytes != 0 {
		t.Errorf("left is %+v", u)
	}
}

// collectBesideSaves: a record always finds its blob, although collections run
// all the time and the same few contents come and go.
func collectBesideSaves(t *testing.T, s store) {
	contents := make([][]byte, 12)
	for i := range contents {
		contents[i] = note(i, 1500)
	}
	var savers, collector sync.WaitGroup
	stop := make(chan struct{})
	collector.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			var old []ledger.Key
			for _, r := range load(t, s, ledger.Query{}) {
				if r.State == "done" {
					old = append(old, r.Key)
				}
			}
			used := sync.OnceValue(func() map[string]bool {
				used := map[string]bool{}
				for _, r := range load(t, s, ledger.Query{}) {
					used[string(r.Body)] = true
				}
				return used
			})
			if _, err := s.Collect(t.Context(), old, func(h text.Hash) bool { return used()[h.String()] }); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for g := range 3 {
		savers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 0))
			for i := range 40 {
				content := contents[rng.IntN(len(contents))]
				r := ledger.Record{Key: ledger.Key{Kind: "turn", ID: fmt.Sprint(g, i)}, Body: []byte(text.Sum(content).String())}
				batch := ledger.Batch{Blobs: [][]byte{content}, Records: []ledger.Record{r}, Lazy: true}
				if err := s.Save(t.Context(), batch); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond)
				wantBlob(t, s, content)
				r.Version, r.State = 1, "done"
				if err := s.Save(t.Context(), ledger.Batch{Records: []ledger.Record{r}, Lazy: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	savers.Wait()
	close(stop)
	collector.Wait()
}

func endedContext(t *testing.T, s store) {
	save(t, s, ledger.Batch{Blobs: [][]byte{[]byte("there")}, Records: []ledger.Record{record("turn", "1")}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	want("save", s.Save(ctx, ledger.Batch{Blobs: [][]byte{[]byte("lost")}, Records: []ledger.Record{record("turn", "2")}}))
	want("append", s.Append(ctx, "turn", link("3")))
	_, err := s.Blob(ctx, text.Sum([]byte("there")))
	want("blob", err)
	for _, err := range s.Load(ctx, ledger.Query{}) {
		want("load", err)
	}
	_, err = s.Usage(ctx)
	want("usage", err)
	_, err = s.Collect(ctx, []ledger.Key{{Kind: "turn", ID: "1"}}, func(text.Hash) bool { return false })
	want("collect", err)

	wantNoBlob(t, s, []byte("lost"))
	wantBlob(t, s, []byte("there"))
	if got := load(t, s, ledger.Query{}); len(got) != 1 {
		t.Errorf("records %+v", got)
	}
}

// endedInside: a writer that waits for its turn gives up with its context, and
// the one that has it is not disturbed.
func endedInside(t *testing.T, s store) {
	err := s.Append(t.Context(), "audit", func(last ledger.Record) (ledger.Record, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := s.Save(ctx, ledger.Batch{Blobs: [][]byte{[]byte("lost")}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("save: %v", err)
		}
		return link("1")(last)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantChain(t, s, 1)
	wantNoBlob(t, s, []byte("lost"))
}

func largeAndMany(t *testing.T, s store) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	large := [][]byte{noise(1, 64<<20), bytes.Repeat([]byte("0123456789abcdef"), 4<<20)}
	save(t, s, ledger.Batch{Blobs: large})
	for _, content := range large {
		got, err := s.Blob(t.Context(), text.Sum(content))
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("64 MiB came back as %d bytes, %v", len(got), err)
		}
	}
	many := make([][]byte, 20_000)
	for i := range many {
		many[i] = note(i, 4<<10)
	}
	save(t, s, ledger.Batch{Blobs: many})
	for i := 0; i < len(many); i += 97 {
		wantBlob(t, s, many[i])
	}
	if u := usage(t, s); u.Blobs != len(many)+2 {
		t.Errorf("usage %+v", u)
	}
	if _, err := s.Collect(t.Context(), nil, func(text.Hash) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if u := usage(t, s); u.Blobs != 0 || u.DiskBytes > 4<<20 {
		t.Errorf("after the collection: %+v", u)
	}
}
