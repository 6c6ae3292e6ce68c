package vault_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/shell/command"
	"redline/internal/toolset/toolsettest"
)

// TestDocs: the commands in docs/shell.md are those of the shell.
func TestDocs(t *testing.T) {
	const file, begin, end = "../../../docs/shell.md", "<!-- commands -->\n", "<!-- /commands -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), begin)
	old, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no marks for the commands", file)
	}
	if *toolsettest.Update {
		if err := os.WriteFile(file, []byte(before+begin+commandList()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(old, commandList()); d != "" {
		t.Errorf("renew it with -update (-docs +program):\n%s", d)
	}
}

// commandList is the commands for people.
func commandList() string {
	var b strings.Builder
	shown := map[*command.Option]string{} // which command has shown a table of options
	for _, k := range command.All() {
		fmt.Fprintf(&b, "\n### %s\n\n", k.Name)
		if k.Extra {
			b.WriteString("*Has to be allowed.* ")
		}
		fmt.Fprintf(&b, "%s\n\n```\n%s\n```\n", k.About, strings.TrimSpace(k.Name+" "+k.Synopsis))
		if len(k.Options) > 0 {
			if as := shown[&k.Options[0]]; as != "" {
				fmt.Fprintf(&b, "\nOptions: those of %s.\n", as)
			} else {
				shown[&k.Options[0]] = k.Name
				b.WriteString(optionTable(k.Options))
			}
		}
		if k.Differs != "" {
			fmt.Fprintf(&b, "\n*Differs:* %s\n", escaped(k.Differs))
		}
	}
	return b.String() + "\n"
}

func optionTable(options []command.Option) string {
	var b strings.Builder
	b.WriteString("\n| option | |\n|---|---|\n")
	for _, o := range options {
		if o.Refused == "" {
			fmt.Fprintf(&b, "| %s | %s |\n", spelling(o), escaped(o.Help))
		}
	}
	return b.String()
}

// spelling is how an option is written.
func spelling(o command.Option) string {
	var all []string
	value := o.Value
	switch {
	case o.Number:
		all = append(all, "`-NUM`")
	case o.Short != "" && o.Long == "" && value != "":
		all = append(all, "`-"+o.Short+" "+value+"`")
	case o.Short != "":
		all = append(all, "`-"+o.Short+"`")
	}
	if o.Long != "" {
		if strings.HasPrefix(value, "[") {
			value = "[=" + value[1:]
		} else if value != "" {
			value = "=" + value
		}
		all = append(all, "`--"+o.Long+value+"`")
	}
	return strings.ReplaceAll(strings.Join(all, ", "), "|", `\|`)
}

// escaped is a text for Markdown.
func escaped(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "\n", " ").Replace(s)
}
