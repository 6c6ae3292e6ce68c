package jsonl

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

const extension = ".jsonl"

// fileTime is the time in a file's name: UTC, to the millisecond, without the
// characters that Windows does not allow.
const fileTime = "2006-01-02T15-04-05-000Z"

// projectName is the name of the folder for the sessions on cwd: its path with
// every separator as "-", between "--". Two paths may share a name (a-b/c and
// a/b-c): which session belongs to which is told by the cwd in its metadata.
func projectName(cwd string) string {
	path := strings.Trim(filepath.ToSlash(cwd), "/")
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, path)
	const longest = 200 // bytes: file systems stop at 255
	if len(name) > longest {
		cut := len(name) - longest // the end says more than the beginning
		for !utf8.RuneStart(name[cut]) {
			cut++
		}
		name = name[cut:]
	}
	return "--" + name + "--"
}

// absolute is the path by which a folder is known in metadata.
func absolute(cwd string) (string, error) {
	abs, err := filepath.Abs(cwd)
	if err != nil {
		return "", fmt.Errorf("the folder of the session: %w", err)
	}
	return abs, nil
}

// sameFolder compares two folders as they stand in metadata.
func sameFolder(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

func fileName(started time.Time, id string) string {
	stamp := started.UTC().Format("2006-01-02T15-04-05.000Z")
	return strings.Replace(stamp, ".", "-", 1) + "_" + id + extension
}

// parseFileName reads what a file's name says. A name that says nothing gives
// itself as the id.
func parseFileName(path string) (started time.Time, id string) {
	base := strings.TrimSuffix(filepath.Base(path), extension)
	stamp, id, ok := strings.Cut(base, "_")
	if !ok || len(stamp) != len(fileTime) {
		return time.Time{}, base
	}
	started, err := time.Parse("2006-01-02T15-04-05.000Z", stamp[:19]+"."+stamp[20:])
	if err != nil {
		return time.Time{}, base
	}
	return started, id
}
