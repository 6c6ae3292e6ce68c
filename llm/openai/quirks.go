package openai

import (
	"maps"

	"redline/llm"
)

// dialect is how a server that speaks Chat Completions differs from others. It
// rules what is sent. What comes is read without asking whose it is: reasoning
// in any of its fields, calls in any number of pieces.
type dialect struct {
	limit       string               // the field that limits the answer
	room        bool                 // and thinking with it, so that it needs room beside the answer
	developer   bool                 // thinking models have the system prompt in the role developer
	ask         []asking             // how thinking is asked for
	words       map[llm.Level]string // its words for levels; "" is not sent; the model's own come first
	replay      replay               // how a model's own thinking is sent back to it
	replayEmpty bool                 // a message with calls has that field also when there was no thinking
	usage       bool                 // must be asked for usage
	ids         llm.IDRule           // of calls
	files       bool                 // takes documents as files
	images      bool                 // takes images in the result of a tool
	bridge      bool                 // wants the assistant to speak between a tool and the user
	userLast    bool                 // does not take a conversation that ends with the assistant
	output      output               // the most it can do for structured output
	outputAlone bool                 // could not call tools while it keeps to a schema
	store       bool                 // keeps answers unless told otherwise
	cacheKey    bool                 // takes prompt_cache_key
	parallel    bool                 // must be asked for several calls in one answer
	anyChoice   bool                 // cannot be told which tool to call, only that it must call one
	apart       bool                 // counts reasoning tokens beside the output, not in it
}

// asking is a field of the request that is about thinking.
type asking int

const (
	askEffort   asking = iota // reasoning_effort: word
	askObject                 // reasoning: {effort: word}
	askToggle                 // thinking: {type: enabled or disabled}
	askTemplate               // chat_template_kwargs: {enable_thinking: bool, reasoning_effort: word}
)

// replay is the field of an assistant's message that carries its thinking.
type replay int

const (
	replayNone    replay = iota
	replayContent        // reasoning_content
	replayText           // reasoning
	replayDetails        // reasoning_details, as they came
	replayChunks         // content, as a chunk of type thinking
)

// output is a kind of response_format.
type output int

const (
	outputNone   output = iota // the schema is only told in the system prompt
	outputObject               // and the answer will be some JSON object
	outputSchema               // the schema is kept by the server
)

// chatIDs: OpenAI takes 40 bytes at most, and nobody else fewer but Mistral.
var chatIDs = llm.IDRule{Max: 40}

// mistralIDs are exactly nine letters and digits.
var mistralIDs = llm.IDRule{Max: 9, Min: 9, Allow: func(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}}

// threeWords is what most servers know of the words of OpenAI.
var threeWords = map[llm.Level]string{llm.ThinkMinimal: "low", llm.ThinkLow: "low", llm.ThinkMedium: "medium", llm.ThinkHigh: "high"}

// plain is a server of which nothing is known.
var plain = dialect{limit: "max_tokens", ask: []asking{askEffort}, words: threeWords, usage: true, ids: chatIDs, output: outputSchema, outputAlone: true}

var dialects = map[string]dialect{
	"openai": {
		limit: "max_completion_tokens", room: true, developer: true, ask: []asking{askEffort},
		words: map[llm.Level]string{llm.ThinkMinimal: "minimal", llm.ThinkLow: "low", llm.ThinkMedium: "medium", llm.ThinkHigh: "high"},
		usage: true, ids: chatIDs, files: true, output: outputSchema, store: true, cacheKey: true,
	},
	"ollama": {
		limit: "max_tokens", ask: []asking{askEffort}, words: with(threeWords, llm.ThinkOff, "none"), replay: replayText,
		usage: true, ids: chatIDs, output: outputSchema, outputAlone: true,
	},
	"llamacpp": {
		limit: "max_tokens", ask: []asking{askTemplate}, words: threeWords, replay: replayContent,
		usage: true, ids: chatIDs, output: outputSchema, outputAlone: true, parallel: true, anyChoice: true, userLast: true,
	},
	"lmstudio": {
		limit: "max_tokens", ask: []asking{askEffort}, words: with(threeWords, llm.ThinkOff, "none"), replay: replayContent,
		usage: true, ids: chatIDs, output: outputSchema, outputAlone: true, anyChoice: true,
	},
	"vllm": { // gpt-oss heeds the effort, templates the rest
		limit: "max_tokens", ask: []asking{askEffort, askTemplate}, words: threeWords, replay: replayText,
		usage: true, ids: chatIDs, output: outputSchema, outputAlone: true,
	},
	"openrouter": {
		limit: "max_tokens", ask: []asking{askObject}, replay: replayDetails,
		words: map[llm.Level]string{llm.ThinkOff: "none", llm.ThinkMinimal: "minimal", llm.ThinkLow: "low", llm.ThinkMedium: "medium", llm.ThinkHigh: "high"},
		usage: true, ids: chatIDs, files: true, output: outputSchema,
	},
	"deepseek": { // refuses calls in the history that lack reasoning_content
		limit: "max_tokens", ask: []asking{askToggle, askEffort}, replay: replayContent, replayEmpty: true,
		words: map[llm.Level]string{llm.ThinkMinimal: "low", llm.ThinkLow: "low", llm.ThinkMedium: "high", llm.ThinkHigh: "high"},
		usage: true, ids: chatIDs, output: outputObject,
	},
	"groq": { // neither kind of structured output goes with streaming
		limit: "max_completion_tokens", ask: []asking{askEffort}, words: threeWords,
		usage: true, ids: chatIDs, output: outputNone,
	},
	"mistral": { // refuses fields that it does not know, and sends usage unasked
		limit: "max_tokens", ask: []asking{askEffort}, replay: replayChunks,
		words: map[llm.Level]string{llm.ThinkOff: "none", llm.ThinkMinimal: "high", llm.ThinkLow: "high", llm.ThinkMedium: "high", llm.ThinkHigh: "high"},
		ids:   mistralIDs, images: true, bridge: true, userLast: true, output: outputSchema, outputAlone: true,
	},
	"xai": {
		limit: "max_completion_tokens", ask: []asking{askEffort}, words: threeWords,
		usage: true, ids: chatIDs, output: outputSchema, apart: true,
	},
}

func with(words map[llm.Level]string, level llm.Level, word string) map[llm.Level]string {
	more := maps.Clone(words)
	more[level] = word
	return more
}

func dialectOf(m llm.Model) dialect {
	name := m.Dialect
	if name == "" {
		name = m.Provider
	}
	if d, ok := dialects[name]; ok {
		return d
	}
	return plain
}

// word is what the model is told for a level of thinking, "" being nothing.
func (d dialect) word(m llm.Model, level llm.Level) string {
	if word, ok := m.Efforts[level]; ok {
		return word
	}
	return d.words[level]
}

// endings are the values of finish_reason that are known of any server. Others
// count as an ordinary end.
var endings = map[string]llm.StopReason{
	"stop":           llm.StopEnd,
	"eos":            llm.StopEnd,
	"eos_token":      llm.StopEnd,
	"end_turn":       llm.StopEnd,
	"length":         llm.StopLength,
	"max_tokens":     llm.StopLength,
	"model_length":   llm.StopLength, // Mistral
	"tool_calls":     llm.StopToolUse,
	"function_call":  llm.StopToolUse,
	"content_filter": llm.StopContentFilter,
	"safety":         llm.StopContentFilter,

	"error":                        llm.StopError, // Mistral, OpenRouter
	"abort":                        llm.StopError, // vLLM
	"insufficient_system_resource": llm.StopError, // DeepSeek
}
