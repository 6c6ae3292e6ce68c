package main

import (
	"encoding/json"
	"errors"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// inTheWay are the reasons why something could not be written because of what is on
// the disk, from the ledger or from a server; false if that is not what is wrong.
func inTheWay(err error) ([]ledger.FileConflict, bool) {
	var here *ledger.Error
	if errors.As(err, &here) {
		return here.Conflicts, here.Code == ledger.Conflict
	}
	var there *wire.Error
	if !errors.As(err, &there) || there.Code != wire.CodeConflict {
		return nil, false
	}
	var list []ledger.FileConflict
	data, err := json.Marshal(there.Details["conflicts"])
	if err == nil {
		_ = json.Unmarshal(data, &list) // without them it is a conflict still
	}
	return list, true
}

func isConflict(err error) bool {
	_, ok := inTheWay(err)
	return ok || errors.Is(err, ledger.Conflict)
}
