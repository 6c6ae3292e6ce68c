package llmtest_test

import (
	"testing"

	"redline/llm/llmtest"
)

func TestToy(t *testing.T) { llmtest.Run(t, toy) }
