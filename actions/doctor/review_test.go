package doctor

import (
	"slices"
	"strings"
	"testing"

	"triage/actions/lookup"
	"triage/ledger"
)

// edited is the sound target with some text replaced by other text, in pairs.
func edited(t *testing.T, pairs ...string) string {
	t.Helper()
	text := sound
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the sound target does not hold %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// Each configuration differs from the sound one in one thing, and changes one answer.
func TestWhatAConfigurationTells(t *testing.T) {
	for _, c := range []struct {
		name   string
		target string
		n      int
		answer Answer
		harm   Harm // "": none
		says   string
	}{
		{"sound", sound, 1, Ok, "", "the customer gets it twice"},
		{"sound", sound, 2, Ok, "", "promises that it is final"},
		{"sound", sound, 7, Ok, "", "compared byte for byte"},
		{"sound, not asked", sound, 8, ToAsk, "", "The canary probe-1 was not asked for"},
		{"sound", sound, 5, ToAsk, "", "for 1 d"},
		{"sound", sound, 9, ToAsk, "", "No credential stands in the configuration file"},
		{"sound", sound, 10, ToAsk, "", "ever lost after the commit"},
		{"no duplicate_means", edited(t, "duplicate_means: the customer gets it twice\n", ""), 1, ToAsk, "", "duplicate_means is not configured"},
		{"a program", "duplicate_means: x\nlookup: { exec: { argv: [/bin/true] } }", 1, ToAsk, "", "triage can't see what it does"},
		{"refused without the promise", edited(t, "refusal_is_final: true, ", ""), 2, Gap, NeverSettled, "refusal_is_final is not promised"},
		{"the promise without refused", edited(t, "    refused: .status == 200 and .body.state == \"refused\"\n", ""), 2, Gap, NeverSettled, "refused is not mapped"},
		{"neither", edited(t, "    refused: .status == 200 and .body.state == \"refused\"\n", "", "refusal_is_final: true, ", ""), 2, ToAsk, "", "can't show a refusal"},
		{"no lookup", "duplicate_means: x", 2, ToAsk, "", "No lookup is configured"},
		{"no same_key", edited(t, "same_key: returns_original, ", ""), 5, ToAsk, "", "same_key is not promised"},
		{"same_key none", edited(t, "returns_original", "none"), 5, Ok, "", "does not honour keys"},
		{"honoured for nobody knows how long", edited(t, "key_retention: 24h, ", "lookup_retention: 24h, "), 5, Gap, NeverSettled, "key_retention is not"},
		{"times that eat the retention", edited(t, "settles_within: 2m", "settles_within: 23h", "lookup_lag: 30s", "lookup_lag: 1h"), 5, Gap, NeverSettled, "No lookup can ever prove an absence"},
		{"absence is not promised", edited(t, "absence_is_proof: true, ", ""), 5, ToAsk, "", "No lookup can ever prove an absence here: absence_is_proof is not promised"},
		{"absence can't be seen", edited(t, "    not_found: .status == 404 and .body.error == \"no_such_delivery\"\n", ""), 5, Gap, NeverSettled, "No lookup can ever prove an absence here: not_found is not mapped"},
		{"no attempt_timeout", edited(t, "attempt_timeout: 30s, ", ""), 5, Gap, NeverSettled, "An absence can be proven, but: attempt_timeout is not promised"},
		{"receipts that no lookup brings", edited(t, "    receipt: .body.receipt\n", ""), 6, Gap, NeverSettled, "receipt is not mapped"},
		{"no lookup", "duplicate_means: x", 7, Gap, NeverSettled, "No lookup is configured"},
		{"no hash", edited(t, "    payload_sha256: .body.sha256\n", ""), 7, Gap, NeverSettled, "payload_sha256 is not mapped"},
		{"no key", edited(t, "    key: .body.op_key\n", ""), 7, Gap, NeverSettled, "key is not mapped"},
		{"no owner", edited(t, "    owner: .body.account\n", ""), 7, ToAsk, "", "owner is not mapped"},
		{"no present state", edited(t, "    withdrawn: .body.state == \"recalled\"\n", ""), 7, ToAsk, "", "withdrawn is not mapped"},
		{"found is merely accepted", edited(t, "found_is_final: true, ", ""), 7, Gap, NeverSettled, "found_is_final is not promised"},
		{"by content without owner", edited(t, "    owner: .body.account\n", "", "same_key:", "lookup_by: content, same_key:"), 7, Gap, Loss, "owner is not compared"},
		{"by content", edited(t, "same_key:", "lookup_by: content, same_key:"), 7, Ok, "", "business identifier, the owner is compared"},
		{"a missing variable", edited(t, "${TOKEN}", "${UNSET}"), 7, Gap, NeverSettled, "UNSET is not set"},
		{"any 404, as proof, without a canary", edited(t, ` and .body.error == "no_such_delivery"`, "", ", canary: probe-1", ""), 8, Gap, Duplicate, "any 404"},
		{"any 404, with a canary", edited(t, ` and .body.error == "no_such_delivery"`, ""), 8, ToAsk, "", "believed only where the canary probe-1 is seen"},
		{"any 404, as no proof", edited(t, ` and .body.error == "no_such_delivery"`, "", ", canary: probe-1", "", "absence_is_proof: true, ", ""), 8, ToAsk, "", "proves nothing as long as"},
		{"a 404 of a router", edited(t, `.body.error == "no_such_delivery"`, `.body.message != null`, ", canary: probe-1", ""), 8, Gap, Duplicate, "a 404 of something else"},
		{"an error as an empty list", edited(t, `.status == 404 and .body.error == "no_such_delivery"`, `.status == 200 and (.body.items | length) == 0`, ", canary: probe-1", ""), 8, Gap, Duplicate, "a 200 that says access denied"},
		{"own words, without a canary", edited(t, ", canary: probe-1", ""), 8, Ok, "", "only for the receiver's own words"},
		{"nothing is an absence", edited(t, "    not_found: .status == 404 and .body.error == \"no_such_delivery\"\n", "", ", canary: probe-1", ""), 8, Ok, "", "not_found is not mapped"},
		{"a token in a header", edited(t, "${TOKEN}", "abcdef-4711"), 9, Gap, Leak, "the header Authorization"},
		{"a token in the address", edited(t, "{op_key}\n    headers", "{op_key}?api_key=abcdefgh4711\n    headers"), 9, Gap, Leak, "the url's query"},
		{"a token for a program", "duplicate_means: x\nlookup: { exec: { argv: [/bin/true], env: { API_TOKEN: abcdef-4711 } } }", 9, Gap, Leak, "the variable API_TOKEN"},
		{"a token as an argument", "duplicate_means: x\nlookup: { exec: { argv: [/bin/true, --token, abcdef-4711] } }", 9, Gap, Leak, "an argument in argv"},
		{"a token's file as an argument", "duplicate_means: x\nlookup: { exec: { argv: [/bin/true, --token-file=/run/token, --key, abcdef-4711] } }", 9, ToAsk, "", "No credential stands"},
		{"a proxy's password", edited(t, "    found:", "    proxy: http://reader:pass-word-4712@proxy.invalid:3128\n    found:"), 9, Gap, Leak, "the proxy's password"},
		{"a password of a database", "duplicate_means: x\nlookup: { sql: { postgres: \"postgres://reader:pass-word-4712@db/inbox\", query: \"SELECT op_key FROM t WHERE op_key = :op_key\" } }", 9, Gap, Leak, "connection string's password"},
		{"a password in a variable", "duplicate_means: x\nlookup: { sql: { postgres: \"${DSN}\", query: \"SELECT op_key FROM t WHERE op_key = :op_key\" } }", 9, ToAsk, "", "No credential stands"},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration, text := configured(t, c.target)
			r := Review(Input{Config: configuration, Text: text})
			f := question(t, r, "inbox", c.n)
			if f.Answer != c.answer || !slices.Equal(f.Harms, harmsOf(c.harm)) || !strings.Contains(strings.Join(f.Because, "\n"), c.says) {
				t.Errorf("question %d: %s %v, want %s %v with %q\n%s", c.n, f.Answer, f.Harms, c.answer, harmsOf(c.harm), c.says, strings.Join(f.Because, "\n"))
			}
			if f.Answer == Gap && (f.Means == "" || f.Do == "") {
				t.Error("a gap that does not say what it means and what to do")
			}
			if wrong := (c.harm == Duplicate || c.harm == Loss || c.harm == Leak) != (r.Harmful() > 0); wrong {
				t.Errorf("%d harmful gaps with harm %q", r.Harmful(), c.harm)
			}
		})
	}
}

func harmsOf(h Harm) []Harm {
	if h == "" {
		return []Harm{}
	}
	return []Harm{h}
}

// What came of asking the receiver itself.
func TestWhatAReceiverTells(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name   string
		answer lookup.Answer
		n      int
		want   Answer
		harm   Harm
	}{
		{"not found, canary seen", lookup.Answer{Outcome: ledger.LookupNotFound, CanarySeen: &yes}, 7, Ok, ""},
		{"not found, canary seen", lookup.Answer{Outcome: ledger.LookupNotFound, CanarySeen: &yes}, 8, Ok, ""},
		{"not found, canary not seen", lookup.Answer{Outcome: ledger.LookupNotFound, CanarySeen: &no}, 8, Gap, NeverSettled},
		{"failed", lookup.Answer{Outcome: ledger.LookupFailed, Cause: "http_403", CanarySeen: &no}, 8, Gap, NeverSettled},
		{"finds what nobody sent", lookup.Answer{Outcome: ledger.LookupFound, CanarySeen: &yes}, 7, Gap, Loss},
		{"still works on what nobody sent", lookup.Answer{Outcome: ledger.LookupInProgress, CanarySeen: &yes}, 7, Gap, Loss},
	} {
		configuration, text := configured(t, sound)
		r := Review(Input{Config: configuration, Text: text, Asked: map[string]Asking{"inbox": {Key: "triage-doctor-1", Answer: c.answer}}})
		if f := question(t, r, "inbox", c.n); f.Answer != c.want || !slices.Equal(f.Harms, harmsOf(c.harm)) {
			t.Errorf("%s: question %d is %s %v, want %s %v: %v", c.name, c.n, f.Answer, f.Harms, c.want, harmsOf(c.harm), f.Because)
		}
	}
}

// A lookup that can show deliveries only has no answer for a key that nobody used. That
// is no trouble of the receiver's, and must not read like one.
func TestNoAnswerWhereNoneIsToBeHad(t *testing.T) {
	export := "duplicate_means: x\nlookup: { file: { path: /srv/export.jsonl, format: jsonl, as_of: 2026-12-01T08:00:00Z, found: 'any(.rows[]; .status == \"sent\")' } }"
	silent := edited(t, "    not_found: .status == 404 and .body.error == \"no_such_delivery\"\n", "", ", canary: probe-1", "")
	for _, c := range []struct {
		name, target, cause string
		want                Answer
	}{
		{"an export that isn't complete", export, "partial_export", Ok},
		{"not_found is not mapped", silent, "unclassified", Ok},
		{"an export that can't be read", export, "no_export", Gap},
		{"an answer that fits nothing", sound, "unclassified", Gap},
		{"refused, and not_found not mapped", silent, "http_403", Gap},
	} {
		configuration, text := configured(t, c.target)
		asked := Asking{Key: "triage-doctor-1", Answer: lookup.Answer{Outcome: ledger.LookupFailed, Cause: c.cause}}
		r := Review(Input{Config: configuration, Text: text, Asked: map[string]Asking{"inbox": asked}})
		if f := question(t, r, "inbox", 8); f.Answer != c.want {
			t.Errorf("%s: question 8 is %s, want %s: %v", c.name, f.Answer, c.want, f.Because)
		}
	}
}

func TestTargetsThatTheConfigurationDoesNotKnow(t *testing.T) {
	configuration, text := configured(t, sound)
	h := healthy()
	h.Intent.Target = "Inbox"
	r := Review(Input{Config: configuration, Text: text, Sample: recorded(h)})
	f := question(t, r, "Inbox", 7)
	if f.Answer != Gap || !strings.Contains(f.Because[0], "knows inbox, which is spelt otherwise") {
		t.Errorf("%+v", f)
	}
	if len(r.Targets) != 2 || r.Targets[0].Target != "Inbox" || r.Targets[0].Configured || !r.Targets[1].Configured {
		t.Errorf("worst first, both listed: %+v", r.Targets)
	}
}

func TestWorstFirst(t *testing.T) {
	configuration, text := configured(t, edited(t, ` and .body.error == "no_such_delivery"`, "", ", canary: probe-1", "", "${TOKEN}", "abcdef-4711", "    payload_sha256: .body.sha256\n", ""))
	r := Review(Input{Config: configuration, Text: text})
	var order []int
	for _, f := range r.Targets[0].Questions[:3] {
		order = append(order, f.N)
	}
	if !slices.Equal(order, []int{8, 9, 7}) { // duplicate, leak, never settled
		t.Errorf("the first questions are %v", order)
	}
	if len(r.Targets[0].Questions) != 10 {
		t.Errorf("%d questions are answered", len(r.Targets[0].Questions))
	}
}
