package config_test

import (
	"strings"
	"testing"

	"redline/internal/config"
)

// FuzzFolder: whatever the file of a folder holds, it does not break anything, and
// without trust it loosens nothing.
func FuzzFolder(f *testing.F) {
	for _, seed := range []string{
		"", "mode = \"autonomous\"", "[[services]]\nid = \"x\"\n[services.y]\nz = 1", "a.b.c = 1\n\"\" = 2", "mode = \"custom\"\nrules = [\"allow::\"]",
		"\ufeffbulk = 0\r\nbulk = 0", "confirmDestructive = false\nmaxIterations = 0\nbudget = 0.0", "models = [{id = 1979-05-27}]", "x = '''", "\x00", "'\\' = 1\n[a]\n[[a]]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, folder string) {
		c, err := said{home: "toolset = \"documents\"", folder: folder + "\n"}.load()
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, ".redline/config.toml:") && !strings.Contains(line, "unknown key") {
					t.Errorf("no place: %q", line)
				}
			}
			return
		}
		for _, s := range c.Settings() {
			if s.Origin.Source != config.FolderFile {
				continue
			}
			if s.Origin.Line == 0 {
				t.Errorf("%s has no line", s.Key.Name)
			}
			if s.Key.Trust == config.Needed || s.Key.Trust == config.Never {
				t.Errorf("%s counts", s.Key.Name)
			}
		}
		if m := c.Setting("mode").Value; m == "autonomous" || c.Setting("bulk").Value.(int) == 0 || c.Setting("toolset").Value != "documents" {
			t.Errorf("it is looser: mode %v", m)
		}
	})
}
