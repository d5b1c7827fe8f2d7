package lookup

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"triage/actions/config"
)

// hostile is one way in which a receiver, or something on the way to it, can fail
// to answer. None of them says anything about a delivery.
type hostile struct {
	name  string
	speak func(conn net.Conn, r *http.Request, gone <-chan struct{})
	cause string // those that are right, separated by |
}

// hostiles is shared by all connectors that speak HTTP.
var hostiles = []hostile{
	// Cut connections.
	{"cut before the answer", saying(""), "connection_closed|connection_reset"},
	{"cut in the status line", saying("HTTP/1."), "malformed"},
	{"cut in the headers", saying("HTTP/1.1 404 Not Found\r\nContent-Type: applic"), "truncated"},
	{"cut before the body", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"), "truncated"},
	{"cut in the body", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{}"), "truncated"},
	{"cut in a body that is whole JSON", saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n" + goodBody), "truncated"},
	{"cut in a chunk", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), "truncated"},
	{"cut in a body without length", saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + goodBody[:40]), "truncated"},
	{"cut in a bare number", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n12"), "malformed"},
	{"reset", func(conn net.Conn, _ *http.Request, _ <-chan struct{}) {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}, "connection_reset"},
	// Wrong lengths.
	{"length too small", saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n" + goodBody), "truncated"},
	{"two lengths", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "), "malformed"},
	{"negative length", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: -2\r\n\r\n{}"), "malformed"},
	{"bad chunk", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"), "malformed"},
	// Slowness.
	{"silence", func(_ net.Conn, _ *http.Request, gone <-chan struct{}) { <-gone }, "timeout"},
	{"headers that drip", drip("HTTP/1.1 404 Not Found\r\nX: "), "timeout"},
	{"body that drips", drip("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"), "timeout|malformed"},
	{"switch of protocols", func(conn net.Conn, _ *http.Request, gone <-chan struct{}) {
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
		<-gone
	}, "http_101"},
	// Size.
	{"endless body", func(conn net.Conn, _ *http.Request, _ <-chan struct{}) {
		fmt.Fprint(conn, "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n[")
		for line := strings.Repeat("1,", 5000); ; {
			if _, err := fmt.Fprint(conn, line); err != nil {
				return
			}
		}
	}, "too_large"},
	{"endless headers", func(conn net.Conn, _ *http.Request, _ <-chan struct{}) {
		fmt.Fprint(conn, "HTTP/1.1 404 Not Found\r\n")
		for {
			if _, err := fmt.Fprintf(conn, "X-Pad: %s\r\n", strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	}, "too_large"},
	{"gzip bomb", saying(gzipped(404, []byte("["+strings.Repeat("0,", 8<<20)+"0]"))), "too_large"},
	{"gzip that is none", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), "malformed|truncated"},
	{"compression that was not asked for", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}"), "encoding"},
	// Not HTTP.
	{"another protocol", saying("220 mail.example ESMTP\r\n"), "malformed"},
	{"binary", saying("\x00\x01\x02\x03\r\n\r\n"), "malformed"},
	// Somebody else's page.
	{"HTML with 200", saying("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"), "not_json"},
	{"HTML with 404", saying("HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 13\r\n\r\n<html></html>"), "not_json"},
	{"an empty page with 404", saying("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"), "not_json"},
	{"a blank page with 410", saying("HTTP/1.1 410 Gone\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 3\r\n\r\n \r\n"), "not_json"},
	{"a type that is empty, with 404", saying("HTTP/1.1 404 Not Found\r\nContent-Type:\r\nContent-Length: 0\r\n\r\n"), "not_json"},
	{"two types and nothing else, with 404", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"), "not_json"},
	{"JSON that says it is HTML", saying("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}"), "not_json"},
	{"text with 404", saying("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 18\r\n\r\n404 page not found"), "not_json"},
	{"HTML that says it is JSON", saying(jsonAnswer(404, "<html></html>")), "malformed"},
	{"two content types", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}"), "not_json"},
	{"404 with a type, whose body never came", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"), "empty_body"},
	{"410 with a type, in no chunks", saying("HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "empty_body"},
	{"404 with a type and a blank body", saying(jsonAnswer(404, " \n")), "empty_body"},
	{"404 that asks for other credentials", saying("HTTP/1.1 404 Not Found\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\nContent-Length: 0\r\n\r\n"), "access_denied"},
	{"404 in JSON that asks for other credentials", saying("HTTP/1.1 404 Not Found\r\nWWW-Authenticate: Basic\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"), "access_denied"},
	{"another character set", saying("HTTP/1.1 404 Not Found\r\nContent-Type: application/json; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}"), "not_json"},
	{"no type and HTML", saying("HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\n<html></html>"), "malformed"},
	{"200 without a body", saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"), "empty_body"},
	{"blank body with 409", saying(jsonAnswer(409, " \n ")), "empty_body"},
	{"204", saying("HTTP/1.1 204 No Content\r\n\r\n"), "http_204"},
	// Statuses about the question, not about the delivery, each with a body that fits.
	{"203", saying(jsonAnswer(203, goodBody)), "http_203"}, {"206", saying(jsonAnswer(206, goodBody)), "http_206"},
	{"304", saying("HTTP/1.1 304 Not Modified\r\n\r\n"), "redirect"}, {"300", saying(jsonAnswer(300, goodBody)), "redirect"},
	{"302 without an address", saying(jsonAnswer(302, goodBody)), "redirect"},
	{"400", saying(jsonAnswer(400, goodBody)), "http_400"}, {"401", saying(jsonAnswer(401, goodBody)), "http_401"},
	{"403", saying(jsonAnswer(403, goodBody)), "http_403"}, {"405", saying(jsonAnswer(405, goodBody)), "http_405"},
	{"407", saying(jsonAnswer(407, goodBody)), "http_407"}, {"408", saying(jsonAnswer(408, goodBody)), "http_408"},
	{"425", saying(jsonAnswer(425, goodBody)), "http_425"}, {"429", saying(jsonAnswer(429, goodBody)), "http_429"},
	{"451", saying(jsonAnswer(451, goodBody)), "http_451"}, {"500", saying(jsonAnswer(500, goodBody)), "http_500"},
	{"502", saying(jsonAnswer(502, goodBody)), "http_502"}, {"503", saying(jsonAnswer(503, goodBody)), "http_503"},
	{"504", saying(jsonAnswer(504, goodBody)), "http_504"}, {"599", saying(jsonAnswer(599, goodBody)), "http_599"},
	{"999", saying(jsonAnswer(999, goodBody)), "http_999"},
	{"500 with a cut body", saying("HTTP/1.1 500 X\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}"), "http_500"},
	// JSON that readers disagree about.
	{"invalid UTF-8", saying(jsonAnswer(200, "{\"op_key\":\"weekly-42\",\"x\":\"\xff\"}")), "malformed"},
	{"one key twice", saying(jsonAnswer(200, `{"op_key":"other","op_key":"weekly-42"}`)), "malformed"},
	{"one key twice, escaped", saying(jsonAnswer(200, `{"op_key":"other","op\u005fkey":"weekly-42"}`)), "malformed"},
	{"half a surrogate pair", saying(jsonAnswer(200, `{"op_key":"weekly-42","x":"\ud800"}`)), "malformed"},
	{"two values", saying(jsonAnswer(404, `{}{}`)), "malformed"},
	{"something behind the value", saying(jsonAnswer(404, `{} x`)), "malformed"},
	{"a comment", saying(jsonAnswer(404, `{/* */}`)), "malformed"},
	{"deep nesting", saying(jsonAnswer(404, strings.Repeat("[", 50000)+strings.Repeat("]", 50000))), "malformed"},
	{"a very long number", saying(jsonAnswer(404, "["+strings.Repeat("9", 100000)+"]")), "malformed"},
	{"a byte order mark", saying(jsonAnswer(404, "\ufeff{}")), "malformed"},
	// Answers to another question.
	{"a list", saying(jsonAnswer(200, "["+goodBody+"]")), "mapping_error"},
	{"a list with 404", saying(jsonAnswer(404, "[]")), "mapping_error"},
	{"a bare string with 404", saying(jsonAnswer(404, `"not found"`)), "mapping_error"},
	{"another key", saying(jsonAnswer(200, strings.Replace(goodBody, "weekly-42", "weekly-43", 1))), "other_key"},
	{"another key with 404", saying(jsonAnswer(404, `{"op_key":"weekly-43"}`)), "other_key"},
	{"the key in other letters", saying(jsonAnswer(200, strings.Replace(goodBody, "weekly-42", "Weekly-42", 1))), "other_key"},
	{"the key with a blank", saying(jsonAnswer(200, strings.Replace(goodBody, "weekly-42", "weekly-42 ", 1))), "other_key"},
	{"the key and more", saying(jsonAnswer(200, strings.Replace(goodBody, "weekly-42", "weekly-421", 1))), "other_key"},
	{"an empty key", saying(jsonAnswer(200, strings.Replace(goodBody, "weekly-42", "", 1))), "other_key"},
	{"the key as a list", saying(jsonAnswer(200, `{"op_key":["weekly-42"]}`)), "mapping_error"},
	// Things that can't be kept.
	{"a receipt that is an object", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":{}}`)), "mapping_error"},
	{"a receipt that is a fraction", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":1.5}`)), "mapping_error"},
	{"a receipt that is true", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":true}`)), "mapping_error"},
	{"a receipt with a line break", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"a\nb"}`)), "bad_receipt"},
	{"a receipt with an escape", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"a\u009b31m"}`)), "bad_receipt"},
	{"a receipt of blanks", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"  "}`)), "bad_receipt"},
	{"a receipt without end", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"`+strings.Repeat("r", 513)+`"}`)), "bad_receipt"},
	{"a receipt with a zero-width space", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"R2\u200b"}`)), "bad_receipt"},
	{"a receipt behind a byte order mark", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"\ufeffR2"}`)), "bad_receipt"},
	{"a receipt that reads backwards", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"\u202eR2"}`)), "bad_receipt"},
	{"a receipt of a zero-width space", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"\u200b"}`)), "bad_receipt"},
	{"a receipt of a Hangul filler", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"\u3164"}`)), "bad_receipt"},
	{"a receipt of a wide blank", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"\u3000"}`)), "bad_receipt"},
	{"a receipt with tag characters", saying(jsonAnswer(200, `{"op_key":"weekly-42","receipt":"R2\udb40\udc41"}`)), "bad_receipt"},
	{"an owner with a zero-width joiner", saying(jsonAnswer(200, `{"op_key":"weekly-42","account":"agent\u200d-1"}`)), "bad_owner"},
	{"an owner with NUL", saying(jsonAnswer(200, `{"op_key":"weekly-42","account":"a\u0000"}`)), "bad_owner"},
	{"a hash that is none", saying(jsonAnswer(200, `{"op_key":"weekly-42","sha256":"abc"}`)), "bad_hash"},
	{"a hash with a prefix", saying(jsonAnswer(200, `{"op_key":"weekly-42","sha256":"sha256:`+theHash+`"}`)), "bad_hash"},
}

// drip sends something at once and then a byte now and then, for as long as
// anyone listens.
func drip(first string) func(net.Conn, *http.Request, <-chan struct{}) {
	return func(conn net.Conn, _ *http.Request, gone <-chan struct{}) {
		fmt.Fprint(conn, first)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-gone:
				return
			case <-tick.C:
				if _, err := fmt.Fprint(conn, "1"); err != nil {
					return
				}
			}
		}
	}
}

func gzipped(status int, body []byte) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(body)
	z.Close()
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", status, b.Len(), b.String())
}

// gullible is the most careless mapping an operator could write for a connector:
// what is not plainly there is not found.
func gullible(t config.Target) config.Target {
	h := *t.Lookup.HTTP
	h.NotFound = "(" + h.Found + ") | not"
	l := *t.Lookup
	l.HTTP = &h
	t.Lookup = &l
	return t
}

func TestNoHostileReceiverIsBelieved(t *testing.T) {
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			plain := target(listen(t, h.speak))
			if strings.Contains(h.cause, "timeout") {
				plain.Lookup.Timeout = 300 * time.Millisecond
			}
			wantFailed(t, look(t, plain), h.cause)
			wantFailed(t, look(t, gullible(plain)), h.cause)
		})
	}
}
