package doctor

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"triage/ledger"
	"triage/ledger/sqlite"
)

// Each ledger differs from a healthy one in one thing.
func TestWhatALedgerTells(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *ledger.History)
		n      int
		answer Answer
		harm   Harm
	}{
		{"healthy", func(*ledger.History) {}, 2, Ok, ""},
		{"healthy", func(*ledger.History) {}, 3, Ok, ""},
		{"healthy", func(*ledger.History) {}, 4, Ok, ""},
		{"healthy", func(*ledger.History) {}, 6, Ok, ""},
		{"healthy", func(*ledger.History) {}, 9, Ok, ""},
		{"healthy, never lost", func(*ledger.History) {}, 10, ToAsk, ""},
		{"settled by a lookup", func(h *ledger.History) { h.Intent.SettledBy = ledger.ByLookup }, 10, Ok, ""},
		{"a timeout as a refusal", func(h *ledger.History) { h.Attempts[0].Outcome = ledger.OutcomeRejected }, 2, Gap, Duplicate},
		{"a 503 as a refusal", func(h *ledger.History) {
			h.Attempts[0].Outcome, h.Attempts[0].Cause, h.Attempts[0].HTTPStatus = ledger.OutcomeRejected, "", 503
		}, 2, Gap, Duplicate},
		{"a 422 as a refusal", func(h *ledger.History) {
			h.Attempts[0].Outcome, h.Attempts[0].Cause, h.Attempts[0].HTTPStatus = ledger.OutcomeRejected, "", 422
		}, 2, Ok, ""},
		{"an answer, and not sent", func(h *ledger.History) { h.Attempts[0].Outcome, h.Attempts[0].HTTPStatus = ledger.OutcomeNotSent, 502 }, 2, Gap, Duplicate},
		{"begun after it was sent", func(h *ledger.History) { h.Events[0].At = start + 8_000 }, 3, Gap, Duplicate},
		{"begun within the clocks' difference", func(h *ledger.History) { h.Events[0].At = start + 5_010 }, 3, Ok, ""},
		{"written when it had ended", func(h *ledger.History) { h.Events[1].At = start + 14_001 }, 3, Gap, Duplicate},
		{"a key for each try", func(h *ledger.History) { h.Intent.OpKey = "weekly-42-retry-2" }, 3, Gap, Duplicate},
		{"an attempt named like its intent", func(h *ledger.History) { h.Attempts[0].AttemptID = "weekly-42" }, 4, Gap, NeverSettled},
		{"an attempt that is missing", func(h *ledger.History) { h.Attempts[1].N = 3 }, 4, Gap, Duplicate},
		{"several layers", func(h *ledger.History) { h.Attempts[1].Layer = "sdk" }, 4, ToAsk, ""},
		{"a budget beyond the retention", func(h *ledger.History) {
			h.Intent.MaxAttempts, h.Intent.DeadlineAt = 5, h.Attempts[0].StartedAt.Add(24*time.Hour-155*time.Second)+1
		}, 5, Gap, Duplicate},
		{"a budget up to it", func(h *ledger.History) {
			h.Intent.MaxAttempts, h.Intent.DeadlineAt = 5, h.Attempts[0].StartedAt.Add(24*time.Hour-155*time.Second-time.Millisecond)
		}, 5, ToAsk, ""},
		{"an attempt beyond it", func(h *ledger.History) { h.Attempts[1].StartedAt = start.Add(25 * time.Hour) }, 5, Gap, Duplicate},
		{"the key as a receipt", func(h *ledger.History) { h.Intent.Receipt = "Weekly-42" }, 6, Gap, Loss},
		{"the hash as a receipt", func(h *ledger.History) { h.Intent.Receipt = hash }, 6, Gap, Loss},
		{"an attempt's id as a receipt", func(h *ledger.History) { h.Intent.Receipt = "a-2" }, 6, Gap, Loss},
		{"a checkpoint as a receipt", func(h *ledger.History) { h.Intent.Receipt = "checkpoint-17" }, 6, Gap, Loss},
		{"a yes as a receipt", func(h *ledger.History) { h.Intent.Receipt = "OK" }, 6, Gap, Loss},
		{"a file as a receipt", func(h *ledger.History) { h.Intent.Receipt = "/var/run/agent/state.json" }, 6, Gap, Loss},
		{"a word in a receipt", func(h *ledger.History) { h.Intent.Receipt = "ok-7731" }, 6, Ok, ""},
		{"delivered without a receipt", func(h *ledger.History) { h.Attempts[1].Receipt = "" }, 6, Gap, NeverSettled},
		{"contradicted", func(h *ledger.History) { h.Intent.ContradictedAt = start + 50_000 }, 8, Gap, Duplicate},
		{"403 as an absence", func(h *ledger.History) { h.Lookups = missed(`{"status":403}`) }, 8, Gap, Duplicate},
		{"a page as an absence", func(h *ledger.History) { h.Lookups = missed(`{"excerpt":"<!DOCTYPE html><title>Sign in</title>"}`) }, 8, Gap, Duplicate},
		{"an absence", func(h *ledger.History) { h.Lookups = missed(`{"status":404}`) }, 8, ToAsk, ""},
		{"no grant", func(h *ledger.History) { h.Intent.GrantID, h.Grant = "", nil }, 9, Gap, NeverSettled},
		{"a grant for another", func(h *ledger.History) { h.Grant.Principal = "agent-2" }, 9, Gap, NeverSettled},
		{"a signed address", func(h *ledger.History) { h.Intent.PayloadRef = "https://store/x?X-Amz-Signature=0123456789abcdef" }, 9, Gap, Leak},
		{"a token in an error", func(h *ledger.History) {
			h.Attempts[0].Error = "401 for Authorization: Bearer eyJabcdefgh.eyJabcdefgh.sig-sig-sig"
		}, 9, Gap, Leak},
		{"a token taken out of an error", func(h *ledger.History) { h.Attempts[0].Error = "401 for Authorization: Bearer [redacted]" }, 9, Ok, ""},
		{"a password in evidence", func(h *ledger.History) {
			h.Lookups = missed(`{"status":404,"error":"postgres://reader:hunter2hunter2@db/inbox"}`)
		}, 9, Gap, Leak},
		{"the body itself", func(h *ledger.History) { h.Intent.PayloadRef = "data:text/plain,Dear customer" }, 9, Gap, Leak},
		{"an answer's body", func(h *ledger.History) { h.Attempts[0].Error = strings.Repeat("x", 5000) }, 9, Gap, Leak},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration, text := configured(t, sound)
			h := healthy()
			c.change(&h)
			f := question(t, Review(Input{Config: configuration, Text: text, Sample: recorded(h)}), "inbox", c.n)
			if f.Answer != c.answer || !slices.Equal(f.Harms, harmsOf(c.harm)) {
				t.Errorf("question %d: %s %v, want %s %v\n%s", c.n, f.Answer, f.Harms, c.answer, harmsOf(c.harm), strings.Join(f.Because, "\n"))
			}
		})
	}
}

func missed(evidence string) []ledger.Lookup {
	return []ledger.Lookup{{LookupID: "l-1", OpKey: "weekly-42", Connector: "http", Outcome: ledger.LookupNotFound, Evidence: evidence}}
}

func TestANewKeyForTheSameContentIsNoticed(t *testing.T) {
	configuration, text := configured(t, sound)
	lost, again := healthy(), healthy()
	lost.Intent.OpKey, lost.Intent.State, lost.Intent.Receipt, lost.Attempts = "first", ledger.Unknown, "", lost.Attempts[:1]
	again.Intent.OpKey, again.Intent.CreatedAt, again.Intent.Receipt = "second", start+9_001, "rcpt-7732"
	again.Events, again.Attempts = nil, nil
	r := Review(Input{Config: configuration, Text: text, Sample: recorded(lost, again)})
	if f := question(t, r, "inbox", 3); f.Answer != Gap || !strings.Contains(f.Because[0], "second (after first)") {
		t.Errorf("%+v", f)
	}
	again.Intent.Supersedes = "first" // decided by an operator
	r = Review(Input{Config: configuration, Text: text, Sample: recorded(lost, again)})
	if f := question(t, r, "inbox", 3); f.Answer != Ok {
		t.Errorf("%+v", f)
	}
}

func TestOneReceiptForTwoIntents(t *testing.T) {
	configuration, text := configured(t, sound)
	one, two := healthy(), healthy()
	two.Intent.OpKey, two.Intent.PayloadSHA256, two.Grant = "weekly-43", strings.Repeat("a", 64), nil
	f := question(t, Review(Input{Config: configuration, Text: text, Sample: recorded(one, two)}), "inbox", 6)
	if f.Answer != Gap || !slices.Equal(f.Harms, []Harm{Loss}) {
		t.Errorf("%+v", f)
	}
}

// Nothing that looks like a secret, wherever it stands, comes out again.
func TestASecretIsNeverRepeated(t *testing.T) {
	const secret = "hunter2hunter2"
	configuration, text := configured(t, edited(t, "${TOKEN}", secret))
	h := healthy()
	h.Intent.PayloadRef = "https://store/x?token=" + secret
	h.Attempts[0].Error = "Authorization: Bearer " + secret
	h.Attempts[0].Cause = "password=" + secret
	h.Lookups = missed(`{"status":403,"error":"https://u:` + secret + `@inbox/","excerpt":"<html>Bearer ` + secret + `"}`)
	h.Decisions = []ledger.Decision{{Reason: "Bearer " + secret, Facts: `{"x":"Bearer ` + secret + `"}`}}
	r := Review(Input{Config: configuration, Text: text, Sample: recorded(h)})
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "hunter2") || strings.Contains(string(raw), environment["TOKEN"]) {
		t.Errorf("the review repeats a secret: %s", raw)
	}
	if f := question(t, r, "inbox", 9); f.Answer != Gap || !slices.Contains(f.Harms, Leak) {
		t.Errorf("and does not notice it: %+v", f)
	}
}

// However large a ledger is, a bounded part of it is read.
func TestTheSampleIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	now := ledger.WallClock()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Clock: func() ledger.Millis { now++; return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const all = maxNewest + maxOldest + 50
	for i := range all {
		_, err := db.Begin(t.Context(), ledger.NewIntent{OpKey: "k-" + strconv.Itoa(i), Task: "t", Principal: "agent-1", Target: "inbox", PayloadSHA256: hash, UpdatedBy: "x"})
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := Gather(t.Context(), db, []string{"inbox"}, ledger.StuckRule{Default: time.Millisecond}, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	intents := s.Intents["inbox"]
	if s.Newest != maxNewest || s.Oldest != maxOldest || len(intents) != maxNewest+maxOldest || !s.Cut {
		t.Fatalf("%d newest, %d oldest, %d in all, cut: %v", s.Newest, s.Oldest, len(intents), s.Cut)
	}
	if intents[0].Intent.OpKey != "k-"+strconv.Itoa(all-1) || intents[maxNewest].Intent.OpKey != "k-0" {
		t.Errorf("it begins with %s, and the queue's part with %s", intents[0].Intent.OpKey, intents[maxNewest].Intent.OpKey)
	}
}
