package command

import (
	"strings"
)

// mostArguments is how long the arguments of one call by -exec + and xargs become;
// bytes.
const mostArguments = 128 << 10

// findBatch is the paths that -exec COMMAND {} + has collected.
type findBatch struct {
	words []string // of the command, without {}
	paths []string
	size  int
}

func execAction(p *findParser, word string) (findTest, error) {
	p.acts, p.f.serial = true, true
	var words []string
	for {
		if !p.more() {
			return nil, findFaultf("missing argument to `%s'", word)
		}
		arg := p.next()
		if arg == ";" {
			break
		}
		if arg == "+" && len(words) > 0 && words[len(words)-1] == "{}" {
			return p.batch(words[:len(words)-1])
		}
		words = append(words, arg)
	}
	if len(words) == 0 {
		return nil, findFaultf("invalid argument `;' to `%s'", word)
	}
	return func(f *finder, e *found) bool {
		args := make([]string, len(words))
		for i, w := range words {
			args[i] = strings.ReplaceAll(w, "{}", e.path)
		}
		status, ok := f.other(args)
		return ok && status == 0
	}, nil
}

func (p *findParser) batch(words []string) (findTest, error) {
	if len(words) == 0 {
		return nil, findFault("missing argument to `-exec'")
	}
	for _, w := range words {
		if strings.Contains(w, "{}") {
			return nil, findFault("Only one instance of {} is supported with -exec ... +")
		}
	}
	b := &findBatch{words: words}
	p.f.batches = append(p.f.batches, b)
	return func(f *finder, e *found) bool {
		if b.size += len(e.path) + 1; b.size > mostArguments {
			b.run(f)
			b.size = len(e.path) + 1
		}
		b.paths = append(b.paths, e.path)
		return true
	}, nil
}

// run runs the command with the paths that were collected.
func (b *findBatch) run(f *finder) {
	if len(b.paths) == 0 || f.c.Stopped() {
		return
	}
	if status, ok := f.other(append(b.words[:len(b.words):len(b.words)], b.paths...)); !ok || status != 0 {
		f.status = 1
	}
	b.paths, b.size = nil, 0
}

// other runs a command; ok is false if there is no such one.
func (f *finder) other(args []string) (status int, ok bool) {
	if f.c.Others(args[0]) == nil {
		f.c.Fail(1, "‘%s’: No such file or directory", args[0])
		return 127, false
	}
	return f.c.Other(args[0], args[1:], nil), true
}

func deleteAction(p *findParser, word string) (findTest, error) {
	if !p.f.c.Has("find -delete") {
		return nil, findFault("-delete is not available here")
	}
	p.acts, p.f.inner, p.f.serial = true, true, true
	return func(f *finder, e *found) bool {
		if e.path == "." {
			return true
		}
		if err := f.c.Tree.Remove(strings.TrimSuffix(e.abs(), "/")); err != nil {
			f.status = f.c.Fail(1, "cannot delete ‘%s’: %s", e.path, Reason(err))
			return false
		}
		return true
	}, nil
}
