package lookup

import (
	"context"
	"encoding/hex"
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// maxName bounds a receipt and an owner, in bytes.
const maxName = 512

// reading is what one answer was read as, before anything is taken out of it.
type reading struct {
	outcome ledger.LookupOutcome
	cause   string
	text    string // what went wrong, in plain words
	quote   string // what of the answer belongs to that
	key     *string
	final   *bool
	receipt string
	hash    string
	owner   string
	heard   bool // for a failure: the receiver spoke of this operation, though the answer can't be used
}

// speaks says that the receiver knows of the operation, by an answer that can be used
// or by one that can't.
func (r reading) speaks() bool {
	switch r.outcome {
	case ledger.LookupFound, ledger.LookupInProgress, ledger.LookupRefused, ledger.LookupAmbiguous:
		return true
	}
	return r.heard
}

// but is the failure that an answer came to all the same, with the key that it named and
// whether the receiver spoke of this operation in it.
func (r reading) but(f *failure) reading {
	bad := failed(f)
	about := f.cause != "other_key" && f.cause != "no_key" // else it may speak of another one, or of the question
	bad.key, bad.heard = r.key, about && r.speaks()
	return bad
}

func failed(f *failure) reading {
	return reading{outcome: ledger.LookupFailed, cause: f.cause, text: f.text, quote: f.quote}
}

// classify reads an answer, or one page of it, through the mapping (design §5). Exactly one of found,
// not_found, in_progress and refused must be positively true; everything else is
// failed.
func (m *mapping) classify(ctx context.Context, input any, key string) reading {
	r, f := m.outcome(ctx, input)
	if f == nil && r.outcome != ledger.LookupAmbiguous {
		f = m.echo(ctx, input, key, &r)
	}
	if f == nil && r.outcome == ledger.LookupFound {
		f = m.particulars(ctx, input, &r)
	}
	switch {
	case f != nil:
	case r.outcome == ledger.LookupNotFound:
		f = m.contradiction(ctx, input, key, r.outcome)
	case r.outcome == ledger.LookupRefused && m.payloadSHA256 != nil:
		// What was refused must be this content, where the answer tells. A mapping
		// that does not fit here shows nothing: it is written for what is found.
		r.hash, f = m.payloadSHA256.hashIfShown(ctx, input)
	}
	if f != nil {
		// A "not found" that shows a delivery all the same speaks of one, too.
		r.heard = r.heard || r.outcome == ledger.LookupNotFound && f.cause == "mapping_conflict"
		return r.but(f)
	}
	return r
}

// outcome weighs the four classifying expressions and the number of hits.
func (m *mapping) outcome(ctx context.Context, input any) (reading, *failure) {
	var yes []ledger.LookupOutcome
	for _, e := range []struct {
		expression *expression
		outcome    ledger.LookupOutcome
	}{
		{m.found, ledger.LookupFound}, {m.notFound, ledger.LookupNotFound},
		{m.inProgress, ledger.LookupInProgress}, {m.refused, ledger.LookupRefused},
	} {
		if e.expression == nil {
			continue
		}
		is, f := e.expression.truth(ctx, input)
		if f != nil {
			return spoken(yes), f
		}
		if is {
			yes = append(yes, e.outcome)
		}
	}
	several, f := m.several(ctx, input, yes)
	switch {
	case f != nil:
		return spoken(yes), f
	case several:
		return reading{outcome: ledger.LookupAmbiguous, text: "The receiver shows several deliveries for this question."}, nil
	case len(yes) == 0:
		return reading{}, fail("unclassified", "The answer fits none of the mappings found, not_found, in_progress and refused.")
	case len(yes) > 1:
		return spoken(yes), fail("mapping_conflict", "The answer fits %s and %s at once.", yes[0], yes[1])
	}
	return reading{outcome: yes[0]}, nil
}

// spoken is what an answer that fits these says where it can't be used: anything but
// "not found" speaks of the operation, and what contradicts a "not found" does.
func spoken(yes []ledger.LookupOutcome) reading {
	for _, outcome := range yes {
		if outcome != ledger.LookupNotFound {
			return reading{heard: true}
		}
	}
	if len(yes) > 0 {
		return reading{outcome: yes[0]}
	}
	return reading{}
}

// several says that more than one hit is shown, and refuses hits that contradict
// the classification.
func (m *mapping) several(ctx context.Context, input any, yes []ledger.LookupOutcome) (bool, *failure) {
	if m.hits == nil {
		return false, nil
	}
	hits, f := m.hits.count(ctx, input)
	if f != nil {
		return false, f
	}
	for _, outcome := range yes {
		if (outcome == ledger.LookupNotFound) != (hits == 0) {
			return false, fail("mapping_conflict", "The answer is %s by its mapping, and hits counts %s.", outcome, []string{"none", "one", "several"}[min(hits, 2)])
		}
	}
	return hits > 1, nil
}

// echo holds the key that the answer names against the one that was asked for,
// byte for byte.
func (m *mapping) echo(ctx context.Context, input any, key string, r *reading) *failure {
	if m.key == nil {
		return nil
	}
	echoed, told, f := m.key.text(ctx, input)
	if f != nil || !told {
		return f
	}
	r.key = &echoed
	if echoed != key {
		return fail("other_key", "The answer names another key than the one that was asked for.")
	}
	return nil
}

// contradiction refuses an answer that denies an effect and shows its receipt, its
// content, its owner, or what became of it all the same. The asked-for key as the
// receipt is an echo. A mapping that fails here shows nothing: it is written for what is
// found. A refusal may show all of it: receivers keep a record of what they refused.
func (m *mapping) contradiction(ctx context.Context, input any, key string, outcome ledger.LookupOutcome) *failure {
	for _, e := range []*expression{m.receipt, m.payloadSHA256, m.owner, m.final, m.withdrawn} {
		if e == nil {
			continue
		}
		v, f := e.value(ctx, input)
		switch {
		case f != nil && f.cause != "mapping_error":
			return f
		case f == nil && v != nil && v != false && v != "" && v != key:
			return fail("mapping_conflict", "The answer is %s by its mapping, and shows %s.", outcome, shown[e.name])
		}
	}
	return nil
}

// shown is what an answer that denies an effect must not show, by the mapping's name.
var shown = map[string]string{
	"receipt": "a receipt", "payload_sha256": "a payload_sha256", "owner": "an owner", "final": "that it is final", "withdrawn": "that it was withdrawn",
}

// particulars reads what a found delivery shows.
func (m *mapping) particulars(ctx context.Context, input any, r *reading) (f *failure) {
	if m.receipt != nil {
		if r.receipt, f = m.receipt.label(ctx, input, "bad_receipt"); f != nil {
			return f
		}
	}
	if m.owner != nil {
		if r.owner, f = m.owner.label(ctx, input, "bad_owner"); f != nil {
			return f
		}
	}
	if m.payloadSHA256 != nil {
		if r.hash, f = m.payloadSHA256.hash(ctx, input); f != nil {
			return f
		}
	}
	if m.final != nil {
		if r.final, f = m.final.maybe(ctx, input); f != nil {
			return f
		}
	}
	if m.withdrawn == nil {
		return nil
	}
	withdrawn, f := m.withdrawn.truth(ctx, input)
	if withdrawn {
		r.cause = ledger.CauseWithdrawn
	}
	return f
}

// maybe is a boolean, or null for not told.
func (e *expression) maybe(ctx context.Context, input any) (*bool, *failure) {
	v, f := e.value(ctx, input)
	if f != nil || v == nil {
		return nil, f
	}
	b, ok := v.(bool)
	if !ok {
		return nil, fail("mapping_error", "The mapping %s gives %s for this answer, not true, false or null.", e.name, typeName(v))
	}
	return &b, nil
}

// label is a receipt or an owner: text or a whole number that can be kept and
// shown. "" is none.
func (e *expression) label(ctx context.Context, input any, cause string) (string, *failure) {
	s, _, f := e.text(ctx, input)
	switch {
	case f != nil:
		return "", f
	case len(s) > maxName:
		return "", fail(cause, "The %s in the answer has more than %d bytes.", e.name, maxName)
	case wording.Safe(s) != s: // what can't be seen can't be compared by a person
		return "", fail(cause, "The %s in the answer holds invisible, control or combining characters that can't be shown.", e.name)
	case s != "" && strings.TrimSpace(s) == "":
		return "", fail(cause, "The %s in the answer is blank.", e.name)
	}
	return s, nil
}

// hashIfShown is hash, where a mapping that does not fit this answer shows none. What
// it does show must be one: an object or a number in its place is no hash that agrees.
func (e *expression) hashIfShown(ctx context.Context, input any) (string, *failure) {
	v, f := e.value(ctx, input)
	switch {
	case f != nil && f.cause == "mapping_error", f == nil && (v == nil || v == false):
		return "", nil
	case f != nil:
		return "", f
	}
	if _, ok := v.(string); !ok {
		return "", fail("bad_hash", "The mapping %s gives %s for this answer, not 64 hexadecimal digits.", e.name, typeName(v))
	}
	return e.hash(ctx, input)
}

// hash is a payload hash: 64 hexadecimal digits, kept in lower case as the ledger
// writes them. "" is none.
func (e *expression) hash(ctx context.Context, input any) (string, *failure) {
	s, _, f := e.text(ctx, input)
	if f != nil || s == "" {
		return "", f
	}
	if raw, err := hex.DecodeString(s); err != nil || len(raw) != 32 {
		return "", fail("bad_hash", "The %s in the answer is not 64 hexadecimal digits.", e.name)
	}
	return strings.ToLower(s), nil
}
