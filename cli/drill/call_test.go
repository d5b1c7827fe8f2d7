package drill

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"triage/ledger"
)

// sent is the intent that the calls below are made for.
var sent = ledger.Intent{OpKey: "report-1", Target: inboxTarget, PayloadSHA256: contentHash(weeklyReport)}

func goodAnswer() string {
	return `{"op_key":"report-1","state":"delivered","receipt":"R-9","sha256":"` + sent.PayloadSHA256 + `","account":"acct_17","at":0}`
}

// callTo makes one call to a server that answers as told.
func callTo(t *testing.T, handler http.HandlerFunc) ledger.Result {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s := Sender{URL: server.URL, Token: "sender-token", Timeout: 5 * time.Second}
	return s.call(t.Context(), sent, weeklyReport)
}

func TestWhatAnAnswerMeans(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		body    string
		outcome ledger.Outcome
		cause   string
	}{
		{"receipt", 200, goodAnswer(), ledger.OutcomeDelivered, ""},
		{"refused", 422, `{"error":"refused"}`, ledger.OutcomeRejected, "http_422"},
		{"key taken", 409, `{"error":"same_key_different_payload"}`, ledger.OutcomeRejected, "http_409"},
		{"not let in", 401, `{}`, ledger.OutcomeRejected, "http_401"},
		{"server error", 500, `{}`, ledger.OutcomeUnknown, "http_500"},
		{"overloaded", 503, goodAnswer(), ledger.OutcomeUnknown, "http_503"},
		{"too many", 429, `{}`, ledger.OutcomeUnknown, "http_429"},
		{"accepted only", 202, goodAnswer(), ledger.OutcomeUnknown, "http_202"},
		{"a path that is gone", 404, `{}`, ledger.OutcomeUnknown, "http_404"},
		{"a proxy's page", 200, "<html>please log in</html>", ledger.OutcomeUnknown, "unreadable_answer"},
		{"nothing", 200, "", ledger.OutcomeUnknown, "unreadable_answer"},
		{"no receipt", 200, strings.Replace(goodAnswer(), `"R-9"`, "null", 1), ledger.OutcomeUnknown, "answer_does_not_match"},
		{"another key", 200, strings.Replace(goodAnswer(), "report-1", "report-2", 1), ledger.OutcomeUnknown, "answer_does_not_match"},
		{"other content", 200, strings.Replace(goodAnswer(), sent.PayloadSHA256, contentHash(changedReport), 1), ledger.OutcomeUnknown, "answer_does_not_match"},
		{"another state", 200, strings.Replace(goodAnswer(), "delivered", "queued", 1), ledger.OutcomeUnknown, "answer_does_not_match"},
	} {
		got := callTo(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		if got.Outcome != c.outcome || got.Cause != c.cause || got.HTTPStatus != c.status {
			t.Errorf("%s: %s, cause %q, status %d; want %s, %q, %d",
				c.name, got.Outcome, got.Cause, got.HTTPStatus, c.outcome, c.cause, c.status)
		}
		if (got.Receipt != "") != (c.outcome == ledger.OutcomeDelivered) {
			t.Errorf("%s: receipt %q with outcome %s", c.name, got.Receipt, got.Outcome)
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	requests := 0
	got := callTo(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	if got.Outcome != ledger.OutcomeUnknown || got.Cause != "http_307" || requests != 1 {
		t.Errorf("%s, cause %q after %d requests; want unknown, http_307 after 1", got.Outcome, got.Cause, requests)
	}
}

func TestAnAnswerCutInTheMiddleIsUnknown(t *testing.T) {
	got := callTo(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(goodAnswer()))
	})
	if got.Outcome != ledger.OutcomeUnknown || got.Cause != "connection_closed" || got.HTTPStatus != 200 {
		t.Errorf("%s, cause %q, status %d; want unknown, connection_closed, 200", got.Outcome, got.Cause, got.HTTPStatus)
	}
}

func TestWhatALostCallMeans(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	refusing := closed.URL
	closed.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()

	r := newTestReceiver(t)
	for _, c := range []struct {
		name    string
		ctx     context.Context
		url     string
		script  Script
		outcome ledger.Outcome
		cause   string
	}{
		{"nobody listens", t.Context(), refusing, Script{}, ledger.OutcomeNotSent, "connection_refused"},
		{"stopped before it began", gone, r.URL(), Script{}, ledger.OutcomeNotSent, "cancelled"},
		{"reset after the commit", t.Context(), r.URL(), Script{Lose: LoseByCut}, ledger.OutcomeUnknown, "connection_reset"},
		{"reset before it", t.Context(), r.URL(), Script{Ignore: true, Lose: LoseByCut}, ledger.OutcomeUnknown, "connection_reset"},
		{"silence after the commit", t.Context(), r.URL(), Script{Lose: LoseByHang}, ledger.OutcomeUnknown, "timeout"},
	} {
		if c.script.Lose != LoseNothing {
			r.Script(sent.OpKey, c.script)
		}
		s := Sender{URL: c.url, Token: "sender-token", Timeout: 200 * time.Millisecond}
		got := s.call(c.ctx, sent, weeklyReport)
		if got.Outcome != c.outcome || got.Cause != c.cause || got.Error == "" {
			t.Errorf("%s: %s, cause %q, error %q; want %s, %q and an error", c.name, got.Outcome, got.Cause, got.Error, c.outcome, c.cause)
		}
		if strings.Contains(got.Error, "sender-token") {
			t.Errorf("%s: the error shows the token: %s", c.name, got.Error)
		}
	}
}

func TestOnlyABudgetAllowsASendersOwnRetry(t *testing.T) {
	const now = ledger.Millis(1_800_000_000_000)
	for _, c := range []struct {
		name     string
		max      int
		deadline ledger.Millis
		n        int
		want     bool
	}{
		{"no budget", 0, 0, 1, false},
		{"attempts without a deadline", 3, 0, 1, false},
		{"a deadline without attempts", 0, now + 1000, 1, false},
		{"both", 3, now + 1000, 1, true},
		{"one left", 3, now + 1000, 2, true},
		{"attempts spent", 3, now + 1000, 3, false},
		{"deadline reached", 3, now, 1, false},
	} {
		got := mayRetry(ledger.Intent{MaxAttempts: c.max, DeadlineAt: c.deadline}, ledger.Attempt{N: c.n}, now)
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
