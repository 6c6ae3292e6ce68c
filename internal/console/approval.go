package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"redline/internal/wire"
)

// howToAllow is what somebody does who was not there to be asked.
const howToAllow = "To allow it: --yes, another --mode, a terminal to be asked at, or --json with an approve line."

// approve asks whether calls may run. Without somebody to ask they may not.
func (r *run) approve(ctx context.Context, a *wire.Approval) error {
	deny := wire.Command{Type: wire.CommandApprove, RequestID: a.ID}
	if !r.o.Ask {
		r.screen.line("Approval needed: " + Clean(a.Text))
		r.screen.line("Not approved: nobody can be asked.") // how to allow it is said in the end
		return r.reply(ctx, deny)
	}
	r.keys.forget()
	r.screen.line(r.screen.colors.bold("⚠ Approval needed") + "\n" + Clean(a.Text))
	for {
		c, settled, err := r.attend(ctx, func(ctx context.Context) (wire.Command, error) { return r.askApproval(ctx, a) })
		switch {
		case settled:
			return err
		case gone(err):
			c = deny
		case err != nil:
			return err
		}
		err = r.conv.Do(ctx, c)
		if s := r.conv.Status(); err == nil || s.Approval == nil || s.Approval.ID != a.ID {
			return nil
		}
		if !c.Approve {
			return err
		}
		r.screen.line(r.screen.colors.red("✗ ") + Clean(err.Error()))
	}
}

// askApproval asks until there is an answer.
func (r *run) askApproval(ctx context.Context, a *wire.Approval) (wire.Command, error) {
	c := wire.Command{Type: wire.CommandApprove, RequestID: a.ID}
	for {
		key, err := r.keys.key(ctx, "Run it? [y,n,s,e,?] ")
		if err != nil {
			return c, err
		}
		switch key {
		case 'y', 'Y':
			c.Approve = true
			return c, nil
		case 'n', 'N':
			return c, nil
		case 's':
			r.screen.line(allFiles(a))
		case 'e':
			changed, err := r.editArguments(ctx, a)
			if errors.Is(err, errUnchanged) {
				r.screen.line("The arguments are as they were.")
				continue
			}
			if err != nil {
				return c, err
			}
			c.Approve = true
			c.Arguments, c.Calls = changed.Arguments, changed.Calls
			return c, nil
		default:
			r.screen.line(`y  run it
n  do not run it; the request ends
s  show all files
e  change the arguments, then run it
?  this help
Ctrl-C interrupts the request`)
		}
	}
}

// allFiles are all files of an approval, call by call if there are several.
func allFiles(a *wire.Approval) string {
	var b strings.Builder
	for i, c := range a.Calls {
		if len(a.Calls) > 1 {
			fmt.Fprintf(&b, "%d. %s\n", i+1, oneLine(c.Label))
		}
		for _, f := range c.Files {
			b.WriteString("  " + oneLine(f) + "\n")
		}
	}
	if len(a.Calls) == 0 {
		for _, f := range a.Files {
			b.WriteString("  " + oneLine(f) + "\n")
		}
	}
	if b.Len() == 0 {
		return "It does not say which files it changes."
	}
	return strings.TrimRight(b.String(), "\n")
}

// errUnchanged: the user has left the arguments as they were.
var errUnchanged = errors.New("nothing was changed")

// editArguments lets the user change the arguments of the calls: of one its
// object, of several an object of them by the id of the call. It asks again until
// they are JSON objects.
func (r *run) editArguments(ctx context.Context, a *wire.Approval) (wire.Command, error) {
	if len(a.Calls) == 0 {
		return wire.Command{}, errUnchanged
	}
	before := argumentsText(a)
	now := before
	for {
		text, err := r.edit(ctx, "arguments.json", now)
		switch {
		case ctx.Err() != nil:
			return wire.Command{}, ctx.Err()
		case err != nil && !errors.Is(err, errNoEditor):
			r.screen.line(r.screen.colors.red("✗ ") + Clean(err.Error()))
			return wire.Command{}, errUnchanged
		case err != nil:
			r.screen.line(Clean(before))
			text, err = r.keys.line(ctx, "arguments as JSON on one line (empty: leave them)> ")
			if err != nil {
				return wire.Command{}, err
			}
		}
		if text = strings.TrimSpace(text); text == "" || text == before {
			return wire.Command{}, errUnchanged
		}
		c, err := parseArguments(a, text)
		if err == nil {
			return c, nil
		}
		r.screen.line(r.screen.colors.red("✗ ") + Clean(err.Error()))
		key, err := r.keys.key(ctx, "Change them again? [y,n] ")
		if err != nil {
			return wire.Command{}, err
		}
		if key != 'y' && key != enter {
			return wire.Command{}, errUnchanged
		}
		now = text
	}
}

func argumentsText(a *wire.Approval) string {
	var value any = a.Calls[0].Arguments
	if len(a.Calls) > 1 {
		calls := map[string]json.RawMessage{}
		for _, c := range a.Calls {
			calls[c.ID] = c.Arguments
		}
		value = calls
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil { // arguments that are no JSON
		return string(a.Calls[0].Arguments)
	}
	return string(text)
}

func parseArguments(a *wire.Approval, text string) (wire.Command, error) {
	var c wire.Command
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return c, fmt.Errorf("not a JSON object: %w", orElse(err, errors.New("it is null")))
	}
	if len(a.Calls) == 1 {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(text)); err != nil {
			return c, err
		}
		c.Arguments = b.Bytes()
		return c, nil
	}
	known := map[string]bool{}
	for _, call := range a.Calls {
		known[call.ID] = true
	}
	for id := range object {
		if !known[id] {
			return c, fmt.Errorf("no call has the id %q", id)
		}
	}
	c.Calls = object
	return c, nil
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
