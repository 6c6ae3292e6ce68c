package staged

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// read is the builtin of that name with what the interpreter's does not have: -d, the
// byte that ends a line. A prompt, which is for a terminal, is left out. args is the
// whole call, rest what is behind "command" and "builtin".
func (r *run) read(ctx context.Context, args, rest []string) ([]string, error) {
	if i := slices.Index(rest, "-p"); i > 0 && i+1 < len(rest) {
		rest = slices.Delete(slices.Clone(rest), i, i+2)
		args = rest
	}
	raw, delimiter, names, ok := readOptions(rest[1:])
	if !ok {
		return args, nil
	}
	name := "REPLY"
	switch {
	case len(names) > 1:
		return []string{refuseName, "read", "with -d there can be one variable only"}, nil
	case len(names) == 1:
		name = names[0]
	}
	if !syntax.ValidName(name) {
		return []string{refuseName, "read", "`" + name + "': not a valid identifier"}, nil
	}
	text, whole := r.readUntil(ctx, delimiter, raw)
	hc := interp.HandlerCtx(ctx)
	if ifs := hc.Env.Get("IFS"); name != "REPLY" && (!ifs.IsSet() || strings.ContainsAny(ifs.String(), " \t\n")) {
		text = strings.Trim(text, " \t\n")
	}
	value, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return []string{refuseName, "read", err.Error()}, nil
	}
	line := name + "=" + value
	if !whole {
		line += "; false"
	}
	return []string{"eval", line}, nil
}

// readOptions are the options of read, if -d is among them.
func readOptions(args []string) (raw bool, delimiter byte, names []string, ok bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		letters := args[0][1:]
		args = args[1:]
		for letters != "" {
			letter := letters[0]
			letters = letters[1:]
			switch letter {
			case 'r':
				raw = true
			case 's':
			case 'd':
				if letters == "" && len(args) > 0 {
					letters, args = args[0], args[1:]
				}
				if letters != "" {
					delimiter = letters[0]
				}
				letters, ok = "", true
			default:
				return false, 0, nil, false // the builtin says what it thinks of it
			}
		}
	}
	return raw, delimiter, args, ok
}

// readUntil reads up to a byte, which it leaves out. whole is false if the input ended
// before.
func (r *run) readUntil(ctx context.Context, delimiter byte, raw bool) (text string, whole bool) {
	in := stdin(interp.HandlerCtx(ctx))
	var line bytes.Buffer
	one := make([]byte, 1)
	for ctx.Err() == nil && line.Len() < mostArgs {
		if _, err := io.ReadFull(in, one); err != nil {
			return line.String(), false
		}
		switch {
		case one[0] == delimiter:
			return line.String(), true
		case one[0] == '\\' && !raw:
			if _, err := io.ReadFull(in, one); err != nil {
				return line.String(), false
			}
			if one[0] == '\n' {
				continue
			}
		}
		if one[0] != 0 { // no variable can hold it
			line.WriteByte(one[0])
		}
	}
	return line.String(), false
}
