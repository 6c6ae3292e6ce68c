package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"redline/internal/search"
	"redline/internal/workspace"
)

// A turn has changed one note and not yet saved it: the search sees the change.
func ExampleContent() {
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "monday.md"), []byte("# Monday\n\nCall Ada about the engine.\n"), 0o644)
	os.WriteFile(filepath.Join(dir, "tuesday.md"), []byte("# Tuesday\n"), 0o644)
	folder, err := workspace.Open(dir)
	if err != nil {
		panic(err)
	}
	defer folder.Close()

	view := search.View{Folder: folder, Policy: workspace.ForDocuments(), Changes: []search.Change{{
		Path: workspace.MustPath("tuesday.md"),
		Read: func(context.Context) ([]byte, error) { return []byte("# Tuesday\n\nada called back.\n"), nil },
	}}}
	result, err := search.Content(context.Background(), view, search.Query{
		Pattern: search.Pattern{Text: "ada", Case: search.Smart, Word: true},
		Context: 1,
		MaxHits: 20,
	})
	if err != nil {
		panic(err)
	}
	for _, file := range result.Files {
		for _, hit := range file.Hits {
			fmt.Printf("%s, lines %d to %d: %q\n", file.Path, hit.Start(), hit.End(), hit.Snippet())
		}
	}
	// Output:
	// monday.md, lines 2 to 3: "\nCall Ada about the engine."
	// tuesday.md, lines 2 to 3: "\nada called back."
}
