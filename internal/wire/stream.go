package wire

// FrameEnd is the last frame of the stream of a job that is over: an End. A browser
// would otherwise connect again.
const FrameEnd = "end"

// End is how a job has ended.
type End struct {
	Status JobStatus `json:"status"`
	Cursor int       `json:"cursor"` // of its last event
}
