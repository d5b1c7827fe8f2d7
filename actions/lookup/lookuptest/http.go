package lookuptest

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"triage/actions/config"
)

// speaker answers on a bare connection after it has read the request; gone is closed
// when the test ends.
type speaker func(conn net.Conn, gone <-chan struct{})

// overHTTP is a receiver that speaks for itself on a real connection.
func overHTTP(speak speaker) Setup {
	return func(t testing.TB) config.Target { return served(t, func(string) speaker { return speak }) }
}

// byPath is a receiver that speaks by the path that it is asked at.
func byPath(at map[string]speaker, elsewhere speaker) Setup {
	return func(t testing.TB) config.Target {
		return served(t, func(path string) speaker {
			if speak := at[path]; speak != nil {
				return speak
			}
			return elsewhere
		})
	}
}

func served(t testing.TB, choose func(path string) speaker) config.Target {
	return httpTarget("http://" + listen(t, func(conn net.Conn, gone <-chan struct{}) {
		if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			choose(r.URL.Path)(conn, gone)
		}
	}))
}

// moving is a receiver that lists its deliveries on two pages. With each look at the
// first one another delivery is gone from it, and those behind have moved up.
func moving(t testing.TB) config.Target {
	var looks atomic.Int32
	target := served(t, func(path string) speaker {
		if path == "/2" {
			return answers(200, `{"items":[],"next":null}`)
		}
		return answers(200, fmt.Sprintf(`{"items":["monthly-%d"],"next":"/2"}`, looks.Add(1)))
	})
	h := target.Lookup.HTTP
	h.Mapping = config.Mapping{Found: `any(.body.items[]; . == "` + Key + `")`, NotFound: `all(.body.items[]; . != "` + Key + `")`}
	h.Next = ".body.next"
	return target
}

func httpTarget(base string) config.Target {
	return asked(config.Lookup{HTTP: &config.HTTP{
		URL:     base + "/deliveries/{op_key}",
		Headers: map[string]string{"Authorization": "Bearer " + secret},
		Mapping: config.Mapping{
			Found: ".status == 200", NotFound: ".status == 404", InProgress: ".status == 202", Refused: ".status == 422",
			Key: ".body.op_key", Receipt: ".body.receipt", PayloadSHA256: ".body.payload_sha256", Owner: ".body.owner",
		},
		Secrets: []string{secret},
	}})
}

// listen accepts connections until the test ends.
func listen(t testing.TB, serve func(conn net.Conn, gone <-chan struct{})) (address string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var talking sync.WaitGroup
	gone := make(chan struct{})
	talking.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talking.Go(func() {
				defer func() { _ = conn.Close() }() // nobody is left to tell
				serve(conn, gone)
			})
		}
	})
	t.Cleanup(func() {
		close(gone)
		_ = l.Close() // nobody can come any more either way
		talking.Wait()
	})
	return l.Addr().String()
}

// nobody is an address at which nothing listens.
func nobody(t testing.TB) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // nobody can come any more either way
	return l.Addr().String()
}

// says writes these bytes and hangs up.
func says(text string) speaker {
	return func(conn net.Conn, _ <-chan struct{}) { fmt.Fprint(conn, text) }
}

// answers is a whole, correct answer in JSON.
func answers(status int, body string, headers ...string) speaker {
	head := strings.Join(append(headers, ""), "\r\n")
	return says(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", status, head, len(body), body))
}

// page is an answer of another content type.
func page(status int, kind, body string) speaker {
	return says(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, kind, len(body), body))
}

// silent reads and never answers.
func silent(_ net.Conn, gone <-chan struct{}) { <-gone }

// begins writes a start and never goes on.
func begins(text string) speaker {
	return func(conn net.Conn, gone <-chan struct{}) {
		fmt.Fprint(conn, text)
		<-gone
	}
}

// resets breaks the connection off with a reset.
func resets(conn net.Conn, _ <-chan struct{}) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // at worst the connection ends without a reset
	}
}

// floods writes a start, and the same piece over and over for as long as anyone reads.
func floods(start, piece string) speaker {
	return func(conn net.Conn, _ <-chan struct{}) {
		fmt.Fprint(conn, start)
		for {
			if _, err := fmt.Fprint(conn, piece); err != nil {
				return
			}
		}
	}
}
