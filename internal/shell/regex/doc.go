// Package regex is the regular expressions of POSIX and GNU tools.
package regex
