//go:build !linux

package ledger_test

import "errors"

func mountSmall(dir string) error { return errors.ErrUnsupported }

func remountReadOnly(dir string) error { return errors.ErrUnsupported }

func unmountSmall(dir string) {}
