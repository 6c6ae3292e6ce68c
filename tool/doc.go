// Package tool is what a model can call: tools made of Go functions, checked before they run and wrapped in limits, permission and audit.
//
// A [Tool] has a specification for the model and an Execute. [New] makes one
// of a function; the schema comes from its argument type. A [Set] holds the
// tools of one agent, and [Run] runs a call of a model whatever is in it:
//
//	llm.ToolCall ─▶ Run ─▶ find in the Set ─▶ repair and validate ─▶ wrappers ─▶ Execute
//	                 ▲            │                    │                 │           │
//	                 └── Result ◀─┴── unknown_tool ◀───┴─ invalid_… ◀────┴─ denied, ─┘
//	                                                                       timeout,
//	                                                                       aborted,
//	                                                                       crashed
//
// Whatever goes wrong is a [Result] that the model reads and can act on; Run
// has no error. Of calls that do not come as far as the wrappers, [Set.OnRefusal]
// learns.
//
// # Wrappers
//
// A [Wrapper] is a function from Tool to Tool. [Wrap] puts several around a
// tool, the first outermost:
//
//	tool.Wrap(t, tool.Audit(record), tool.Permit(decide), tool.Limit(limits))
//
//	┌─ Audit ───────────────────────────────────── sees everything, with its times ─┐
//	│ ┌─ Permit ────────────────────── allows, changes the arguments, refuses ────┐ │
//	│ │ ┌─ Limit ──────────────────────────── bounds the time and the output ───┐ │ │
//	│ │ │                          t.Execute                                    │ │ │
//	│ │ └───────────────────────────────────────────────────────────────────────┘ │ │
//	│ └───────────────────────────────────────────────────────────────────────────┘ │
//	└───────────────────────────────────────────────────────────────────────────────┘
//
// In this order the time that a person takes to answer does not count against
// the tool. What else a tool can (see [Tool]) stays visible through wrappers,
// because a wrapper has Unwrap() Tool; [Around] makes one.
//
// # Arguments
//
// The parameters of a tool are the fields of a struct:
//
//	type readArgs struct {
//		Path  string `json:"path" jsonschema:"file to read" min:"1"`
//		Mode  string `json:"mode,omitempty" enum:"text,binary" default:"text"`
//		Limit *int   `json:"limit,omitempty" jsonschema:"lines to read" min:"1" max:"5000"`
//	}
//
//	json:"name,omitempty"  the name; omitempty or omitzero, a pointer or a default make it optional
//	jsonschema:"words"     what the model is told about it
//	enum:"a,b"             the allowed values of a string, or of the strings of a list
//	min:"1" max:"9"        of a number its value, of a string its characters, of a list its length
//	pattern:"^[a-z]+$"     what a string, or each string of a list, must match
//	default:"text"         what is filled in when it is absent: plain text for a string, else JSON
//
// A tag that does not fit its field is an error of New. The schema uses no
// references, no null and no choice of types, so that every provider takes it.
//
// Arguments are repaired where only one meaning is possible, then validated.
// Repaired are:
//
//   - a number or a boolean sent as a string ("5" for 5)
//   - a list or an object sent as a string that holds its JSON
//   - a whole number written with a fraction or an exponent (5.0, 1e3)
//   - null for an optional parameter, which is the same as its absence
//   - an absent parameter that has a default
//
// Nothing else is guessed. An [InvalidError] names every problem by its path,
// what was expected and what came, so that the model can do better. If the
// struct has a method Check() error it is called last; a [Problem] returned by
// it says which parameter is meant.
package tool
