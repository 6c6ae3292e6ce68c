package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"redline/internal/search"
	"redline/internal/workspace"
)

// searchRows compare with ripgrep on the same files: neither looks at hidden
// files or at what ignore files hide, and both print path, line and text.
func searchRows(c corpora) []row {
	compare := func(name string, limit float64, pattern string, flags ...string) row {
		rg := append([]string{"rg", "--no-config", "-n", "--no-heading"}, flags...)
		return row{
			name: "search: " + name, ours: process(me(append([]string{"search", c.notes, pattern}, flags...)...)),
			anchorName: "rg", anchor: process(append(rg, "-e", pattern, c.notes)), limit: limit,
		}
	}
	return []row{
		compare("rare literal", 1.3, "xyzzyneedle", "-F"),
		compare("rare literal, any case", 1.3, "XyzzyNeedle", "-F", "-i"),
		compare("regex", 1.5, `xyzzy[a-z]+ (is|was) h\w+`),
		compare("regex with alternatives", 1.5, `(chaisou|xyzzyneed(le)?|plughplover)\b`),
		compare("regex without a literal", 3, `\b[A-Z][a-z]{14,}\b`),
		compare("regex without a literal, found in every file", 3, `[0-9]{4}-[0-9]{2}-[0-9]{2}$`),
	}
}

// searchJob prints what rg prints.
func searchJob(args []string) error {
	f, err := open(args)
	if err != nil {
		return err
	}
	defer f.Close()
	q := search.Query{Pattern: search.Pattern{Text: args[1], Regexp: true}, MaxLine: 1 << 20}
	for _, flag := range args[2:] {
		switch flag {
		case "-F":
			q.Regexp = false
		case "-i":
			q.Case = search.Insensitive
		case "-w":
			q.Word = true
		}
	}
	found, err := search.Content(context.Background(), search.View{Folder: f, Policy: workspace.ForDocuments()}, q)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, file := range found.Files {
		for _, hit := range file.Hits {
			for _, line := range hit.Lines {
				fmt.Fprintf(out, "%s/%s:%d:%s\n", args[0], file.Path, line.Number, line.Text)
			}
		}
	}
	return out.Flush()
}
