package ledger_test

import (
	"os"
	"path/filepath"
	"syscall"
)

func init() {
	between["writes to memory"] = func(d *desk) {
		f, err := os.OpenFile(filepath.Join(d.dir, "a.md"), os.O_RDWR, 0)
		must(d.t, err)
		defer f.Close()
		m, err := syscall.Mmap(int(f.Fd()), 0, 2, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		must(d.t, err)
		m[0] = 'M'
		must(d.t, syscall.Munmap(m))
	}
}
