package offline

import (
	"cmp"
	"encoding/json"
	"strings"

	"redline/llm"
)

// subjectsOf are the documents that a call was about, and whether it changed them.
func subjectsOf(c llm.ToolCall, output string) (paths []string, changed bool) {
	var a struct {
		Path     string `json:"path"`
		FilePath string `json:"file_path"`
		FromPath string `json:"from_path"`
		ToPath   string `json:"to_path"`
		Edits    []struct {
			FilePath string `json:"file_path"`
		} `json:"edits"`
	}
	if json.Unmarshal(c.Arguments, &a) != nil {
		return nil, false
	}
	switch c.Name {
	case "create_document":
		return []string{documentPath(creating("", "", ""), strings.TrimSpace(output))}, true
	case "move_document":
		return []string{movedTo(moving(a.FromPath, a.ToPath), output)}, true
	case "edit_document":
		return []string{a.Path}, true
	case "read_document":
		return []string{a.Path}, false
	case "edit", "write":
		return []string{a.FilePath}, true
	case "edit_file", "write_file":
		return []string{a.Path}, true
	case "read", "read_file":
		return []string{cmp.Or(a.FilePath, a.Path)}, false
	case "propose_edits":
		for _, e := range a.Edits {
			paths = append(paths, e.FilePath)
		}
		return paths, true
	}
	return nil, false
}
