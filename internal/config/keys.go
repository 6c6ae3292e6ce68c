package config

import "slices"

// Trust is what the file of a folder may say of a key. A folder can come from
// anywhere, so what it says counts in full only when the user trusts it.
type Trust int

const (
	Free     Trust = iota // anything
	Stricter              // what allows no more than without it, and the rest when trusted
	Needed                // nothing until it is trusted
	Never                 // nothing, trusted or not
)

// Key is a setting that can be made.
type Key struct {
	Name      string
	Env       string // the environment variable; "": none
	Doc       string // what it is for, for people
	Trust     Trust
	ByToolset bool // its default is the toolset's

	kind kind
}

// Type says what kind of value the key takes.
func (k Key) Type() string { return k.kind.name() }

// Words are what the key can be, if these are few.
func (k Key) Words() []string {
	w, _ := k.kind.(word)
	return slices.Clone(w.words)
}

// Keys are all keys, in the order in which they are shown.
var Keys = []Key{
	{"model", "REDLINE_MODEL", "the model, as service/model; offline; scripted:FILE", Needed, false, text{check: checkModel}},
	{"base_url", "REDLINE_BASE_URL", "where the model's server is", Needed, false, text{check: checkURL}},
	{"api_key", "REDLINE_API_KEY", "the key of the model's service", Needed, false, secret{}},
	{"thinking", "REDLINE_THINKING", "how much the model thinks before it answers", Stricter, false, words("off", "minimal", "low", "medium", "high")},
	{"system_prompt", "REDLINE_SYSTEM_PROMPT", "instead of the toolset's own prompt: a text, or @FILE", Needed, false, text{check: checkPrompt}},
	{"toolset", "REDLINE_TOOLSET", "the tools that the model has", Needed, false, words("documents", "project", "vault", "coding")},
	{"review", "REDLINE_REVIEW", "when changes reach the disk", Stricter, true, word{[]string{"hunks", "turn", "optimistic", "auto"}, []float64{0, 0, 1, 2}}},
	{"mode", "REDLINE_MODE", "which calls run without a question", Stricter, true, words("restricted", "custom", "supervised", "autonomous")},
	{"rules", "REDLINE_RULES", "of mode custom: a list of verdict:tool:path; in the environment with ; between them", Stricter, false, rules{}},
	{"confirmDestructive", "REDLINE_CONFIRM_DESTRUCTIVE", "true is mode supervised, false is mode autonomous, unless the same source names a mode", Stricter, false, truth{}},
	{"budget", "REDLINE_BUDGET", "US dollars that one request may cost; 0: no limit", Stricter, false, amount{none: true}},
	{"send_message", "REDLINE_SEND_MESSAGE", "the model may send you messages while it works", Free, true, truth{}},
	{"state", "REDLINE_STATE", "the folder for Redline's own state", Never, false, text{}},
	{"color", "REDLINE_COLOR", "colours in the terminal", Stricter, false, words("never", "auto", "always")},

	{"shell.sandbox", "REDLINE_SHELL_SANDBOX", "confine the commands of the toolset coding", Stricter, false, truth{-1}},
	{"shell.sandbox_net", "REDLINE_SHELL_SANDBOX_NET", "let confined commands have the network, and the services of this machine", Stricter, false, truth{1}},
	{"shell.copy_limit", "REDLINE_SHELL_COPY_LIMIT", "megabytes of a folder that is copied for a command, under review hunks or turn", Stricter, false, number{least: 1}},
	{"shell.copy_files", "REDLINE_SHELL_COPY_FILES", "files of a folder that is copied for a command, under review hunks or turn", Stricter, false, number{least: 1}},

	{"shell.allow", "REDLINE_SHELL_ALLOW", "the commands of the toolset vault: a list of all there are, or with + before each name what is added to the usual ones; in the environment with ; between them", Needed, false, commands{}},

	{"agent_mode", "REDLINE_AGENT_MODE", "which of local_model and model answers", Needed, false, words("local", "hybrid_auto", "remote")},
	{"local_model", "REDLINE_LOCAL_MODEL", "the model of agent_mode local and hybrid_auto", Needed, false, text{check: checkModel}},
	{"hybrid_max_local_attempts", "REDLINE_HYBRID_MAX_LOCAL_ATTEMPTS", "failed attempts in a row before hybrid_auto leaves the local model", Needed, false, number{least: 1}},
	{"hybrid_remote_on_schema_fail", "REDLINE_HYBRID_REMOTE_ON_SCHEMA_FAIL", "an answer of the wrong form is a failed attempt", Needed, false, truth{}},
	{"hybrid_remote_on_context_overflow", "REDLINE_HYBRID_REMOTE_ON_CONTEXT_OVERFLOW", "leave when the conversation is too large for the local model", Needed, false, truth{}},
	{"hybrid_remote_on_timeout_ms", "REDLINE_HYBRID_REMOTE_ON_TIMEOUT_MS", "milliseconds that a local step may take; 0: no limit", Needed, false, number{}},

	{"maxActionsPerRequest", "REDLINE_MAX_ACTIONS_PER_REQUEST", "calls that change something, for one request; 0: no limit", Stricter, true, number{none: true}},
	{"maxIterations", "REDLINE_MAX_ITERATIONS", "answers of the model for one request; 0: no limit", Stricter, true, number{none: true}},
	{"maxTokensPerIteration", "REDLINE_MAX_TOKENS_PER_ITERATION", "tokens of one answer; 0: the model's own limit", Stricter, true, number{none: true}},
	{"max_tool_calls_per_job", "REDLINE_MAX_TOOL_CALLS_PER_JOB", "calls of any tool for one request; 0: no limit", Stricter, true, number{none: true}},
	{"max_schema_retries", "REDLINE_MAX_SCHEMA_RETRIES", "answers of the wrong form in a row", Stricter, true, number{least: 1}},
	{"temperature", "REDLINE_TEMPERATURE", "of the model, 0 to 2", Free, true, amount{most: 2}},
	{"bulk", "REDLINE_BULK", "files; a call that changes more is asked about; 0: no limit", Stricter, true, number{none: true}},
	{"maxDestructivePerMinute", "REDLINE_MAX_DESTRUCTIVE_PER_MINUTE", "files that destructive calls may touch in a minute; 0: no limit", Stricter, true, number{none: true}},
	{"wallTime", "REDLINE_WALL_TIME", "how long a request may take, such as 30m; 0s: no limit", Stricter, true, span{}},
	{"max_search_results_default", "REDLINE_MAX_SEARCH_RESULTS_DEFAULT", "results of a search that does not say how many", Stricter, false, number{least: 1}},
	{"max_search_results_cap", "REDLINE_MAX_SEARCH_RESULTS_CAP", "results that a search can ask for", Stricter, false, number{least: 1}},
	{"max_search_snippet_lines", "REDLINE_MAX_SEARCH_SNIPPET_LINES", "lines of a result", Stricter, false, number{least: 1}},
	{"max_read_bytes_default", "REDLINE_MAX_READ_BYTES_DEFAULT", "bytes that a read shows", Stricter, false, number{least: 1}},
	{"max_read_lines_default", "REDLINE_MAX_READ_LINES_DEFAULT", "lines that a read shows", Stricter, false, number{least: 1}},
	{"max_hunk_lines", "REDLINE_MAX_HUNK_LINES", "lines of a hunk before it is split", Free, false, number{least: 1}},
	{"max_hunk_bytes", "REDLINE_MAX_HUNK_BYTES", "bytes of a hunk before it is split", Free, false, number{least: 1}},

	{"max_sessions", "REDLINE_MAX_SESSIONS", "sessions of a folder that are in use; the least used is archived for a new one; 0: no limit", Needed, false, number{none: true}},
	{"max_jobs_per_session", "REDLINE_MAX_JOBS_PER_SESSION", "jobs that are kept of a session; the oldest that are over go first; 0: no limit", Needed, false, number{none: true}},
	{"max_events_per_job", "REDLINE_MAX_EVENTS_PER_JOB", "events that are kept of a job; the oldest go first; 0: no limit", Needed, false, number{none: true}},
	{"completed_ttl_hours", "REDLINE_COMPLETED_TTL_HOURS", "hours that a job is kept when it is over; 0: for good", Needed, false, number{none: true}},
	{"poll_interval_ms", "REDLINE_POLL_INTERVAL_MS", "milliseconds between two requests of a page that polls", Needed, false, number{least: 100}},
	{"confirm_before_edits", "REDLINE_CONFIRM_BEFORE_EDITS", "the agent states its plan and waits before its first change", Stricter, false, truth{-1}},
	{"rerun_on_conflict", "REDLINE_RERUN_ON_CONFLICT", "a request whose changes cannot be applied is repeated on the fresh files without asking", Stricter, false, truth{1}},
	{"listen", "REDLINE_LISTEN", "the address of redline serve, as host:port", Never, false, text{check: checkAddress}},
	{"token", "REDLINE_TOKEN", "what requests to redline serve must show; without it a random one for each start", Never, false, secret{least: 16}},
	{"clients", "", "tables [clients.NAME]: tokens of other programs that may use the models of redline serve", Never, false, clients{}},

	{"services", "", "tables: places that answer for models, as in the catalogue", Needed, false, tables{}},
	{"models", "", "tables: facts of models, as in the catalogue", Needed, false, tables{}},
}

// keyOf finds a key by its name.
func keyOf(name string) (Key, bool) {
	i := slices.IndexFunc(Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return Keys[i], true
}

func names(of func(Key) string) []string {
	var list []string
	for _, k := range Keys {
		if name := of(k); name != "" {
			list = append(list, name)
		}
	}
	return list
}

func keyNames() []string { return names(func(k Key) string { return k.Name }) }
