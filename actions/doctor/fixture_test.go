package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"triage/actions/config"
	"triage/ledger"
)

// environment holds what the configurations of these tests name.
var environment = map[string]string{"TOKEN": "s3cr3t-token-4711", "DSN": "postgres://reader:pass-word-4711@db/inbox"}

// configured reads the YAML of one target, indented by nothing.
func configured(t *testing.T, target string) (*config.Config, string) {
	t.Helper()
	text := "targets:\n  inbox:\n" + indented(target)
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, func(name string) (string, bool) { v, ok := environment[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	return c, text
}

func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = "    " + strings.TrimPrefix(lines[i], "\t")
	}
	return strings.Join(lines, "\n") + "\n"
}

// sound is a target without a gap that a configuration could show.
const sound = `
duplicate_means: the customer gets it twice
lookup:
  http:
    url: https://inbox.invalid/deliveries/{op_key}
    headers: { Authorization: "Bearer ${TOKEN}" }
    found: .status == 200 and .body.state == "delivered"
    not_found: .status == 404 and .body.error == "no_such_delivery"
    refused: .status == 200 and .body.state == "refused"
    withdrawn: .body.state == "recalled"
    key: .body.op_key
    receipt: .body.receipt
    payload_sha256: .body.sha256
    owner: .body.account
promises: { attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 24h, absence_is_proof: true, found_is_final: true, refusal_is_final: true, same_key: returns_original, canary: probe-1 }`

const (
	start ledger.Millis = 1_790_000_000_000
	hash                = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

// healthy is an intent that was sent twice under one key, the first answer lost, and
// settled by its sender: nothing about it is wrong.
func healthy() ledger.History {
	return ledger.History{
		Intent: ledger.Intent{
			OpKey: "weekly-42", Task: "weekly report", Principal: "agent-1", Target: "inbox", PayloadSHA256: hash, GrantID: "g-1",
			PayloadRef: "s3://approved/weekly-42", State: ledger.Delivered, Receipt: "rcpt-7731", SettledBy: ledger.BySender, CreatedAt: start, UpdatedAt: start + 20_000,
		},
		Attempts: []ledger.Attempt{
			{AttemptID: "a-1", OpKey: "weekly-42", N: 1, Layer: "app", StartedAt: start + 10, FinishedAt: start + 9_000, Outcome: ledger.OutcomeUnknown, Cause: "timeout", Seq: 2},
			{AttemptID: "a-2", OpKey: "weekly-42", N: 2, Layer: "app", StartedAt: start + 15_000, FinishedAt: start + 20_000, Outcome: ledger.OutcomeDelivered, Receipt: "rcpt-7731", HTTPStatus: 201, Seq: 4},
		},
		Grant: &ledger.Grant{GrantID: "g-1", Principal: "agent-1", Target: "inbox", PayloadSHA256: hash},
		Events: []ledger.Event{
			{Seq: 1, At: start, OpKey: "weekly-42", Kind: "begun"}, {Seq: 2, At: start + 10, OpKey: "weekly-42", Kind: "attempt_started"},
			{Seq: 3, At: start + 9_000, OpKey: "weekly-42", Kind: "attempt_finished"}, {Seq: 4, At: start + 15_000, OpKey: "weekly-42", Kind: "attempt_started"},
		},
	}
}

// recorded is a sample of these intents, all of one target.
func recorded(intents ...ledger.History) *Sample {
	s := &Sample{Intents: map[string][]ledger.History{}, Events: int64(len(intents)), Of: int64(len(intents)), Newest: len(intents)}
	for _, h := range intents {
		s.Intents[h.Intent.Target] = append(s.Intents[h.Intent.Target], h)
	}
	return s
}

// question is the answer to one question about one target.
func question(t *testing.T, r Report, target string, n int) Finding {
	t.Helper()
	for _, tr := range r.Targets {
		for _, f := range tr.Questions {
			if tr.Target == target && f.N == n {
				return f
			}
		}
	}
	t.Fatalf("there is no answer to question %d about %s", n, target)
	return Finding{}
}
