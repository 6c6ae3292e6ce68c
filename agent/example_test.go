package agent_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"redline/agent"
	"redline/llm"
	"redline/llm/app"
	"redline/llm/scripted"
	"redline/tool"
)

// A model behind a server, which plays a script here, works with a tool of ours
// until it is done.
func Example() {
	server := httptest.NewServer(app.Handler(app.Config{
		Authorise: app.FixedTokens(map[llm.Secret]string{"token": "anna"}),
		Resolve: func(context.Context, string, string) (llm.Provider, llm.Model, error) {
			return script, scripted.Model(), nil
		},
	}))
	defer server.Close()
	model, err := app.New(llm.Endpoint{BaseURL: server.URL, Key: "token", Proxy: "direct"})
	if err != nil {
		panic(err)
	}
	type city struct {
		City string `json:"city" jsonschema:"its name in English"`
	}
	weather := tool.Must(tool.New(tool.Info{Name: "weather", Description: "The weather of a city.", ReadOnly: true},
		func(_ context.Context, args city, _ tool.Update) (tool.Result, error) {
			return tool.Result{Output: "12 °C and rain in " + args.City}, nil
		}))
	tools, err := tool.NewSet(weather)
	if err != nil {
		panic(err)
	}
	a := agent.New(agent.Config{Provider: model, Model: scripted.Model(), Tools: tools, System: "Be brief."})
	a.Subscribe(func(e agent.Event) {
		switch e.Type {
		case agent.ToolStart:
			fmt.Println("→", e.Call.Name, string(e.Call.Arguments))
		case agent.ToolEnd:
			fmt.Println("←", e.Result.Output)
		}
	})
	outcome, err := a.Prompt(context.Background(), "Do I need an umbrella in Oslo?")
	messages := a.State().Messages
	fmt.Println(messages[len(messages)-1].Text())
	fmt.Println(outcome.End, outcome.Steps, err)
	// Output:
	// → weather {"city":"Oslo"}
	// ← 12 °C and rain in Oslo
	// Yes: 12 °C and rain.
	// done 2 <nil>
}

var script = scripted.New(
	scripted.Step{Text: "Let me look.", Calls: []scripted.Call{{Name: "weather", Arguments: `{"city":"Oslo"}`}}},
	scripted.Step{Text: "Yes: 12 °C and rain.", Expect: scripted.Expect{Contains: "rain in Oslo"}},
)
