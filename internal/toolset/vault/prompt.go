package vault

import (
	_ "embed"

	"redline/internal/toolset"
)

//go:embed prompt.md
var promptText string

// Prompt is the system prompt, filled in.
func Prompt(f toolset.Facts) string { return toolset.Fill(promptText, f) }
