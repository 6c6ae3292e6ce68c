package workspace

import "golang.org/x/sys/unix"

func setXattr(name, key, value string) error { return unix.Setxattr(name, key, []byte(value), 0) }

func getXattr(name, key string) (string, error) {
	buf := make([]byte, 100)
	n, err := unix.Getxattr(name, key, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func mountSmall(dir string) error { return unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m") }

func unmountSmall(dir string) { _ = unix.Unmount(dir, unix.MNT_DETACH) }
