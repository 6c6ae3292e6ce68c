package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/config"
)

func newCompletion(s streams) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands in a shell",
		Long: `Print a script with which a shell completes the commands and flags of redline,
and the names of toolsets, reviews, modes and models.`,
		Example: `  source <(redline completion bash)
  redline completion zsh > "${fpath[1]}/_redline"
  redline completion fish > ~/.config/fish/completions/redline.fish
  redline completion powershell | Out-String | Invoke-Expression`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return fmt.Errorf("name a shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(s.out, true)
			case "zsh":
				return root.GenZshCompletion(s.out)
			case "fish":
				return root.GenFishCompletion(s.out, true)
			}
			return root.GenPowerShellCompletionWithDesc(s.out)
		},
	}
}

// completeFlags lets a shell complete the values of flags of which there are few.
func completeFlags(root *cobra.Command) {
	values := map[string]func() []string{"model": redline.ModelNames}
	for _, key := range []string{"toolset", "review", "mode", "thinking"} {
		values[key] = func() []string { return wordsOf(key) }
	}
	for _, c := range append(root.Commands(), root) {
		for flag, names := range values {
			if c.Flags().Lookup(flag) != nil || c.PersistentFlags().Lookup(flag) != nil {
				complete(c, flag, names)
			}
		}
	}
}

func complete(c *cobra.Command, flag string, names func() []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // it was registered before
	}
}

func wordsOf(key string) []string {
	for _, k := range config.Keys {
		if k.Name == key {
			return k.Words()
		}
	}
	return nil
}
