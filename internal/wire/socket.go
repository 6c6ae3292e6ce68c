package wire

// The frames of a two-way stream besides the events of jobs.
const (
	FrameHello = "hello" // Hello: the first frame
	FrameReply = "reply" // Reply: to a Request with an id
)

// Request is a command over a two-way stream. One with an id gets a Reply.
type Request struct {
	ID string `json:"id,omitempty"`
	Command
}

// Hello is the data of the first frame: the session as the events begin. Nothing that
// happens after it is missing from them; what has happened shortly before may be told
// again.
type Hello struct {
	Session Session `json:"session"`
}

// Reply tells that a command was carried out, or why not.
type Reply struct {
	Type   string  `json:"type"` // FrameReply
	ID     string  `json:"id"`
	Error  *Error  `json:"error,omitempty"`
	Status *Status `json:"status,omitempty"` // where the session stands now, after a decision
}
