package offline_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSmoke(t *testing.T) {
	dir := os.Getenv("SMOKE_DIR")
	if dir == "" {
		t.Skip()
	}
	before := map[string]string{}
	filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if !e.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			data, _ := os.ReadFile(p)
			before[rel] = string(data)
		}
		return nil
	})
	s := newStage(t, os.Getenv("SMOKE_SET"), before)
	for _, r := range strings.Split(os.Getenv("SMOKE"), ";") {
		s.request(strings.TrimSpace(r))
	}
	fmt.Println(s.said.String())
}
