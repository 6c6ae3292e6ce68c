package command

import "strings"

func init() {
	for _, name := range []string{"bash", "sh"} {
		register(&Command{
			Name: name, About: "Run a script in a shell of its own.",
			Synopsis: "[-eflux] [-o OPTION] -c SCRIPT [NAME [ARGUMENT]...], or [OPTION]... FILE [ARGUMENT]..., or a script from standard input",
			Differs:  "It is the same shell again, without a process: the script can do what the one around it can. There is no interactive shell.",
			Raw:      true,
			Run:      sh,
		})
	}
}

// Script is what a shell inside of the shell is to run.
type Script struct {
	Text string
	Name string   // $0
	Args []string // $1 and so on
	Set  []string // options, as for set
}

func sh(c *Call) int {
	var s Script
	given, args := false, c.Args
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		arg := args[0]
		args = args[1:]
		switch arg {
		case "--help":
			c.help()
			return 0
		case "--login", "--noprofile", "--norc", "--posix":
			continue // there are no files that a shell begins with
		}
		if arg == "--" {
			break
		}
		for i, letter := range arg[1:] {
			switch {
			case letter == 'c' && arg[0] == '-':
				given = true
			case letter == 'o' && len(args) > 0:
				s.Set = append(s.Set, arg[:1]+"o", args[0])
				args = args[1:]
			case strings.ContainsRune("efux", letter):
				s.Set = append(s.Set, arg[:1]+string(letter))
			case letter == 'l' && arg[0] == '-':
			case letter == 'i' || letter == 's':
				return c.Fail(badUsage, "-%c is not available here: give the script with -c", letter)
			default:
				return c.Fail(badUsage, "%s: invalid option", arg[:1]+arg[1:][i:])
			}
		}
	}
	s.Name = c.Command.Name
	switch {
	case given && len(args) == 0:
		return c.Fail(badUsage, "-c: option requires an argument")
	case given:
		s.Text, args = args[0], args[1:]
		if len(args) > 0 {
			s.Name, args = args[0], args[1:]
		}
	default:
		source := "-"
		if len(args) > 0 {
			source, args = args[0], args[1:]
			s.Name = source
		}
		data, err := c.Read(source)
		if err != nil {
			return c.Fail(127, "%s: %s", source, Reason(err))
		}
		s.Text = string(data)
	}
	s.Args = args
	return c.Script(c, s)
}
