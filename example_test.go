package redline_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"redline"
)

// A program that has the built-in model write into a folder, and decides about what it
// proposes.
func Example() {
	dir, ctx := try(os.MkdirTemp("", "notes")), context.Background()
	defer os.RemoveAll(dir)
	state := redline.Options{State: filepath.Join(os.TempDir(), filepath.Base(dir)+"-state")}
	defer os.RemoveAll(state.State)

	folder := try(redline.Open(ctx, dir, state))
	defer folder.Close()
	model := try(redline.ChooseModel(redline.ModelOptions{Name: redline.Offline}))
	c := try(folder.Converse(ctx, redline.ConversationOptions{Model: model, Review: "hunks"}))
	defer c.Close()
	c.Subscribe(func(e redline.Event) {
		if e.Type == "tool_execution_start" {
			fmt.Println("tool:", e.Tool.Name)
		}
	})
	answer := try(c.Prompt(ctx, `Create a note called "Ideas" with the text "Sell the boat."`))
	fmt.Println("state:", answer.Status.State)
	for _, turn := range try(c.Review().Open(ctx)) {
		fmt.Println("proposed:", turn.Files[0].Verb, turn.Files[0].Path)
	}
	try(c.Review().Decide(ctx, redline.Decision{All: "accept"}))
	fmt.Printf("%d messages; on the disk: %s", len(c.Messages()), try(os.ReadFile(filepath.Join(dir, "Ideas.md"))))
	// Output:
	// tool: list_documents
	// tool: create_document
	// state: awaiting_review
	// proposed: created Ideas.md
	// 6 messages; on the disk: # Ideas
	//
	// Sell the boat.
}

// try ends the program if something went wrong.
func try[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
