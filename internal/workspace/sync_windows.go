package workspace

import (
	"errors"

	"golang.org/x/sys/windows"
)

// syncUnsupported: directories cannot be synced here.
func syncUnsupported(error) bool { return true }

func isCrossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
