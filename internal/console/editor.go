package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// errNoEditor: neither VISUAL nor EDITOR says what to edit with.
var errNoEditor = errors.New("no editor: set VISUAL or EDITOR")

// edit opens text in the user's editor and returns what became of it. The file
// lies in the system's folder for temporary files, for its owner only, and is
// removed.
func (c *Console) edit(ctx context.Context, name, text string) (string, error) {
	command := strings.Fields(cmp.Or(c.o.Getenv("VISUAL"), c.o.Getenv("EDITOR")))
	if len(command) == 0 {
		return "", errNoEditor
	}
	f, err := os.CreateTemp("", "redline-*-"+name)
	if err != nil {
		return "", fmt.Errorf("a file for the editor: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("a file for the editor: %w", err)
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], f.Name())...)
	cmd.Stdout, cmd.Stderr = c.screen.w, c.o.Err
	if in, ok := c.o.In.(*os.File); ok { // of another reader it would swallow what is for us
		cmd.Stdin = in
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s: %w", command[0], err)
	}
	data, err := os.ReadFile(f.Name())
	return string(data), err
}
