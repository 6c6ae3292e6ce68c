package jsonl

import (
	"errors"

	"golang.org/x/sys/windows"
)

// alive tells whether there is a process, whoever's it is.
func alive(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(process)
	const stillActive = 259
	var code uint32
	return windows.GetExitCodeProcess(process, &code) == nil && code == stillActive
}
