package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"syscall"

	"triage/ledger"
)

// maxAnswer bounds what a sender reads of an answer, in bytes.
const maxAnswer = 64 << 10

// oneRequest is a transport that makes exactly one request for each call. Go's
// own would send a PUT again when a reused connection breaks, and a second
// request inside one attempt is a retry that nobody decided.
var oneRequest = &http.Transport{DisableKeepAlives: true, Proxy: nil}

// call makes the one request of an attempt and says what is known afterwards.
func (s *Sender) call(ctx context.Context, intent ledger.Intent, body []byte) ledger.Result {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	req, err := http.NewRequestWithContext(ctx, methodFor(intent.Target), s.URL+pathFor(intent), bytes.NewReader(body))
	if err != nil {
		return ledger.Result{Outcome: ledger.OutcomeNotSent, Cause: "bad_request", Error: err.Error()}
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	client := http.Client{
		Transport: oneRequest,
		// A redirect is not an answer about the delivery, and following it would
		// send the content a second time.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return lostCall(err, connected.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	told, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		lost := lostCall(err, true)
		lost.HTTPStatus = resp.StatusCode
		return lost
	}
	return readAnswer(intent, resp.StatusCode, told)
}

// lostCall classifies a call that brought no answer. Only what failed before
// there was a connection is known not to have been sent; of anything later the
// receiver may have seen enough to act on.
func lostCall(err error, connected bool) ledger.Result {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // without the address, which says nothing here
	}
	r := ledger.Result{Outcome: ledger.OutcomeUnknown, Cause: causeOf(err), Error: err.Error()}
	if !connected {
		r.Outcome = ledger.OutcomeNotSent
	}
	return r
}

// causeOf names what ended a call, in one machine word.
func causeOf(err error) string {
	var network net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection_refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection_reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection_closed"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout"
	}
	return "network_error"
}

// readAnswer classifies an answer. Whatever it does not positively say is
// unknown: a 500 may come from a receiver that committed first.
func readAnswer(intent ledger.Intent, status int, body []byte) ledger.Result {
	r := ledger.Result{Outcome: ledger.OutcomeUnknown, HTTPStatus: status, Cause: "http_" + strconv.Itoa(status)}
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		// This receiver's interface promises that these mean: not done, and never will be.
		r.Outcome = ledger.OutcomeRejected
		return r
	case http.StatusOK:
	default:
		return r
	}
	var told toldDelivery
	if err := json.Unmarshal(body, &told); err != nil {
		r.Cause, r.Error = "unreadable_answer", err.Error()
		return r
	}
	if told.OpKey != intent.OpKey || told.SHA256 != intent.PayloadSHA256 || told.State != StateDelivered ||
		told.Receipt == nil || *told.Receipt == "" {
		r.Cause, r.Error = "answer_does_not_match", "the answer is not about this key and content, or has no receipt"
		return r
	}
	return ledger.Result{Outcome: ledger.OutcomeDelivered, HTTPStatus: status, Receipt: *told.Receipt}
}

func methodFor(target string) string {
	if target == chatTarget {
		return http.MethodPost
	}
	return http.MethodPut
}

func pathFor(intent ledger.Intent) string {
	if intent.Target == chatTarget {
		return "/messages/" + url.PathEscape(intent.OpKey)
	}
	return "/deliveries/" + url.PathEscape(intent.OpKey)
}
