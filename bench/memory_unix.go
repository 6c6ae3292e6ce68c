//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is how much memory a process had at most, in bytes. The system counts
// what this program had when it started the other, too: it has to stay small.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
