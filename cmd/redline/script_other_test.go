//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func canMount() bool { return false }

func mountDisk(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no disk can be made here") }
