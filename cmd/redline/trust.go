package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"redline"
	"redline/internal/config"
	"redline/internal/console"
)

func newTrust(s streams, w *where) *cobra.Command {
	var revoke bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Let the folder's own configuration count in full",
		Long: `Let .redline/config.toml of the folder count in full.

A folder can come from anywhere. What its configuration says about models, keys,
prompts, and anything that would allow more than you do, is ignored until you
trust it. Trust is for the file as it is now: if it changes, it has to be given
again. It is kept in Redline's own state, not in the folder.`,
		Example: `  redline trust
  redline -C ~/novel trust --yes
  redline trust --revoke`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if revoke {
				return revokeTrust(cmd.Context(), s, w)
			}
			return giveTrust(cmd.Context(), s, w)
		},
	}
	c.Flags().BoolVar(&revoke, "revoke", false, "end the trust")
	return c
}

// trustJSON is what became of it.
type trustJSON struct {
	Trusted bool         `json:"trusted"`
	Hash    string       `json:"hash,omitempty"` // of the configuration
	Allows  []allowsJSON `json:"allows"`         // what trust lets count
}

type allowsJSON struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	Line  int    `json:"line"`
	Why   string `json:"why"`
}

func giveTrust(ctx context.Context, s streams, w *where) error {
	set, sources, err := userSettings(w)
	if err != nil {
		return err
	}
	own, err := redline.ReadFolderConfig(w.dir)
	if err != nil {
		return err
	}
	if own == nil {
		return fmt.Errorf("the folder has no %s, so there is nothing to trust", redline.ConfigPath)
	}
	sources.Folder = &config.File{Name: redline.ConfigPath, Data: own.Data}
	with, err := config.Load(sources)
	if err != nil {
		return ofFlags(err)
	}
	var wants []config.Ignored
	for _, i := range with.Ignored {
		if !i.Never {
			wants = append(wants, i)
		}
	}
	if len(wants) == 0 {
		return nothingToTrust(s, w)
	}
	if err := agree(s, w, own, wants); err != nil {
		return err
	}
	if err := redline.Trust(ctx, w.dir, set.options(), own); err != nil {
		return err
	}
	if w.json {
		return printJSON(s.out, trustJSON{Trusted: true, Hash: own.Hash, Allows: allowsOf(wants)})
	}
	fmt.Fprintf(s.out, "Trusted: %s as it is now.\n", redline.ConfigPath)
	return nil
}

func allowsOf(wants []config.Ignored) []allowsJSON {
	list := []allowsJSON{}
	for _, i := range wants {
		list = append(list, allowsJSON{i.Key.Name, i.JSON(), i.Origin.Line, i.Why})
	}
	return list
}

func nothingToTrust(s streams, w *where) error {
	if w.json {
		return printJSON(s.out, trustJSON{Allows: []allowsJSON{}})
	}
	_, err := fmt.Fprintf(s.out, "All that %s says counts already; trust would change nothing.\n", redline.ConfigPath)
	return err
}

// agree shows what trust would allow and asks. It is an error if the user does not
// agree.
func agree(s streams, w *where, own *redline.FolderConfig, wants []config.Ignored) error {
	if !w.json {
		fmt.Fprintf(s.out, "%s (%s) wants:\n", redline.ConfigPath, short(own.Hash))
		for _, i := range wants {
			fmt.Fprintf(s.out, "  line %d: %s = %s\n    %s\n", i.Origin.Line, i.Key.Name, whole(i), i.Why)
		}
	}
	if w.yes {
		return nil
	}
	in, ok := s.in.(*os.File)
	if !ok || w.json || !term.IsTerminal(int(in.Fd())) {
		return usage("nobody can be asked here: say redline trust --yes if you agree")
	}
	fmt.Fprint(s.out, "Let it count? [y/N] ")
	answer, _ := bufio.NewReader(in).ReadString('\n') // an end of input is a no
	if a := strings.ToLower(strings.TrimSpace(answer)); a == "y" || a == "yes" {
		return nil
	}
	return &status{exitDenied, errors.New("not trusted")}
}

// whole is all of a value that the user is to agree to, as it would be written in
// JSON, with what is left of characters that could hide something in a terminal made
// visible.
func whole(i config.Ignored) string {
	value := i.Value
	if _, ok := value.(time.Duration); ok {
		value = i.Display()
	}
	data, err := json.Marshal(value)
	if err != nil {
		return console.Clean(i.Display())
	}
	return strings.ReplaceAll(console.Clean(string(data)), `\n`, "\n      ")
}

// short is the beginning of a hash, for people.
func short(hash string) string {
	const shown = 12
	_, digits, _ := strings.Cut(hash, ":")
	return digits[:min(shown, len(digits))]
}

func revokeTrust(ctx context.Context, s streams, w *where) error {
	set, _, err := userSettings(w)
	if err != nil {
		return err
	}
	if err := redline.Revoke(ctx, w.dir, set.options()); err != nil {
		return err
	}
	if w.json {
		return printJSON(s.out, trustJSON{Allows: []allowsJSON{}})
	}
	fmt.Fprintf(s.out, "%s is not trusted.\n", redline.ConfigPath)
	return nil
}
