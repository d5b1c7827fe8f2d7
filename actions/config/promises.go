package config

import (
	"time"

	"triage/actions/verdict"
)

// promises reads what a receiver guarantees (design §5). What is left out stays
// unknown, which counts as the cautious end.
func (v value) promises(p *verdict.Promises) error {
	return v.settings(
		into("attempt_timeout", &p.AttemptTimeout, promised(time.Millisecond, longest)),
		into("settles_within", &p.SettlesWithin, promised(0, longest)),
		into("lookup_lag", &p.LookupLag, promised(0, longest)),
		into("key_retention", &p.KeyRetention, promised(0, longestRetention)),
		into("lookup_retention", &p.LookupRetention, promised(0, longestRetention)),
		into("clock_skew", &p.ClockSkew, promised(0, longest)),
		into("absence_is_proof", &p.AbsenceIsProof, value.boolean),
		into("found_is_final", &p.FoundIsFinal, value.boolean),
		into("refusal_is_final", &p.RefusalIsFinal, value.boolean),
		into("lookup_by", &p.LookupBy, oneOf(verdict.ByKey, verdict.ByContent)),
		into("same_key", &p.SameKey, oneOf(verdict.ReturnsOriginal, verdict.SameKeyNone)),
		into("receipt", &p.Receipt, oneOf(verdict.OwnReceipt, verdict.KeyAsReceipt)),
		into("since", &p.Since, value.instant),
		into("canary", &p.Canary, value.id),
	)
}
