package tool

import "redline/llm"

// Spec is a tool as a model sees it.
type Spec = llm.ToolSpec
