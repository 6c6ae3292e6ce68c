package main

import (
	"bufio"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed bank/*.txt
var bankFiles embed.FS

// A fragment is one line of a bank, with its history in the book so far.
type fragment struct {
	text string
	uses int
	last int // number of the paragraph that used it last
}

// banks holds all fragments by the heading they stand under, such as "place bindery".
type banks map[string][]*fragment

// readBanks parses the bank files: a line [heading] opens a bank, every other
// line that is neither empty nor a # remark is one fragment.
func readBanks() (banks, error) {
	b := banks{}
	names, err := fs.Glob(bankFiles, "bank/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := bankFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		heading := ""
		lines := bufio.NewScanner(strings.NewReader(string(data)))
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				heading = strings.Trim(line, "[]")
			case heading == "":
				return nil, fmt.Errorf("%s: %q stands under no heading", name, line)
			default:
				b[heading] = append(b[heading], &fragment{text: line, last: -1000})
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return b, nil
}

// pick takes one of the least used fragments of a bank, or one used up to slack
// times more, the longest unused first among a few candidates drawn by lot. It
// skips those in taken.
func (b banks) pick(d *dice, heading string, taken map[*fragment]bool, slack int) (*fragment, error) {
	all := b[heading]
	if len(all) == 0 {
		return nil, fmt.Errorf("no bank %q", heading)
	}
	least := -1
	for _, f := range all {
		if !taken[f] && (least < 0 || f.uses < least) {
			least = f.uses
		}
	}
	if least < 0 {
		return nil, fmt.Errorf("bank %q is too small", heading)
	}
	var free []*fragment
	for _, f := range all {
		if !taken[f] && f.uses <= least+slack {
			free = append(free, f)
		}
	}
	best := free[d.upTo(len(free))]
	for range 2 {
		if f := free[d.upTo(len(free))]; f.last < best.last {
			best = f
		}
	}
	return best, nil
}

// fresh reports whether a bank has a fragment that was never used.
func (b banks) fresh(heading string, taken map[*fragment]bool) bool {
	return slices.ContainsFunc(b[heading], func(f *fragment) bool { return f.uses == 0 && !taken[f] })
}
