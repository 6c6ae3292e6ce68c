package redline

import (
	"os"
	"path/filepath"
)

// SocketName is the name, in the state of a folder, of the socket on which a server
// of the folder listens.
const SocketName = "server.sock"

// StateDir is where Redline keeps what it knows of a folder. It may not be there yet.
func StateDir(dir string, o Options) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	_, state, err := statePlace(dir, o)
	return state, err
}

// Socket is where a server of the folder would listen, if one runs. Where the state
// has too long a name for the address of a socket, it has a link to another place.
func Socket(dir string, o Options) (string, error) {
	state, err := StateDir(dir, o)
	if err != nil {
		return "", err
	}
	socket := filepath.Join(state, SocketName)
	if elsewhere, err := os.Readlink(socket); err == nil {
		return elsewhere, nil
	}
	return socket, nil
}
