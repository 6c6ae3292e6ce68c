package shell

import (
	"os"
	"strings"
)

// markVariable holds the ids of the calls that a process belongs to, outermost
// first: a command can be Redline, which runs commands.
const markVariable = "REDLINE_COMMAND"

// quiet tells programs that no person and no terminal is there.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// environment is the user's own without the keys of models, for the command with
// this id in this folder.
func environment(id, dir string) []string {
	marks := id
	var env []string
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case strings.HasSuffix(strings.ToUpper(name), "_API_KEY"):
		case name == markVariable:
			marks = value + ":" + id
		default:
			env = append(env, variable)
		}
	}
	env = append(env, quiet...) // of two values, the last counts
	return append(env, "PWD="+dir, markVariable+"="+marks)
}
