package recipes_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"triage/actions/lookup"
	"triage/ledger"
)

// answering is a server that gives one answer, except to whoever asks for the canary.
func answering(t *testing.T, status int, body, canary string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "triage-canary") {
			_, _ = w.Write([]byte(canary))
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// rewritten is a recipe with other text in places that have no variable.
func rewritten(t *testing.T, recipe string, pairs ...string) string {
	t.Helper()
	raw, err := os.ReadFile(recipe)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s does not hold %q", recipe, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	path := filepath.Join(t.TempDir(), recipe)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ask puts the question about weekly-42 by a recipe, with dummies for its variables.
func ask(t *testing.T, recipe string) lookup.Answer {
	t.Helper()
	return askSince(t, recipe, ledger.WallClock())
}

// askSince is the same about an intent that was written then.
func askSince(t *testing.T, recipe string, created ledger.Millis) lookup.Answer {
	t.Helper()
	_, target := load(t, recipe, getDummy)
	connector, err := lookup.For(target)
	if err != nil {
		t.Fatal(err)
	}
	return connector.Look(t.Context(), ledger.Intent{
		OpKey: "weekly-42", Task: "weekly report", Principal: "agent-1", Target: target.Name, PayloadSHA256: hashOf(report), CreatedAt: created,
	})
}

// searchRefused is what GitHub's search says of a repository that is not there, or that
// the token may not see (github.com/refined-github/refined-github/issues/1373).
const searchRefused = `{"message":"Validation Failed","errors":[{"message":"The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.","resource":"Search","field":"q","code":"invalid"}],"documentation_url":"https://developer.github.com/v3/search/"}`

const canaryBranch = `{"ref": "refs/heads/agent/triage-canary", "object": {"sha": "c0ffee"}}`

// Answers of the shape that the vendors document, read by the recipes' mappings. They
// stand for services that can't be run on this machine.
func TestDocumentedAnswers(t *testing.T) {
	hash := hashOf(report)
	for _, c := range []struct {
		name, recipe, host string
		status             int
		body               string
		outcome            ledger.LookupOutcome
		receipt            string
		hashed             bool
	}{
		{"paid", "stripe.yaml", "https://api.stripe.com", 200, `{"object":"search_result","has_more":false,"data":[{"id":"pi_3Pq","object":"payment_intent","status":"succeeded","metadata":{"op_key":"weekly-42","payload_sha256":"` + hash + `"}}]}`, ledger.LookupFound, "pi_3Pq", true},
		{"processing", "stripe.yaml", "https://api.stripe.com", 200, `{"object":"search_result","has_more":false,"data":[{"id":"pi_3Pq","status":"processing","metadata":{"op_key":"weekly-42"}}]}`, ledger.LookupInProgress, "", false},
		{"two", "stripe.yaml", "https://api.stripe.com", 200, `{"object":"search_result","has_more":false,"data":[{"id":"pi_1","status":"succeeded","metadata":{"op_key":"weekly-42"}},{"id":"pi_2","status":"succeeded","metadata":{"op_key":"weekly-42"}}]}`, ledger.LookupAmbiguous, "", false},
		{"another's", "stripe.yaml", "https://api.stripe.com", 200, `{"object":"search_result","has_more":false,"data":[{"id":"pi_1","status":"succeeded","metadata":{"op_key":"weekly-4"}}]}`, ledger.LookupFailed, "", false},
		{"none", "stripe.yaml", "https://api.stripe.com", 200, `{"object":"search_result","has_more":false,"data":[]}`, ledger.LookupNotFound, "", false},
		{"wrong key", "stripe.yaml", "https://api.stripe.com", 401, `{"error":{"type":"invalid_request_error"}}`, ledger.LookupFailed, "", false},
		{"an issue", "github-issues.yaml", "https://api.github.com", 200, `{"total_count":1,"incomplete_results":false,"items":[{"number":17,"user":{"login":"acme-agent-bot"},"body":"text\r\n\r\nop_key: weekly-42 payload_sha256: ` + hash + `"}]}`, ledger.LookupFound, "17", true},
		{"an issue that quotes another one's marker", "github-issues.yaml", "https://api.github.com", 200, `{"total_count":1,"incomplete_results":false,"items":[{"number":17,"user":{"login":"acme-agent-bot"},"body":"as before:\nop_key: weekly-41 payload_sha256: ` + strings.Repeat("0", 64) + `\n\nop_key: weekly-42 payload_sha256: ` + hash + `\n"}]}`, ledger.LookupFound, "17", true},
		{"another issue's marker", "github-issues.yaml", "https://api.github.com", 200, `{"total_count":1,"incomplete_results":false,"items":[{"number":16,"user":{"login":"acme-agent-bot"},"body":"text\n\nop_key: weekly-4 payload_sha256: ` + hash + `"}]}`, ledger.LookupFailed, "", false},
		{"a repository that may not be seen", "github-issues.yaml", "https://api.github.com", 422, searchRefused, ledger.LookupFailed, "", false},
		{"an issue that only speaks of it", "github-issues.yaml", "https://api.github.com", 200, `{"total_count":1,"incomplete_results":false,"items":[{"number":17,"user":{"login":"x"},"body":"see weekly-42"}]}`, ledger.LookupFound, "17", false},
		{"cut short", "github-issues.yaml", "https://api.github.com", 200, `{"total_count":0,"incomplete_results":true,"items":[]}`, ledger.LookupFailed, "", false},
		{"no issue", "github-issues.yaml", "https://api.github.com", 200, `{"total_count":0,"incomplete_results":false,"items":[]}`, ledger.LookupNotFound, "", false},
		{"a branch", "github-branch.yaml", "https://api.github.com", 200, `{"ref":"refs/heads/agent/weekly-42","object":{"type":"commit","sha":"aa218f56b14c9653891f9e74264a383fa43fefbd"}}`, ledger.LookupFound, "aa218f56b14c9653891f9e74264a383fa43fefbd", false},
		{"no branch", "github-branch.yaml", "https://api.github.com", 404, `{"message":"Not Found","status":"404"}`, ledger.LookupNotFound, "", false},
		{"limited", "github-branch.yaml", "https://api.github.com", 403, `{"message":"API rate limit exceeded"}`, ledger.LookupFailed, "", false},
		{"a ticket", "jira.yaml", "https://acme.atlassian.net/rest", 200, `{"isLast":true,"issues":[{"id":"10017","key":"SD-17","fields":{"labels":["agent","op-weekly-42","sha256-` + hash + `"],"creator":{"accountId":"5b10ac"}}}]}`, ledger.LookupFound, "SD-17", true},
		{"no ticket", "jira.yaml", "https://acme.atlassian.net/rest", 200, `{"isLast":true,"issues":[]}`, ledger.LookupNotFound, "", false},
		{"a page of nothing", "jira.yaml", "https://acme.atlassian.net/rest", 200, `{"nextPageToken":"x","issues":[]}`, ledger.LookupFailed, "", false},
		{"a mail", "sendgrid.yaml", "https://api.sendgrid.com", 200, `{"messages":[{"msg_id":"filter0307p1las1-16816-5A023E36-1.0","subject":"weekly report","status":"delivered"}]}`, ledger.LookupFound, "filter0307p1las1-16816-5A023E36-1.0", false},
		{"no mail", "sendgrid.yaml", "https://api.sendgrid.com", 200, `{"messages":[]}`, ledger.LookupNotFound, "", false},
		{"no add-on", "sendgrid.yaml", "https://api.sendgrid.com", 401, `{"errors":[{"message":"authorization required"}]}`, ledger.LookupFailed, "", false},
	} {
		t.Run(strings.TrimSuffix(c.recipe, ".yaml")+"/"+c.name, func(t *testing.T) {
			server := answering(t, c.status, c.body, canaryBranch)
			host := server
			if strings.HasSuffix(c.host, "/rest") {
				host += "/rest"
			}
			a := ask(t, rewritten(t, c.recipe, c.host, host))
			if a.Outcome != c.outcome || a.Receipt != c.receipt || (a.PayloadSHA256 == hash) != c.hashed {
				t.Errorf("%s (%s) %q %q, want %s %q, hash told: %v\n%+v", a.Outcome, a.Cause, a.Receipt, a.PayloadSHA256, c.outcome, c.receipt, c.hashed, a.Evidence)
			}
		})
	}
}

// The program of slack.yaml, against a server that answers as Slack documents it.
func TestSlackProgram(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	program, err := filepath.Abs("slack-lookup.py")
	if err != nil {
		t.Fatal(err)
	}
	ours := `{"ts":"1790000000.000100","text":"weekly report","metadata":{"event_type":"triage_delivery","event_payload":{"op_key":"weekly-42","payload_sha256":"` + hashOf(report) + `"}}}`
	theirs := `{"ts":"1790000001.000100","text":"weekly-42"}`
	for _, c := range []struct {
		name    string
		pages   []string
		outcome ledger.LookupOutcome
		receipt string
	}{
		{"on the second page", []string{`{"ok":true,"has_more":true,"messages":[` + theirs + `],"response_metadata":{"next_cursor":"1"}}`, `{"ok":true,"has_more":false,"messages":[` + ours + `]}`}, ledger.LookupFound, "1790000000.000100"},
		{"posted twice", []string{`{"ok":true,"has_more":false,"messages":[` + ours + `,` + ours + `]}`}, ledger.LookupAmbiguous, ""},
		{"not there", []string{`{"ok":true,"has_more":false,"messages":[` + theirs + `]}`}, ledger.LookupNotFound, ""},
		{"not a member", []string{`{"ok":false,"error":"not_in_channel"}`}, ledger.LookupFailed, ""},
		{"more, and no way there", []string{`{"ok":true,"has_more":true,"messages":[]}`}, ledger.LookupFailed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page, _ := strconv.Atoi(r.URL.Query().Get("cursor")) // none is the first
				if r.URL.Path != "/conversations.history" || r.URL.Query().Get("include_all_metadata") != "true" || r.Header.Get("Authorization") != "Bearer dummy-slack-token" {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				_, _ = w.Write([]byte(c.pages[page]))
			}))
			defer server.Close()
			a := ask(t, rewritten(t, "slack.yaml", "/usr/local/lib/triage/slack-lookup.py", program, "https://slack.com/api", server.URL, "rate: 10/m", "rate: 100/s"))
			if a.Outcome != c.outcome || a.Receipt != c.receipt {
				t.Errorf("%s (%s) %q, want %s %q: %+v", a.Outcome, a.Cause, a.Receipt, c.outcome, c.receipt, a.Evidence)
			}
		})
	}
}

// An export of a mail server's log.
func TestMailLog(t *testing.T) {
	export := filepath.Join(t.TempDir(), "mail-log.jsonl")
	var lines strings.Builder
	for _, row := range []map[string]string{
		{"message_id": "weekly-41@triage.invalid", "queue_id": "4F1C22A0B6", "status": "bounced"},
		{"message_id": "weekly-42@triage.invalid", "queue_id": "4F1C22A0B7", "status": "sent"},
	} {
		raw, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	if err := os.WriteFile(export, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	recipe := rewritten(t, "mail-log.yaml", "/srv/triage/mail-log.jsonl", export, "as_of: 2026-12-01T08:00:00Z", "as_of: 2020-01-01T00:00:00Z")
	if a := ask(t, recipe); a.Outcome != ledger.LookupFound || a.Receipt != "4F1C22A0B7" || a.PayloadSHA256 != "" {
		t.Errorf("%+v", a)
	}
	if err := os.WriteFile(export, []byte(strings.SplitAfter(lines.String(), "\n")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := ask(t, recipe); a.Outcome != ledger.LookupFailed || a.Cause != "partial_export" {
		t.Errorf("an export that nobody states to be complete: %s (%s)", a.Outcome, a.Cause)
	}
}
