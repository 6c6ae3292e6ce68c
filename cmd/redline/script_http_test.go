package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"redline"
)

// Commands of scripts for a server, besides those at TestScripts:
//
//	server NAME                        what redline serve --json, started as NAME, says at
//	                                   its start: $URL, $TOKEN, $OPEN
//	ask STATUS METHOD PATH [BODY]      a request to $URL, which may be unix:SOCKET, with
//	                                   $TOKEN, if it is not empty; the answer is stdout
//	socket DIR                         $URL becomes the socket of a folder's server
//	until METHOD PATH REGEXP           asks until the answer matches
//	occupy                             something listens on $TAKEN until the script ends
//	pick NAME FIELD                    a field of the last answer becomes a variable
var serverCommands = map[string]func(*testscript.TestScript, bool, []string){
	"server": learnServer, "ask": askServer, "until": askUntil, "pick": pickField, "occupy": occupy, "socket": useSocket,
}

func learnServer(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	await(ts, false, []string{"../" + args[0] + ".out", `^\{.*\}$`})
	var said announcement
	data, err := os.ReadFile(beside(ts, args[0]+".out"))
	ts.Check(err)
	ts.Check(json.Unmarshal(data, &said))
	ts.Setenv("URL", said.URL)
	ts.Setenv("TOKEN", said.Token)
	ts.Setenv("OPEN", strings.TrimPrefix(said.Open, said.URL))
}

func askServer(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, 4)
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	status, body, err := request(ts, args[1], args[2], strings.Join(args[3:], ""))
	ts.Check(err)
	_, err = fmt.Fprintln(ts.Stdout(), body)
	ts.Check(err)
	ts.Setenv("ANSWER", body)
	if status != want {
		ts.Fatalf("status %d, want %d", status, want)
	}
}

func askUntil(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, 3)
	want, err := regexp.Compile(args[2])
	ts.Check(err)
	var body string
	defer func() { ts.Logf("%s", body) }()
	eventually(ts, strings.Join(args, " "), func() bool {
		_, body, err = request(ts, args[0], args[1], "")
		ts.Check(err)
		return want.MatchString(body)
	})
	ts.Setenv("ANSWER", body)
}

func pickField(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	found := regexp.MustCompile(`"` + regexp.QuoteMeta(args[1]) + `":"?([^",}]*)`).FindStringSubmatch(ts.Getenv("ANSWER"))
	if found == nil {
		ts.Fatalf("the last answer has no %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func useSocket(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	socket, err := redline.Socket(ts.MkAbs(args[0]), redline.Options{State: filepath.Join(ts.Getenv("XDG_STATE_HOME"), "redline")})
	ts.Check(err)
	ts.Setenv("URL", "unix:"+socket)
}

// request asks the server of the script.
func request(ts *testscript.TestScript, method, path, body string) (int, string, error) {
	url, transport := ts.Getenv("URL"), &http.Transport{DisableKeepAlives: true}
	if socket, ok := strings.CutPrefix(url, "unix:"); ok {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
		url = "http://localhost"
	}
	r, err := http.NewRequest(method, url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, "", err
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if token := ts.Getenv("TOKEN"); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: transport, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, strings.TrimSpace(string(data)), err
}

// occupy listens on a free port of this machine until the script ends: $TAKEN.
func occupy(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv("TAKEN", l.Addr().String())
}
