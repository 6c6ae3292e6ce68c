package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"redline"
	"redline/llm"
)

func newModels(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "models",
		Short: "List the services and models that are known, and which one is used",
		Long: `List the services and models that are known, which services have a key, what the
models cost, and which model would be used here and why.

A model is used that is named with --model or in the configuration; else, if the
key of a service is in the environment, the usual model of the first of
anthropic, openai, google and deepseek that has one; else the built-in model,
which needs neither a key nor a network. Model servers on this machine are looked
for here, so that they can be named; they are never used by themselves.

Any model of a service can be named, listed or not.`,
		Example: `  redline models
  redline --model ollama/qwen3 models
  redline models --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := loadSettings(cmd.Context(), w)
			if err != nil {
				return err
			}
			report, err := modelReport(cmd.Context(), set)
			if err != nil {
				return err
			}
			if w.json {
				return printJSON(s.out, report)
			}
			return report.print(s.out)
		},
	}
}

// modelsJSON is what is known of models.
type modelsJSON struct {
	Chosen   chosenJSON            `json:"chosen"`
	Checked  string                `json:"checked"` // the day of the prices
	Services []serviceJSON         `json:"services"`
	Models   []llm.Model           `json:"models"`
	Found    []redline.LocalServer `json:"found"` // on this machine
}

type chosenJSON struct {
	Name  string `json:"name,omitempty"`
	Why   string `json:"why,omitempty"`
	Error string `json:"error,omitempty"` // why there is none
}

type serviceJSON struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	API     llm.API  `json:"api"`
	BaseURL string   `json:"base_url,omitempty"`
	Local   bool     `json:"local"`
	Keys    []string `json:"keys"`              // variables for its key; none: it needs no key
	KeySet  string   `json:"key_set,omitempty"` // the variable that is set
}

func modelReport(ctx context.Context, set *settings) (*modelsJSON, error) {
	c, err := set.catalogue()
	if err != nil {
		return nil, err
	}
	r := &modelsJSON{Checked: c.Checked, Models: c.Models(), Found: redline.LocalServers(ctx, c)}
	if r.Found == nil {
		r.Found = []redline.LocalServer{}
	}
	if m, err := set.model(); err != nil {
		r.Chosen.Error = err.Error()
	} else {
		r.Chosen = chosenJSON{Name: m.Name, Why: m.Why}
	}
	for _, s := range c.Services() {
		_, variable, _ := s.Key("", os.Getenv, "")
		r.Services = append(r.Services, serviceJSON{
			ID: s.ID, Label: s.Label, API: s.API, BaseURL: withoutUser(s.BaseURL), Local: s.Local, Keys: append([]string{}, s.Keys...), KeySet: variable,
		})
	}
	return r, nil
}

func (r *modelsJSON) print(out io.Writer) error {
	if r.Chosen.Error != "" {
		fmt.Fprintf(out, "No model: %s\n\n", r.Chosen.Error)
	} else {
		fmt.Fprintf(out, "Used here: %s (%s)\n\n", r.Chosen.Name, r.Chosen.Why)
	}
	for _, f := range r.Found {
		fmt.Fprintf(out, "%s answers on this machine; use it with %s\n\n", f.Service, hintOf(f))
	}
	rows := [][]string{{"SERVICE", "KEY", "ADDRESS"}}
	for _, s := range r.Services {
		rows = append(rows, []string{s.ID, s.keyText(), s.address()})
	}
	if err := printColumns(out, rows); err != nil {
		return err
	}
	const row = "%-34s%9s%9s%9s%9s\n"
	fmt.Fprintf(out, "\n"+row, "MODEL", "CONTEXT", "ANSWER", "$ IN", "$ OUT")
	for _, m := range r.Models {
		in, answer := prices(m)
		fmt.Fprintf(out, row, m.Name(), tokens(m.Context), tokens(m.MaxOutput), in, answer)
	}
	_, err := fmt.Fprintf(out, "\nPrices are in US dollars for a million tokens, as of %s; they change.\n", r.Checked)
	return err
}

// hintOf is how a server that was found is used.
func hintOf(f redline.LocalServer) string {
	if len(f.Models) == 0 {
		return fmt.Sprintf("--model %s/NAME (it lists no model yet)", f.Service)
	}
	const few = 5
	list := make([]string, 0, few)
	for _, name := range f.Models[:min(few, len(f.Models))] {
		list = append(list, "--model "+f.Service+"/"+oneLine(name))
	}
	hint := strings.Join(list, " or ")
	if more := len(f.Models) - few; more > 0 {
		hint += fmt.Sprintf(" or one of %d more", more)
	}
	return hint
}

func (s serviceJSON) keyText() string {
	switch {
	case s.KeySet != "":
		return s.KeySet + " is set"
	case len(s.Keys) == 0:
		return "needs none"
	}
	return "set " + strings.Join(s.Keys, " or ")
}

func (s serviceJSON) address() string {
	switch {
	case s.API == llm.APIOffline:
		return "built in"
	case s.BaseURL == "":
		return "name it with --base-url"
	}
	return s.BaseURL
}

// tokens writes a number of tokens for people.
func tokens(n int) string {
	switch {
	case n == 0:
		return "-"
	case n >= 1_000_000:
		return strconv.FormatFloat(float64((n+5_000)/10_000)/100, 'f', -1, 64) + "M"
	case n >= 1000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

// prices are what a million tokens cost; of models on this machine nothing.
func prices(m llm.Model) (in, out string) {
	switch {
	case m.Price != nil:
		return money(m.Price.Input), money(m.Price.Output)
	case m.Local:
		return "0", "0"
	}
	return "-", "-"
}

func money(usd float64) string { return strconv.FormatFloat(usd, 'f', -1, 64) }

// withoutUser leaves out the name and password that an address may have.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}
