package redline

import (
	"maps"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/toolset/project"
	"redline/llm"
	"redline/llm/route"
)

// Defaults are the values of settings, by their names in the configuration, that
// hold for a toolset if nobody says otherwise. Of settings that have no value by
// themselves there is none. Without a toolset it is only the name of the one that
// is used.
func Defaults(toolset string) map[string]any {
	if toolset == "" {
		return map[string]any{"toolset": Toolsets[0]}
	}
	d := session.DefaultsFor(toolset)
	values := map[string]any{
		"thinking": string(llm.ThinkOff), "budget": 0.0, "color": "auto",
		"review": string(d.Review), "mode": string(d.Mode), "send_message": toolset == "vault",
		"maxActionsPerRequest": d.Limits.Actions, "maxIterations": d.Limits.Iterations, "maxTokensPerIteration": d.Limits.TokensPerIteration,
		"max_tool_calls_per_job": d.Limits.ToolCalls, "max_schema_retries": d.Limits.SchemaRetries,
		"bulk": d.Limits.Bulk, "maxDestructivePerMinute": d.Limits.DestructivePerMinute, "wallTime": d.Limits.Wall,
		"shell.sandbox": false, "shell.sandbox_net": false, "shell.copy_limit": int(ledger.DefaultMaxCopy.Bytes >> 20), "shell.copy_files": ledger.DefaultMaxCopy.Files,
		"max_hunk_lines": diff.DefaultLimits.MaxHunkLines, "max_hunk_bytes": diff.DefaultLimits.MaxHunkBytes,
	}
	if d.Limits.Temperature != nil {
		values["temperature"] = *d.Limits.Temperature
	}
	maps.Copy(values, projectDefaults())
	maps.Copy(values, routeDefaults())
	maps.Copy(values, hostDefaults())
	return values
}

// hostDefaults are those of sessions and jobs that a server keeps.
func hostDefaults() map[string]any {
	return map[string]any{
		"max_sessions": 25, "max_jobs_per_session": 40, "max_events_per_job": 3000, "completed_ttl_hours": 72,
		"poll_interval_ms": 2000, "confirm_before_edits": false, "rerun_on_conflict": false, "listen": "127.0.0.1:7333",
	}
}

func projectDefaults() map[string]any {
	l := project.DefaultLimits()
	return map[string]any{
		"max_search_results_default": l.SearchResults, "max_search_results_cap": l.SearchCap, "max_search_snippet_lines": l.SnippetLines,
		"max_read_bytes_default": l.ReadBytes, "max_read_lines_default": l.ReadLines,
	}
}

func routeDefaults() map[string]any {
	c := route.DefaultControls()
	return map[string]any{
		"agent_mode":                        string(route.Remote),
		"hybrid_max_local_attempts":         c.MaxLocalAttempts,
		"hybrid_remote_on_schema_fail":      c.RemoteOnSchemaFail,
		"hybrid_remote_on_context_overflow": c.RemoteOnContextOverflow,
		"hybrid_remote_on_timeout_ms":       c.RemoteOnTimeoutMS,
	}
}
