package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"redline/llm"
	"redline/llm/app"
)

// A server answers for a model to which it holds the key. Its clients have
// tokens, and a budget.
func Example() {
	model := llm.Model{ID: "large-3", Provider: "acme", Price: &llm.Price{Input: 1000, Output: 2000}}
	var usage app.Usage
	server := httptest.NewServer(app.Handler(app.Config{
		Authorise: app.FixedTokens(map[llm.Secret]string{"token-of-anna": "anna"}),
		Resolve: func(_ context.Context, account, name string) (llm.Provider, llm.Model, error) {
			return says("Hello, " + account + "."), model, nil // in earnest: one of the protocols, opened with the key
		},
		Quota: func(_ context.Context, account string, _ llm.Model) error {
			if usage.Account(account).CostUSD > 0.01 {
				return &llm.Failure{Class: llm.ClassRateLimit, Message: "your budget of one cent is used up"}
			}
			return nil
		},
		Track: usage.Track,
	}))
	defer server.Close()

	client, err := app.New(llm.Endpoint{BaseURL: server.URL, Key: "token-of-anna", Proxy: "direct"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		req := llm.Request{Model: llm.Model{ID: "fast", Provider: "our"}, Messages: []llm.Message{llm.User("Hello?")}}
		said, err := llm.Collect(client.Stream(context.Background(), req))
		if err != nil {
			fmt.Println(err)
			return
		}
		if f := said.Reply.Failure; f != nil {
			fmt.Println(f)
			continue
		}
		fmt.Printf("%s (by %s, %d tokens, $%.2f)\n", said.Text(), said.Reply.Model, said.Reply.Usage.Total(), *said.Reply.CostUSD)
	}
	fmt.Printf("tracked: %d request, $%.2f\n", usage.Account("anna").Requests, usage.Account("anna").CostUSD)
	// Output:
	// Hello, anna. (by large-3, 15 tokens, $0.02)
	// the model's rate limit is reached (HTTP 429): your budget of one cent is used up
	// tracked: 1 request, $0.02
}
