package wire

// The lists that routes answer with: an object, so that something can be said beside
// the list one day. No list is null.

// SessionList are sessions, the one written to last first.
type SessionList struct {
	Sessions []SessionInfo `json:"sessions"`
}

// Review is what waits for a decision in a session, oldest first.
type Review struct {
	Turns []Turn `json:"turns"`
}

// TurnList are turns, newest first.
type TurnList struct {
	Turns []Turn `json:"turns"`
}

// FolderList are the folders that a server works on; a request that names none means
// the first.
type FolderList struct {
	Folders []FolderInfo `json:"folders"`
}

// FolderInfo is one of them.
type FolderInfo struct {
	Name string `json:"name" doc:"by which requests choose it"`
	Path string `json:"path"`
}

// TabList are the documents that are open.
type TabList struct {
	Tabs []Tab `json:"tabs"`
}

// TabRequest opens or closes a document.
type TabRequest struct {
	Path string `json:"file_path" minLength:"1"`
}

// History is what a document was, newest first.
type History struct {
	Path     string    `json:"file_path"`
	Versions []Version `json:"versions"`
}

// TrashList is what is in the trash.
type TrashList struct {
	Items []Trashed `json:"items"`
}

// AuditLog are calls and decisions, newest first.
type AuditLog struct {
	Entries []AuditEntry `json:"entries"`
}

// ModelList are the models that a session can use.
type ModelList struct {
	Models []Model `json:"models"`
}

// Config is how sessions work that say nothing else.
type Config struct {
	Settings []Setting `json:"settings"`
}

// ArchiveRequest puts a session away, or takes it out again.
type ArchiveRequest struct {
	Archived bool `json:"archived"`
}

// TurnRequest names a turn.
type TurnRequest struct {
	Turn string `json:"turn_id,omitempty" doc:"the newest that it can be done with, if it is left out"`
}

// AcceptRequest accepts a whole turn.
type AcceptRequest struct {
	AsOne []string `json:"accept_as_one,omitempty" doc:"oversized hunks that are accepted without a split"`
}

// Health is the answer of a server that works.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}
