package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Option is one that a command understands.
type Option struct {
	Short string // one letter; "": none
	Long  string // without dashes; "": none
	// Value is the name of its value, as in "NUM"; "": it has none. One that begins with "["
	// can be left out: it is then only what stands right behind the option.
	Value string
	Help  string
	// Number options are those of head -5, uniq +2: a dash and digits. Short is "0-9".
	Number bool
	// Refused is why the option of the GNU tool is not possible here and what to do
	// instead: "redirect the output with >". Such an option is in no list.
	Refused string
}

// name is how commands ask for the option.
func (o Option) name() string {
	if o.Short != "" {
		return o.Short
	}
	return o.Long
}

// Given is an option that was given.
type Given struct {
	Name     string // the letter, or the long name if there is none
	Value    string
	HasValue bool
	Long     string // the long name as written in full, if the option was written so
}

// Flag tells whether an option was given, by its letter or long name.
func (c *Call) Flag(name string) bool {
	return slices.ContainsFunc(c.Given, func(g Given) bool { return g.Name == name })
}

// Value is the value of an option that counts, which is the last one.
func (c *Call) Value(name string) (string, bool) {
	for _, g := range slices.Backward(c.Given) {
		if g.Name == name {
			return g.Value, true
		}
	}
	return "", false
}

// Values are the values of an option that may be given several times.
func (c *Call) Values(name string) []string {
	var values []string
	for _, g := range c.Given {
		if g.Name == name {
			values = append(values, g.Value)
		}
	}
	return values
}

// Last is which of some options that exclude each other counts: the last one; "" if
// none was given.
func (c *Call) Last(names ...string) string {
	for _, g := range slices.Backward(c.Given) {
		if slices.Contains(names, g.Name) {
			return g.Name
		}
	}
	return ""
}

// badUsage is the status for an option that a command does not have.
const badUsage = 2

// parse fills Given and Operands. done is true if the command has nothing left to
// do.
func (c *Call) parse() (status int, done bool) {
	if c.Command.Raw {
		return 0, false
	}
	c.Given, c.Operands = nil, nil
	args := c.Args
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var ok bool
		switch {
		case arg == "--":
			c.Operands = append(c.Operands, args...)
			return 0, false
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			c.Operands = append(c.Operands, arg)
			continue
		case arg == "--help":
			c.help()
			return 0, true
		case strings.HasPrefix(arg, "--"):
			args, ok = c.long(arg[2:], args)
		default:
			args, ok = c.cluster(arg[1:], args)
		}
		if !ok {
			return badUsage, true
		}
	}
	return 0, false
}

// long takes one long option; it may be shortened as long as it is clear.
func (c *Call) long(arg string, rest []string) ([]string, bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	var found []Option
	for _, o := range c.Command.Options {
		if o.Long == name {
			found = []Option{o}
			break
		}
		if o.Long != "" && strings.HasPrefix(o.Long, name) {
			found = append(found, o)
		}
	}
	switch {
	case len(found) == 0:
		c.Try(badUsage, "unrecognized option '--%s'", name)
		return nil, false
	case len(found) > 1:
		var all []string
		for _, o := range found {
			all = append(all, "'--"+o.Long+"'")
		}
		c.Try(badUsage, "option '--%s' is ambiguous; possibilities: %s", name, strings.Join(all, " "))
		return nil, false
	}
	o := found[0]
	switch {
	case o.Refused != "":
		return nil, c.refuse("--"+o.Long, o)
	case o.Value == "" && hasValue:
		c.Try(badUsage, "option '--%s' doesn't allow an argument", o.Long)
		return nil, false
	case o.Value != "" && !hasValue && !strings.HasPrefix(o.Value, "["):
		if len(rest) == 0 {
			c.Try(badUsage, "option '--%s' requires an argument", o.Long)
			return nil, false
		}
		value, hasValue, rest = rest[0], true, rest[1:]
	}
	c.Given = append(c.Given, Given{Name: o.name(), Value: value, HasValue: hasValue, Long: o.Long})
	return rest, true
}

// cluster takes the letters behind one dash.
func (c *Call) cluster(letters string, rest []string) ([]string, bool) {
	number := slices.IndexFunc(c.Command.Options, func(o Option) bool { return o.Number })
	for letters != "" {
		if n := digits(letters); n > 0 && number >= 0 {
			c.Given = append(c.Given, Given{Name: c.Command.Options[number].name(), Value: letters[:n], HasValue: true})
			letters = letters[n:]
			continue
		}
		_, size := utf8.DecodeRuneInString(letters)
		letter := letters[:size]
		letters = letters[size:]
		i := slices.IndexFunc(c.Command.Options, func(o Option) bool { return o.Short == letter && !o.Number })
		if i < 0 {
			c.Try(badUsage, "invalid option -- '%s'", letter)
			return nil, false
		}
		o := c.Command.Options[i]
		if o.Refused != "" {
			return nil, c.refuse("-"+letter, o)
		}
		given := Given{Name: o.name()}
		if o.Value != "" {
			switch {
			case letters != "":
				given.Value, given.HasValue, letters = letters, true, ""
			case strings.HasPrefix(o.Value, "["):
			case len(rest) == 0:
				c.Try(badUsage, "option requires an argument -- '%s'", letter)
				return nil, false
			default:
				given.Value, given.HasValue, rest = rest[0], true, rest[1:]
			}
		}
		c.Given = append(c.Given, given)
	}
	return rest, true
}

// refuse says that an option is not possible, and returns false.
func (c *Call) refuse(spelling string, o Option) bool {
	c.Fail(badUsage, "%s is not available here: %s", spelling, o.Refused)
	return false
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// help prints what --help says.
func (c *Call) help() { c.Out.WriteString(c.Command.Help()) }

// Help is the text of --help.
func (k *Command) Help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s\n%s\n", k.Name, k.Synopsis, k.About)
	if len(k.Options) > 0 {
		b.WriteString("\n")
	}
	for _, o := range k.Options {
		if o.Refused == "" {
			fmt.Fprintf(&b, "  %-28s %s\n", o.spelling(), o.Help)
		}
	}
	if k.Differs != "" {
		fmt.Fprintf(&b, "\n%s\n", k.Differs)
	}
	return b.String()
}

// spelling is how the option is written: "-A, --after-context=NUM".
func (o Option) spelling() string {
	var forms []string
	if o.Number {
		return "-" + strings.Trim(o.Value, "[]")
	}
	if o.Short != "" {
		form := "-" + o.Short
		if o.Long == "" && o.Value != "" {
			if strings.HasPrefix(o.Value, "[") {
				form += o.Value
			} else {
				form += " " + o.Value
			}
		}
		forms = append(forms, form)
	}
	if o.Long != "" {
		form := "--" + o.Long
		switch {
		case strings.HasPrefix(o.Value, "["):
			form += "[=" + o.Value[1:]
		case o.Value != "":
			form += "=" + o.Value
		}
		forms = append(forms, form)
	}
	return strings.Join(forms, ", ")
}
