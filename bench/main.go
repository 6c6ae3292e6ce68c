// Command bench measures Redline's parts next to the tools that people compare them with, in one run, and prints the ratios.
//
//	go run ./bench [-runs 15] [-only list,diff] [-work .bench]
//
// The corpora are generated once into the work folder. Every row runs ours and
// the anchor by turns and takes the medians, so that a noisy machine is noisy
// to both. Whole processes are compared, except where a row says "in process":
// there the work is repeated in a process that is already warm, as it is in
// use.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "do" {
		if err := do(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	runs := flag.Int("runs", 15, "runs of each command; the median counts")
	only := flag.String("only", "", "rows to run: parts of their names, with commas")
	work := flag.String("work", ".bench", "folder for the corpora")
	flag.Parse()
	if err := bench(*runs, *only, *work); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(runs int, only, work string) error {
	work, err := filepath.Abs(work)
	if err != nil {
		return err
	}
	c, err := prepare(work)
	if err != nil {
		return err
	}
	defer stopBare()
	missed := 0
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "work\tours\tanchor\tratio\tat most\t\tanchor")
	for _, r := range rows(c) {
		if !wanted(r.name, only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s…\n", r.name)
		ours, anchor, err := r.measure(runs)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		unit := cmp.Or(r.unit, "ms")
		figure, limit := ours/anchor, fmt.Sprintf("%.2f ×", r.limit)
		if r.anchor == nil {
			figure, limit = ours, fmt.Sprintf("%g %s", r.limit, unit)
		}
		verdict := "ok"
		switch {
		case ours <= 0 || r.anchor != nil && anchor <= 0:
			verdict = "NOISE" // a difference of two runs that says nothing: measure again
			missed++
		case figure > r.limit:
			verdict = "MISSED"
			missed++
		}
		if r.anchor == nil {
			fmt.Fprintf(w, "%s\t%.2f %s\t\t\t%s\t%s\t\n", r.name, ours, unit, limit, verdict)
		} else {
			fmt.Fprintf(w, "%s\t%.2f %s\t%.2f\t%.2f\t%s\t%s\t%s\n", r.name, ours, unit, anchor, figure, limit, verdict, r.anchorName)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d figures missed", missed)
	}
	return nil
}

func wanted(name, only string) bool {
	return only == "" || slices.ContainsFunc(strings.Split(only, ","), func(part string) bool { return strings.Contains(name, part) })
}

// row is one comparison. Without an anchor the limit is in milliseconds.
type row struct {
	name       string
	ours       func() (time.Duration, error)
	anchorName string
	anchor     func() (time.Duration, error)
	limit      float64
	runs       int    // for slow rows; 0 stands for what the command line says
	unit       string // "": ms
}

func (r row) measure(runs int) (ours, anchor float64, err error) {
	var a, b []float64
	warm := 2 // the first runs warm the caches
	if r.runs > 0 {
		runs, warm = r.runs, 0
	}
	for i := range runs + warm {
		d, err := r.ours()
		if err != nil {
			return 0, 0, err
		}
		var e time.Duration
		if r.anchor != nil {
			if e, err = r.anchor(); err != nil {
				return 0, 0, err
			}
		}
		if i >= warm {
			a = append(a, d.Seconds()*1e3)
			b = append(b, e.Seconds()*1e3)
		}
	}
	return median(a), median(b), nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
