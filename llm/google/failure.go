package google

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"redline/llm"
)

// maxRefusal is the size in bytes up to which the body of a refusal is read.
const maxRefusal = 1 << 20

// refusal is what an answer with another status than 200 says.
func refusal(res *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil && len(body) == 0 {
		return err
	}
	if list, err := chunksOf(body); err == nil {
		for _, c := range list {
			if c.Error != nil {
				return c.Error.failure(res.StatusCode, res.Header)
			}
		}
	}
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") { // a page of something between here and the service
		text = ""
	}
	return llm.HTTPFailure(res.StatusCode, res.Header, "", text)
}

// chunksOf reads one chunk, or a list of them: Google wraps errors in one, and so
// do servers that do not know of events.
func chunksOf(data []byte) ([]chunk, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		var list []chunk
		err := json.Unmarshal(data, &list)
		return list, err
	}
	var one [1]chunk
	err := json.Unmarshal(data, &one[0])
	return one[:], err
}

// failure sorts an error of the service. In the middle of a stream its code
// stands for the status.
func (e *apiError) failure(status int, header http.Header) *llm.Failure {
	f := llm.HTTPFailure(status, header, e.Status, e.Message)
	for _, d := range e.Details {
		switch d.Type[strings.LastIndexByte(d.Type, '/')+1:] {
		case "google.rpc.RetryInfo":
			if rest, err := time.ParseDuration(d.RetryDelay); err == nil {
				f.RetryAfter = max(f.RetryAfter, rest)
			}
		case "google.rpc.QuotaFailure":
			for _, v := range d.Violations {
				if strings.Contains(v.QuotaID, "PerDay") { // asking again today is in vain
					f.Retry = false
				}
			}
		}
	}
	return f
}
