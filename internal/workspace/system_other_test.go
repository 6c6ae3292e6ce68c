//go:build !linux

package workspace

import "errors"

func setXattr(name, key, value string) error { return errors.ErrUnsupported }

func getXattr(name, key string) (string, error) { return "", errors.ErrUnsupported }

func mountSmall(dir string) error { return errors.ErrUnsupported }

func unmountSmall(dir string) {}
