package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/config"
	"redline/internal/console"
	"redline/internal/text"
)

func newConfig(s streams, w *where) *cobra.Command {
	c := &cobra.Command{
		Use:   "config [KEY]",
		Short: "Print the settings that hold here, and where each comes from",
		Long: `Print the settings that hold for the folder, and where each comes from.

Heard are, and the later one wins: the defaults of the toolset,
~/.config/redline/config.toml, .redline/config.toml of the folder, variables of the
environment such as REDLINE_MODEL, and flags. What the folder's file says that
could hurt counts only after redline trust. Keys of services are never printed.

docs/configuration.md describes every key.`,
		Example: `  redline config
  redline config maxIterations
  redline config --json
  redline --toolset coding config mode
  redline config path`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := loadSettings(cmd.Context(), w)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return printKey(s.out, set, args[0], w.json)
			}
			if w.json {
				return printJSON(s.out, listed(set))
			}
			return printSettings(s.out, set)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, k := range config.Keys {
				names = append(names, k.Name+"\t"+k.Doc)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.AddCommand(newConfigPath(s, w))
	return c
}

// settingJSON is a setting for programs.
type settingJSON struct {
	Key     string        `json:"key"`
	Value   any           `json:"value"` // null: not set; of secrets "set"
	Source  string        `json:"source"`
	From    string        `json:"from"`
	Type    string        `json:"type"`
	Words   []string      `json:"words,omitempty"`
	Env     string        `json:"env,omitempty"`
	Doc     string        `json:"doc"`
	Ignored []ignoredJSON `json:"ignored,omitempty"`
}

// ignoredJSON is what the folder wants in vain.
type ignoredJSON struct {
	Value any    `json:"value"`
	From  string `json:"from"`
	Why   string `json:"why"`
}

func listed(set *settings) []settingJSON {
	var list []settingJSON
	for _, v := range set.Settings() {
		list = append(list, describe(set, v))
	}
	return list
}

func describe(set *settings, v config.Setting) settingJSON {
	d := settingJSON{
		Key: v.Key.Name, Value: v.JSON(), Source: sourceName(v), From: v.Origin.String(),
		Type: v.Key.Type(), Words: v.Key.Words(), Env: v.Key.Env, Doc: v.Key.Doc,
	}
	if v.Value == nil {
		d.From = ""
	}
	for _, i := range set.Ignored {
		if i.Key.Name == v.Key.Name {
			d.Ignored = append(d.Ignored, ignoredJSON{i.JSON(), i.Origin.String(), i.Why})
		}
	}
	return d
}

func sourceName(v config.Setting) string {
	switch {
	case v.Value == nil:
		return "none"
	case v.Origin.Name == config.NoColor:
		return "environment"
	}
	return []string{"default", "user", "folder", "environment", "flag"}[v.Origin.Source]
}

func printKey(out io.Writer, set *settings, name string, asJSON bool) error {
	for _, v := range set.Settings() {
		switch {
		case v.Key.Name != name:
		case asJSON:
			return printJSON(out, describe(set, v))
		default:
			_, err := fmt.Fprintln(out, console.Clean(v.Display())) // a folder may have said it
			return err
		}
	}
	var names []string
	for _, k := range config.Keys {
		names = append(names, k.Name)
	}
	if near := text.Nearest(name, names); near != "" {
		return usage("unknown key %s; did you mean %s?", name, near)
	}
	return usage("unknown key %s; redline config lists them", name)
}

func printSettings(out io.Writer, set *settings) error {
	rows := [][]string{{"KEY", "VALUE", "FROM"}}
	for _, v := range set.Settings() {
		row := []string{v.Key.Name, "-", ""}
		if v.Value != nil {
			row[1], row[2] = oneLine(v.Display()), v.Origin.String()
		}
		rows = append(rows, row)
	}
	if err := printColumns(out, rows); err != nil {
		return err
	}
	if len(set.Ignored) > 0 {
		fmt.Fprintf(out, "\nIgnored of %s:\n", redline.ConfigPath)
		printIgnored(out, set.Ignored)
	}
	if slices.ContainsFunc(set.Ignored, func(i config.Ignored) bool { return !i.Never }) {
		fmt.Fprintln(out, "\nredline trust lets the folder's configuration count.")
	}
	return nil
}

// printColumns prints rows whose columns stand below each other.
func printColumns(out io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func printIgnored(out io.Writer, list []config.Ignored) {
	for _, i := range list {
		fmt.Fprintf(out, "  %s = %s (line %d): %s\n", i.Key.Name, oneLine(i.Display()), i.Origin.Line, i.Why)
	}
}

// oneLine is the beginning of a value that may be long, or be written to look
// like something else in a terminal.
func oneLine(value string) string {
	const longest = 60
	clean := strings.NewReplacer("\n", " ", "\t", " ").Replace(console.Clean(value))
	if r := []rune(clean); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return clean
}

func newConfigPath(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the files that are read",
		Example: `  redline config path
  $EDITOR "$(redline config path | head -1)"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := configFiles(cmd, w)
			if err != nil {
				return err
			}
			if w.json {
				return printJSON(s.out, files)
			}
			for _, f := range files {
				fmt.Fprintln(s.out, f.Path)
			}
			return nil
		},
	}
}

// fileJSON is a file of the configuration.
type fileJSON struct {
	Path    string `json:"path"`
	Source  string `json:"source"`
	Exists  bool   `json:"exists"`
	Trusted *bool  `json:"trusted,omitempty"` // of the folder's, if it is there
}

// configFiles finds the files, also if what is in them is broken.
func configFiles(cmd *cobra.Command, w *where) ([]fileJSON, error) {
	dir, err := filepath.Abs(w.dir)
	if err != nil {
		return nil, err
	}
	name := config.HomeName(os.Getenv)
	home, err := config.ReadHome(name)
	if err != nil {
		return nil, err
	}
	folder, err := redline.ReadFolderConfig(w.dir)
	if err != nil {
		return nil, err
	}
	own := fileJSON{Path: filepath.Join(dir, filepath.FromSlash(redline.ConfigPath)), Source: "folder", Exists: folder != nil}
	if folder != nil {
		set, _, err := userSettings(w)
		if err != nil {
			return nil, err
		}
		trusted, err := redline.Trusted(cmd.Context(), w.dir, set.options(), folder)
		if err != nil {
			return nil, err
		}
		own.Trusted = &trusted
	}
	return []fileJSON{{Path: name, Source: "user", Exists: home != nil}, own}, nil
}
