package main

import "github.com/rogpeppe/go-internal/testscript"

func sendSignal(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no signals here") }

func startOnTerminal(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no terminal here") }

func awaitEnd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no processes to look at here")
}
