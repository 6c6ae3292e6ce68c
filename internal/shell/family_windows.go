package shell

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a shell and everything that descends from it: a job object.
type family struct {
	cmd    *exec.Cmd
	job    windows.Handle
	exited chan struct{} // closed when the shell has exited
}

// start starts the shell and puts it into a job. What it has started before it is
// in there (it takes longer to load) would not be.
func start(shell string, c Command, stdout, stderr *os.File) (*family, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(shell, "-c", c.Line)
	cmd.Dir, cmd.Env = c.Dir, environment(rand.Text(), c.Dir)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	if err := enter(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, err
	}
	f := &family{cmd: cmd, job: job, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(f.exited)
	}()
	return f, nil
}

// enter puts a process that was not waited for yet into the job. One that has
// exited already needs none.
func enter(job windows.Handle, pid int) error {
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	err = windows.AssignProcessToJobObject(job, handle)
	if event, _ := windows.WaitForSingleObject(handle, 0); event == windows.WAIT_OBJECT_0 {
		return nil
	}
	return err
}

// end ends every member. It returns the commands of those that were ended, the
// shell excepted.
func (f *family) end() (left, running []string) {
	var ended roster
	for _, pid := range f.members() {
		if int(pid) != f.cmd.Process.Pid {
			ended.add(image(pid))
		}
	}
	_ = windows.TerminateJobObject(f.job, 1)
	<-f.exited
	_ = windows.CloseHandle(f.job)
	return ended.list(), nil
}

func (f *family) exitCode() int { return f.cmd.ProcessState.ExitCode() }

// members are the ids of the processes in the job; of very many, the first.
func (f *family) members() []uint32 {
	var list struct { // JOBOBJECT_BASIC_PROCESS_ID_LIST
		assigned, listed uint32
		ids              [1024]uintptr
	}
	err := windows.QueryInformationJobObject(f.job, windows.JobObjectBasicProcessIdList, uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil
	}
	var pids []uint32
	for _, id := range list.ids[:min(int(list.listed), len(list.ids))] {
		pids = append(pids, uint32(id))
	}
	return pids
}

// image is the path of the program that a process runs.
func image(pid uint32) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "unknown"
	}
	defer windows.CloseHandle(handle)
	var buf [windows.MAX_LONG_PATH]uint16
	size := uint32(len(buf))
	if windows.QueryFullProcessImageName(handle, 0, &buf[0], &size) != nil {
		return "unknown"
	}
	return windows.UTF16ToString(buf[:size])
}

// tooLong tells whether a start failed for the length of the command.
func tooLong(err error) bool { return errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) }
