package route

import (
	"fmt"
	"strings"
	"time"

	"redline/llm"
)

// job is what a Router remembers between the steps of one job. The Router's
// lock guards it.
type job struct {
	local  bool   // the local model answered the last step
	left   string // why the local model does not do; "": it does
	failed int    // local attempts in a row that failed
	schema int    // those of them that had an invalid schema
	last   string // how the last one failed
}

// fail counts a failed attempt and reports whether it was the last allowed.
func (j *job) fail(how string, schema bool, allowed int) bool {
	j.failed++
	if schema {
		j.schema++
	}
	j.last = how
	if j.failed < allowed {
		return false
	}
	switch {
	case j.schema == j.failed:
		j.left = "the local model answered with an invalid schema " + times(j.failed)
	case j.schema == 0:
		j.left = fmt.Sprintf("the local model failed %s: %s", times(j.failed), how)
	default:
		j.left = fmt.Sprintf("the local model failed %s in a row, the last time: %s", times(j.failed), how)
	}
	return true
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// first chooses who answers a step.
func (r *Router) first(j *job, req llm.Request) llm.Choice {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.config.Mode != HybridAuto {
		return r.choose(j, r.config.Mode == Local, "mode "+string(r.config.Mode))
	}
	why, barred := j.left, r.config.barred()
	if why == "" {
		why = r.beyond(req)
	}
	switch {
	case why != "" && barred == "":
		j.left = why
		return r.choose(j, false, "remote: "+why)
	case why != "":
		return r.choose(j, true, fmt.Sprintf("local: %s, but %s", why, barred))
	case j.failed > 0:
		return r.choose(j, true, r.again(j))
	}
	return r.choose(j, true, "local first")
}

func (r *Router) again(j *job) string {
	return fmt.Sprintf("local again, attempt %d of %d: %s", j.failed+1, r.config.Controls.MaxLocalAttempts, j.last)
}

func (r *Router) choose(j *job, local bool, reason string) llm.Choice {
	j.local = local
	c := llm.Choice{Mode: string(r.config.Mode), Side: string(Local), Provider: r.config.Local.Model.Provider, Model: r.config.Local.Model.ID, Reason: reason}
	if !local {
		c.Side, c.Provider, c.Model = string(Remote), r.config.Remote.Model.Provider, r.config.Remote.Model.ID
	}
	return c
}

// beyond says what in a request is beyond the local model, as far as can be
// known before asking it.
func (r *Router) beyond(req llm.Request) string {
	req.Model = r.config.Local.Model
	if f := req.Unable(); f != nil {
		words, _, _ := strings.Cut(f.Message, ";") // behind it is advice for those without a router
		return words
	}
	if !req.Model.Can.Images && newImages(req.Messages) {
		return "the local model cannot see the images that a tool returned"
	}
	if size := req.EstimateTokens(); r.config.Controls.RemoteOnContextOverflow && req.Model.Context > 0 && size > req.Model.Context {
		return fmt.Sprintf("the conversation of about %d tokens does not fit into the %d of the local model", size, req.Model.Context)
	}
	return ""
}

// newImages reports whether tools have returned images since the last answer.
func newImages(history []llm.Message) bool {
	for i := len(history) - 1; i >= 0 && history[i].Role != llm.RoleAssistant; i-- {
		if result, ok := history[i].ToolResult(); ok && len(result.Images) > 0 {
			return true
		}
	}
	return false
}

// next chooses who answers the step after a failed attempt; false: nobody, it
// has failed. The failure then says why remote did not help.
func (r *Router) next(j *job, local, slow bool, f *llm.Failure) (llm.Choice, *llm.Failure, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.config.Mode != HybridAuto {
		return llm.Choice{}, f, false
	}
	if !local {
		return llm.Choice{}, saying(f, "remote was asked because "+j.left), false
	}
	if off := r.unwanted(f); off != "" && !slow {
		return llm.Choice{}, saying(f, "remote was not asked: "+off), false
	}
	switch {
	case slow:
		j.left = fmt.Sprintf("the local model was not finished after %s", r.config.limit())
	case f.Class == llm.ClassContextTooLarge:
		j.left = "the conversation does not fit into the local model: " + f.Message
	case f.Class == llm.ClassTimeout || !f.Retry:
		j.left = "the local model failed: " + f.Error()
	default:
		if !j.fail(f.Error(), false, r.config.Controls.MaxLocalAttempts) {
			return r.choose(j, true, r.again(j)), f, true
		}
	}
	if barred := r.config.barred(); barred != "" {
		return llm.Choice{}, saying(f, "remote was not asked: "+barred), false
	}
	return r.choose(j, false, "remote: "+j.left), f, true
}

// unwanted names the control that keeps a failure from leading to remote.
func (r *Router) unwanted(f *llm.Failure) string {
	switch {
	case f.Class == llm.ClassContextTooLarge && !r.config.Controls.RemoteOnContextOverflow:
		return "hybrid_remote_on_context_overflow is off"
	case f.Class == llm.ClassTimeout && r.config.Controls.RemoteOnTimeoutMS == 0:
		return "hybrid_remote_on_timeout_ms is 0"
	}
	return ""
}

// saying is the failure with more words.
func saying(f *llm.Failure, more string) *llm.Failure {
	said := *f
	said.Message += "; " + more
	return &said
}

// Observe tells how the last step went and reports whether the next one goes to
// the remote model because of it. What the remote model did changes nothing.
func (r *Router) Observe(outcome llm.Outcome) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.job
	if r.config.Mode != HybridAuto || !j.local {
		return false
	}
	switch outcome {
	case llm.OutcomeSchemaFailure:
		if !r.config.Controls.RemoteOnSchemaFail || !j.fail("the last answer had an invalid schema", true, r.config.Controls.MaxLocalAttempts) {
			return false
		}
	case llm.OutcomeValidationFailure:
		j.left = "what the local model proposed did not pass the checks"
	case llm.OutcomeOverflow:
		if !r.config.Controls.RemoteOnContextOverflow {
			return false
		}
		j.left = "the conversation does not fit into the local model"
	case llm.OutcomeTimeout:
		if r.config.Controls.RemoteOnTimeoutMS == 0 {
			return false
		}
		j.left = fmt.Sprintf("the local model took too long; a step may take %s", time.Duration(r.config.Controls.RemoteOnTimeoutMS)*time.Millisecond)
	case llm.OutcomeBudget:
		j.left = "the local model used up its tool calls without a result"
	case llm.OutcomeOK:
		*j = job{local: true}
		return false
	default:
		return false
	}
	return r.config.barred() == ""
}
