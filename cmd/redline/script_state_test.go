package main

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
)

// timestamps in records are JSON.
var timestamps = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)

// passDays makes all that is on record older.
func passDays(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	days, err := strconv.Atoi(args[0])
	ts.Check(err)
	ago := -time.Duration(days) * 24 * time.Hour
	files, err := filepath.Glob(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "redline", "*", "redline.db"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("there are %d states", len(files))
	}
	ctx := context.Background()
	store, err := sqlite.Open(ctx, files[0])
	ts.Check(err)
	defer store.Close()
	var older []ledger.Record
	for _, kind := range []string{"turn", "commit", "tidied"} {
		for r, err := range store.Load(ctx, ledger.Query{Kind: kind}) {
			ts.Check(err)
			r.Time = r.Time.Add(ago)
			r.Body = timestamps.ReplaceAllFunc(r.Body, func(quoted []byte) []byte {
				t, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(quoted))
				ts.Check(err)
				return t.Add(ago).AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
			})
			older = append(older, r)
		}
	}
	ts.Check(store.Save(ctx, ledger.Batch{Records: older}))
}
