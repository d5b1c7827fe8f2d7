package recipes_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"triage/actions/verdict"
)

// best is a recipe's row in README.md: file, carried as, looked up by, and the verdict in
// backquotes.
var best = regexp.MustCompile("(?m)^\\|[^|]*\\| \\[([a-z0-9.-]+)\\][^|]*\\|[^|]*\\|[^|]*\\| `([a-z_]+)`")

// promisedVerdicts are what README.md says of each recipe.
func promisedVerdicts(t *testing.T) map[string]verdict.Kind {
	t.Helper()
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]verdict.Kind{}
	for _, row := range best.FindAllStringSubmatch(string(raw), -1) {
		kinds[row[1]] = verdict.Kind(row[2])
	}
	if len(kinds) != len(all(t)) {
		t.Fatalf("README.md tells the best verdict of %d recipes, want %d: %v", len(kinds), len(all(t)), kinds)
	}
	return kinds
}

// lost is a send whose answer never came.
func lost(context.Context, string) error { return errors.New("connection closed") }

// The verdict that README.md calls a recipe's best is what comes of a good answer, through
// ledger, lookup and promises. Those with a server of their own show it in their own tests.
func TestBestVerdicts(t *testing.T) {
	hash, want := hashOf(report), promisedVerdicts(t)
	for _, c := range []struct{ recipe, host, body string }{
		{"stripe.yaml", "https://api.stripe.com", `{"object":"search_result","has_more":false,"data":[{"id":"pi_3Pq","object":"payment_intent","status":"succeeded","metadata":{"op_key":"weekly-42","payload_sha256":"` + hash + `"}}]}`},
		{"github-issues.yaml", "https://api.github.com", `{"total_count":1,"incomplete_results":false,"items":[{"number":17,"user":{"login":"acme-agent-bot"},"body":"text\n\nop_key: weekly-42 payload_sha256: ` + hash + `"}]}`},
		{"github-branch.yaml", "https://api.github.com", `{"ref":"refs/heads/agent/weekly-42","object":{"type":"commit","sha":"aa218f56b14c9653891f9e74264a383fa43fefbd"}}`},
		{"jira.yaml", "https://acme.atlassian.net", `{"isLast":true,"issues":[{"id":"10017","key":"SD-17","fields":{"labels":["op-weekly-42","sha256-` + hash + `"],"creator":{"accountId":"5b10ac8d82e05b22cc7d4ef5"}}}]}`},
		{"sendgrid.yaml", "https://api.sendgrid.com", `{"messages":[{"msg_id":"filter0307p1las1-16816-5A023E36-1.0","subject":"weekly report","status":"delivered"}]}`},
	} {
		t.Run(c.recipe, func(t *testing.T) {
			server := answering(t, http.StatusOK, c.body, canaryBranch)
			b := newBench(t, rewritten(t, c.recipe, c.host, server), dummies)
			b.deliver("weekly-42", 0, lost)
			b.comesTo("weekly-42", want[c.recipe])
		})
	}
}

// comesTo: one lookup comes to this verdict.
func (b *bench) comesTo(key string, want verdict.Kind) {
	b.t.Helper()
	if done := b.lookUp(key); done.Item.Verdict.Kind != want {
		b.t.Errorf("%s: the verdict is %s, want %s: %v\n%s", key, done.Item.Verdict.Kind, want, done.Item.Verdict.Because, done.Lookup.Evidence)
	}
}

func TestBestVerdictOfSlack(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	program, err := filepath.Abs("slack-lookup.py")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"ok":true,"has_more":false,"messages":[{"ts":"1790000000.000100","metadata":{"event_type":"triage_delivery","event_payload":{"op_key":"weekly-42","payload_sha256":"` + hashOf(report) + `"}}}]}`))
	}))
	defer server.Close()
	b := newBench(t, rewritten(t, "slack.yaml", "/usr/local/lib/triage/slack-lookup.py", program, "https://slack.com/api", server.URL, "rate: 10/m", "rate: 100/s"), dummies)
	b.deliver("weekly-42", 0, lost)
	b.comesTo("weekly-42", promisedVerdicts(t)["slack.yaml"])
}

func TestBestVerdictOfAMailLog(t *testing.T) {
	export := filepath.Join(t.TempDir(), "mail-log.jsonl")
	if err := os.WriteFile(export, []byte(`{"message_id": "weekly-42@triage.invalid", "queue_id": "4F1C22A0B7", "status": "sent"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	recipe := rewritten(t, "mail-log.yaml", "/srv/triage/mail-log.jsonl", export, "as_of: 2026-12-01T08:00:00Z", "as_of: 2020-01-01T00:00:00Z")
	b := newBench(t, recipe, nil)
	b.deliver("weekly-42", time.Hour, lost)
	b.comesTo("weekly-42", promisedVerdicts(t)["mail-log.yaml"])
	b.deliver("weekly-43", time.Hour, lost)
	b.comesTo("weekly-43", verdict.LookupFailed) // not in an export that nobody calls complete
}

// A queue that can't be asked stays undecided, and nothing pretends to ask it.
func TestNobodyAsksAQueue(t *testing.T) {
	b := newBench(t, "sqs-fifo.yaml", nil)
	b.deliver("weekly-42", time.Hour, lost)
	item, err := b.desk.Item(t.Context(), "weekly-42")
	if want := promisedVerdicts(t)["sqs-fifo.yaml"]; err != nil || item.Verdict.Kind != want {
		t.Fatalf("the verdict is %s, want %s: %v", item.Verdict.Kind, want, err)
	}
	if _, err := b.desk.Lookup(t.Context(), "weekly-42"); err == nil {
		t.Error("a lookup was made of a receiver that can't be asked")
	}
}
