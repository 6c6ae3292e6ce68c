package ledger

import (
	"os"
	"strings"
	"sync"
)

// bootID names this run of the operating system. What was written in the same
// run is in its memory, if not on the disk, and cannot have been lost.
var bootID = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
})
