package redline

import (
	"path/filepath"
	"strings"

	"redline/internal/shell"
	"redline/internal/shell/staged"
	"redline/internal/toolset/coding"
	"redline/internal/workspace"
)

// CommandOptions say how the commands of the system shell run, and which there are in
// that of the toolset vault.
type CommandOptions struct {
	// Allow is the commands of the toolset vault: "+rm" adds an extra to the usual
	// ones, names without a + are all there is. Empty: the usual ones.
	Allow []string

	Sandbox   bool // confine them
	Net       bool // confined ones have the network
	CopyMB    int  // megabytes of a folder that is copied for a command; 0: 512
	CopyFiles int  // files of such a folder; 0: 50,000
}

// CheckAllow tells what is wrong with a list of commands for the toolset vault.
func CheckAllow(list []string) error {
	_, err := staged.ParseAllow(list)
	return err
}

// maxCopy is how much is copied for a command whose changes wait; zero is as the
// ledger has it.
func (o CommandOptions) maxCopy() workspace.CopyLimit {
	return workspace.CopyLimit{Bytes: int64(o.CopyMB) << 20, Files: o.CopyFiles}
}

// SandboxGaps tells what of the promise of a sandbox this system cannot keep, or why
// commands cannot be confined here at all.
func SandboxGaps() ([]string, error) { return shell.Confinement() }

// coding are the options of the toolset coding.
func (f *Folder) coding() (coding.Options, error) {
	o := coding.Options{}
	if f.commands.Sandbox {
		if _, err := shell.Confinement(); err != nil {
			return o, &OptionError{err}
		}
		o.Sandbox = &shell.Sandbox{Net: f.commands.Net, Private: f.private, Hidden: []string{f.state}}
	}
	return o, nil
}

// privateDir is where private folders for commands are made, in the state of a
// folder.
func privateDir(state string) string { return filepath.Join(state, "private") }

// examineSandbox tells whether commands can be confined.
func examineSandbox() Finding {
	gaps, err := SandboxGaps()
	switch {
	case err != nil:
		return Finding{"sandbox", Warning, err.Error(), "do not let the toolset coding run commands that you do not trust"}
	case len(gaps) > 0:
		return Finding{"sandbox", Warning, "--sandbox confines commands, but " + strings.Join(gaps, "; "), "a newer kernel, or a system that allows user namespaces, keeps more: see docs/sandbox.md"}
	}
	return Finding{"sandbox", Healthy, "--sandbox confines commands, in all that it promises", ""}
}
