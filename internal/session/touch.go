package session

import (
	"context"
	"path"

	"redline/tool"
)

// Toucher is a tool that can tell which paths a call would change: relative to
// the folder, with slashes, a folder as the files in it, and as itself if it has
// none. A move names its new path too, which counts like a file of a bulk. The
// error is that of the call: it does not run, and the model reads what Execute
// would have told it.
type Toucher interface {
	Touches(ctx context.Context, call tool.Call) ([]string, error)
}

// Cautious is a tool that can tell whether the path policy wants the user asked
// about a call, such as one that writes a hidden file.
type Cautious interface {
	Asks(call tool.Call) bool
}

// touched lists the paths that a call would change, each once. Known is false for
// a tool that cannot tell them.
func touched(ctx context.Context, t tool.Tool, call tool.Call) (files []string, known bool, err error) {
	toucher, ok := tool.As[Toucher](t)
	if !ok {
		return nil, false, nil
	}
	paths, err := toucher.Touches(ctx, call)
	if err != nil {
		return nil, true, err
	}
	seen := make(map[string]bool, len(paths))
	for _, p := range paths {
		if p = path.Clean(p); !seen[p] {
			seen[p] = true
			files = append(files, p)
		}
	}
	return files, true, nil
}

func asks(t tool.Tool, call tool.Call) bool {
	c, ok := tool.As[Cautious](t)
	return ok && c.Asks(call)
}
