package doctor

import (
	"slices"
	"strings"
	"testing"

	"triage/ledger"
)

const refusedHere = `.status == 200 and .body.state == "refused"`

// A refusal, too, must be the receiver's own word about the delivery.
func TestForeignAnswersAreNoRefusal(t *testing.T) {
	for _, c := range []struct {
		name, target string
		answer       Answer
		harms        []Harm
		says         string
	}{
		{"any 422", edited(t, refusedHere, ".status == 422"), Gap, []Harm{Duplicate},
			"refused holds for any 422, and refusal_is_final is promised. A 409 or 422 may be about the question, and counts only where the answer names the key, which an error that repeats the question does as well."},
		{"any 409, key not mapped", edited(t, refusedHere, ".status == 409", "    key: .body.op_key\n", ""), Gap, []Harm{Duplicate},
			"refused holds for any 409, and refusal_is_final is promised. A 409 or 422 may be about the question, and counts only where the answer names the key: without key mapped it never counts, and once key is mapped an error that repeats the question does."},
		{"GitHub's search, of a repository that can't be seen", edited(t, refusedHere, `.status == 422 and (.body.errors | length) > 0`), Gap, []Harm{Duplicate}, "refused holds for a 422 that complains of the question, and"},
		{"an error", edited(t, refusedHere, `.status < 500 and .body.error != null`), Gap, []Harm{Duplicate, NeverSettled}, "refused holds for a 404 of something else, a 409 of something else, a 422 that complains of the question and a 200 that says access denied, and"},
		{"any 404", edited(t, refusedHere, ".status == 404 and .body.error == null"), Gap, []Harm{Duplicate}, "refused holds for any 404, and refusal_is_final is promised."},
		{"any 422, not promised", edited(t, refusedHere, ".status == 422", "refusal_is_final: true, ", ""), Gap, []Harm{NeverSettled}, "refused holds for any 422, which proves nothing as long as refusal_is_final is not promised."},
		{"403", edited(t, refusedHere, `.status == 403 or (`+refusedHere+`)`), Gap, []Harm{NeverSettled}, "refused asks for the status 403, which can't count"},
		{"own words by 422", edited(t, refusedHere, `.status == 422 and .body.state == "refused"`), Ok, []Harm{}, "promises that it is final"},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration, text := configured(t, c.target)
			f := question(t, Review(Input{Config: configuration, Text: text}), "inbox", 2)
			if all := strings.Join(f.Because, "\n"); f.Answer != c.answer || !slices.Equal(f.Harms, c.harms) || !strings.Contains(all, c.says) {
				t.Errorf("%s %v, want %s %v with %q\n%s", f.Answer, f.Harms, c.answer, c.harms, c.says, all)
			}
		})
	}
}

// Conditions that can never count are named, each that there is, and so is each foreign
// answer that would be taken for an absence.
func TestWhatNotFoundHoldsForIsNamed(t *testing.T) {
	const own = `.status == 404 and .body.error == "no_such_delivery"`
	const dead = "which can't count: such an answer is a failed lookup before any mapping is read."
	for _, c := range []struct {
		name, notFound string
		harms          []Harm
		says           []string
		never          string
	}{
		{"404, 403 and 502", ".status == 404 or .status == 403 or .status == 502", []Harm{Duplicate, NeverSettled},
			[]string{"not_found asks for the status 403 and 502, " + dead, "not_found holds for any 404, absence_is_proof is promised"}, "something else"},
		{"404 and 410", ".status == 404 or .status == 410", []Harm{Duplicate}, []string{"not_found holds for any 404 and any 410, absence_is_proof"}, "can't count"},
		{"all errors", ".status >= 400", []Harm{Duplicate, NeverSettled},
			[]string{"the status 400 to 403, 405 to 408, 411 to 421 and 423 to 599, " + dead, "any 404, any 410, any 409 and any 422, absence_is_proof is promised, and no canary is named. A 409 or 422 may be about the question"}, ""},
		{"a server's error, by its body", `(` + own + `) or (.status == 503 and .body.error != null)`, []Harm{NeverSettled}, []string{"the status 503, " + dead, "only for the receiver's own words"}, "holds for"},
		{"no status asked for", `.body.error == "no_such_delivery"`, []Harm{}, []string{"only for the receiver's own words"}, "can't count"},
		{"no status asked for, and any error", `.body.error != null`, []Harm{Duplicate}, []string{"a 404 of something else"}, "can't count"},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration, text := configured(t, edited(t, own, c.notFound, ", canary: probe-1", ""))
			f := question(t, Review(Input{Config: configuration, Text: text}), "inbox", 8)
			all := strings.Join(f.Because, "\n")
			if !slices.Equal(f.Harms, c.harms) || c.never != "" && strings.Contains(all, c.never) {
				t.Errorf("%v, want %v without %q\n%s", f.Harms, c.harms, c.never, all)
			}
			for _, says := range c.says {
				if !strings.Contains(all, says) {
					t.Errorf("nothing says %q:\n%s", says, all)
				}
			}
		})
	}
}

// A mapping that gives the key back as a receipt is named before it has settled anything,
// and blamed afterwards; the sender is not.
func TestAMappingThatTakesTheKeyForAReceipt(t *testing.T) {
	for _, c := range []struct {
		name, target string
		gap          bool
		says         string
	}{
		{"the key's own place", edited(t, "receipt: .body.receipt", "receipt: .body.op_key"), true, "The mapping receipt (.body.op_key) gives back the key"},
		{"another place of it", edited(t, "receipt: .body.receipt", "receipt: .body.meta.ref | ascii_downcase", "key: .body.op_key", "key: .body.meta.ref"), true, "(.body.meta.ref | ascii_downcase) gives back"},
		{"where there is no better one", edited(t, "receipt: .body.receipt", "receipt: .body.receipt // .body.op_key"), true, "gives back the key"},
		{"a header", edited(t, "receipt: .body.receipt", `receipt: .headers["idempotency-key"]`), true, "gives back the key"},
		{"key not mapped", edited(t, "receipt: .body.receipt", "receipt: .body.op_key", "    key: .body.op_key\n", ""), true, "gives back the key"},
		{"a row", "duplicate_means: x\nlookup: { sql: { postgres: \"${DSN}\", query: \"SELECT op_key FROM t WHERE op_key = :op_key\", receipt: '.rows[0].op_key' } }", true, "gives back the key"},
		{"promised", edited(t, "receipt: .body.receipt", "receipt: .body.op_key", "same_key:", "receipt: key, same_key:"), false, ""},
		{"the receiver's own", sound, false, ""},
		{"beside the key", edited(t, "key: .body.op_key", "key: .body.items[0].key", "receipt: .body.receipt", "receipt: .body.items[0].id"), false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration, text := configured(t, c.target)
			f := question(t, Review(Input{Config: configuration, Text: text}), "inbox", 6)
			if all := strings.Join(f.Because, "\n"); slices.Contains(f.Harms, Loss) != c.gap || !strings.Contains(all, c.says) || c.gap && !strings.Contains(f.Do, "Map receipt to the id that the receiver itself gave") {
				t.Errorf("%s %v %q\n%s", f.Answer, f.Harms, f.Do, all)
			}
		})
	}
}

func TestWhoeverBroughtTheReceiptIsBlamed(t *testing.T) {
	configuration, text := configured(t, edited(t, "receipt: .body.receipt", "receipt: .body.op_key"))
	h := healthy()
	h.Intent.Receipt, h.Intent.SettledBy = "weekly-42", ledger.ByLookup
	f := question(t, Review(Input{Config: configuration, Text: text, Sample: recorded(h)}), "inbox", 6)
	all := strings.Join(f.Because, "\n") + f.Means + f.Do
	if !slices.Equal(f.Harms, []Harm{Loss}) || !strings.Contains(all, "Lookups brought receipts that repeat what was known before") || strings.Contains(all, "Let the sender") {
		t.Errorf("by a lookup: %v %s", f.Harms, all)
	}
	h.Intent.SettledBy = ledger.BySender
	f = question(t, Review(Input{Config: configuration, Text: text, Sample: recorded(h)}), "inbox", 6)
	if all := strings.Join(f.Because, "\n"); strings.Contains(all, "Lookups brought") || !strings.Contains(all, "Receipts repeat what the sender knew before") || !strings.Contains(f.Do, "Let the sender write") {
		t.Errorf("by the sender: %s", all)
	}
}
