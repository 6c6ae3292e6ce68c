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

// completeFlags lets a shell complete the values of flags that are few.
func completeFlags(root *cobra.Command) {
	for flag, key := range map[string]string{"toolset": "toolset", "review": "review", "mode": "mode", "thinking": "thinking"} {
		complete(root, flag, func() []string { return wordsOf(key) })
	}
	complete(root, "model", redline.ModelNames)
}

func complete(root *cobra.Command, flag string, names func() []string) {
	if root.Flag(flag) == nil {
		return
	}
	err := root.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
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
