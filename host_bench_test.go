package redline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"redline/internal/wire"
)

// BenchmarkJob is a page that looks at a job with 12 calls and 20 hunks whose review is
// open: first while its session is open here, then as the store has it.
func BenchmarkJob(b *testing.B) {
	var script, text strings.Builder
	for i := range 11 {
		fmt.Fprintf(&script, "- calls: [{id: r%d, name: read_file, arguments: {file_path: a.md}}]\n", i)
	}
	script.WriteString("- calls:\n    - id: c\n      name: propose_edits\n      arguments:\n        edits:\n")
	for i := range 20 {
		fmt.Fprintf(&script, "          - {file_path: a.md, operation: replace, start_line: %d, end_line: %d, new_text: \"new\\n\"}\n", 10*i+1, 10*i+1)
	}
	script.WriteString("- text: Done.\n")
	for i := range 200 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	d := newBureau(b, script.String(), "a.md", text.String())
	job := d.work(d.session(wire.SessionOptions{}), "Change it", wire.JobAwaitingReview)
	if j := d.job(job); len(j.Calls) != 12 || len(hunksOf(j)) != 20 {
		b.Fatalf("%d calls, %d hunks", len(j.Calls), len(hunksOf(j)))
	}
	look := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Job(b.Context(), job); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("open", look)
	b.Run("written", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(d.job(job)); err != nil {
				b.Fatal(err)
			}
		}
	})
	d.stop()
	d.start(d.options)
	b.Run("stored", look)
}
