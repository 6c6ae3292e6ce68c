package server

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The form of Prometheus is written here by hand: its library takes 5 MB of memory in
// every program that it is part of, also where nothing is counted.

// metric writes what is counted under one name.
type metric interface {
	write(w io.Writer)
}

// registry is all that is counted, by name.
type registry struct {
	mu      sync.Mutex
	metrics map[string]metric
}

func (r *registry) add(name string, m metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.metrics[name] = m
}

// ServeHTTP shows it.
func (r *registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	all := maps.Clone(r.metrics)
	r.mu.Unlock()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		all[name].write(&text)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, text.String()) // the reader may be gone
}

// What help and labels cannot have as it is.
var (
	inHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	inLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// about is the name of a metric and what it is.
type about struct{ name, help, kind string }

func (a about) write(w io.Writer) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", a.name, inHelp.Replace(a.help), a.name, a.kind)
}

// counter only grows. It has a number for each combination of its labels.
type counter struct {
	about
	labels []string

	mu     sync.Mutex
	counts map[string]float64 // by the labels, as they are written
}

// grow adds to the number with these values of the labels.
func (c *counter) grow(by float64, values ...string) {
	key := labelled(c.labels, values)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[key] += by
}

func (c *counter) write(w io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.counts) > 0 {
		c.about.write(w)
	}
	for _, key := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Fprintf(w, "%s%s %s\n", c.name, key, number(c.counts[key]))
	}
}

// labelled is labels as they are written behind a name.
func labelled(names, values []string) string {
	if len(names) == 0 {
		return ""
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + `="` + inLabel.Replace(strings.ToValidUTF8(values[i], "\uFFFD")) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// gauge is asked for when it is shown.
type gauge struct {
	about
	now func() float64
}

func (g *gauge) write(w io.Writer) {
	g.about.write(w)
	fmt.Fprintf(w, "%s %s\n", g.name, number(g.now()))
}

// histogram counts what was measured, by size.
type histogram struct {
	about
	bounds []float64

	mu     sync.Mutex
	counts []int // in the buckets, and beyond all of them
	sum    float64
}

func (h *histogram) observe(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[i]++
	h.sum += v
}

func (h *histogram) write(w io.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	writeBuckets(w, h.about, h.bounds, h.counts, h.sum)
}

// writeBuckets writes a histogram from the counts of its buckets.
func writeBuckets(w io.Writer, a about, bounds []float64, counts []int, sum float64) {
	a.write(w)
	all := 0
	for i, bound := range bounds {
		all += counts[i]
		fmt.Fprintf(w, "%s_bucket{le=\"%s\"} %d\n", a.name, number(bound), all)
	}
	all += counts[len(bounds)]
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %s\n%s_count %d\n", a.name, all, a.name, number(sum), a.name, all)
}

// addRuntime adds what is known of the program itself, under the names that Prometheus
// has for it.
func (r *registry) addRuntime() {
	r.add("go_goroutines", &gauge{about{"go_goroutines", "Number of goroutines that currently exist.", "gauge"}, func() float64 { return float64(runtime.NumGoroutine()) }})
	r.add("go_memstats_sys_bytes", &gauge{about{"go_memstats_sys_bytes", "Number of bytes obtained from system.", "gauge"}, func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.Sys)
	}})
}
