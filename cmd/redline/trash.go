package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newTrash(s streams, w *where) *cobra.Command {
	list := onFolder(s, w, listTrash)
	c := &cobra.Command{
		Use:   "trash",
		Short: "What was deleted: list it, bring it back, remove it for good",
		Long: `What an agent or an undo deletes lies in .redline/trash of the folder until the trash
is emptied.`,
		Example: `  redline trash
  redline trash restore notes/old.md
  redline trash empty --yes`,
		Args: cobra.NoArgs,
		RunE: list,
	}
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "List what was deleted, newest first", Args: cobra.NoArgs, RunE: list,
		Example: `  redline trash list
  redline trash list --json`,
	}, &cobra.Command{
		Use: "restore NAME", Short: "Bring something back to where it was",
		Long: `Bring something back to where it was. It is named by its name in the trash, the
beginning of that, or the path that it had; of several with one path, the one that
was deleted last. Nothing is overwritten, and redline undo takes it back.`,
		Example: `  redline trash restore notes/old.md
  redline trash restore 20261115T0801`,
		Args: cobra.ExactArgs(1),
		RunE: onFolder(s, w, restoreTrash),
	}, &cobra.Command{
		Use: "empty", Short: "Remove for good what is in the trash",
		Long: `Remove for good what is in the trash. It is asked about first; the exit status is 3 if
you do not agree. What the ledger keeps for undo is not touched.`,
		Example: `  redline trash empty
  redline trash empty --yes`,
		Args: cobra.NoArgs,
		RunE: onFolder(s, w, emptyTrash),
	})
	return c
}

func listTrash(j *job) error {
	items, err := j.folder.Trash()
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, items)
	}
	if len(items) == 0 {
		j.say("The trash is empty.")
	}
	for _, t := range items {
		size := bytesOf(t.Size)
		if t.Folder {
			size = "folder"
		}
		j.say("%s  %s  %s  %s", shown(t.Name), clock(t.Deleted), shown(t.Path), size)
	}
	return nil
}

func restoreTrash(j *job) error {
	t, err := j.folder.RestoreTrash(j.ctx, j.first())
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, t)
	}
	for _, f := range t.Files {
		j.say("Restored %s.", shown(f.Path))
	}
	j.say("redline undo takes it back.")
	return nil
}

// emptiedJSON is what was removed.
type emptiedJSON struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
}

func emptyTrash(j *job) error {
	items, err := j.folder.Trash()
	if err != nil {
		return err
	}
	if len(items) > 0 {
		if err := j.confirm(fmt.Sprintf("Remove %s for good?", plural(len(items), "item"))); err != nil {
			return err
		}
	}
	n, bytes, err := j.folder.EmptyTrash()
	if err != nil {
		return err
	}
	if j.w.json {
		return printJSON(j.s.out, emptiedJSON{n, bytes})
	}
	j.say("Removed %s, %s.", plural(n, "item"), bytesOf(bytes))
	return nil
}
