package route_test

import (
	"context"
	"encoding/json"
	"fmt"

	"redline/llm"
	"redline/llm/route"
)

// The local model is asked first. When the one who runs the steps finds its
// answer unfit, the rest of the job goes to the remote model.
func Example() {
	controls := route.DefaultControls()
	if err := json.Unmarshal([]byte(`{"hybrid_max_local_attempts": 1}`), &controls); err != nil {
		fmt.Println(err)
		return
	}
	router, err := route.New(route.Config{
		Mode:     route.HybridAuto,
		Local:    route.Side{Provider: says("{oops"), Model: llm.Model{ID: "small", Provider: "home", Local: true}},
		Remote:   route.Side{Provider: says("{}"), Model: llm.Model{ID: "large", Provider: "cloud"}},
		Controls: controls,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		req := llm.Request{Messages: []llm.Message{llm.User("Answer with JSON.")}}
		var answer llm.Builder
		for ev, err := range router.Stream(context.Background(), req) {
			if err != nil {
				fmt.Println(err)
				return
			}
			if ev.Type == llm.EventRoute {
				fmt.Println(ev.Route.Reason)
			}
			answer.Add(ev)
		}
		fmt.Println("  ", answer.Message().Text())
		if !json.Valid([]byte(answer.Message().Text())) {
			router.Observe(llm.OutcomeSchemaFailure)
		}
	}
	// Output:
	// local first
	//    {oops
	// remote: the local model answered with an invalid schema once
	//    {}
}
