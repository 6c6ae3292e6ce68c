package shell

// Sandbox confines a command and all that descends from it.
//
//   - The folder and a private folder for temporary files, which is also its HOME
//     and is removed afterwards, can be read and written.
//   - The system's programs, libraries and settings, and the folders in PATH, can be
//     read and run.
//   - Nothing else can be read, listed or written: not the user's home, not Redline's
//     own state.
//   - There is no network, and no way to a service of this machine by a socket.
//   - Other processes can be neither looked into nor debugged nor sent signals, and
//     share no memory and queues with it.
//
// What the kernel cannot do of that [Confinement] tells.
type Sandbox struct {
	// Net allows sockets: the network, and the services of this machine.
	Net bool
	// Private is where the private folder is made; "": where the system has its
	// temporary files.
	Private string
	// Hidden are folders that stay closed wherever they are, beside the user's home
	// and configuration.
	Hidden []string
}

// Stage is what a command finds in the place of its folder: a copy of it, or what
// Upper has over it, where what it does goes. At most one of the two is set.
type Stage struct {
	Copy        string // absolute path of a copy
	Upper, Work string // of an overlay: the upper layer, and an empty folder beside it
}

// None tells whether the command works on the folder itself.
func (s Stage) None() bool { return s == Stage{} }
