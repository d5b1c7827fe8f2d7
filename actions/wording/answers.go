package wording

import (
	"fmt"
	"math"
	"time"

	"triage/ledger"
)

// Answer is what is to be known of an answer beside what it says, as clauses: that it
// was an old one, how many pages it had, and whether the receiver's clock was off.
func Answer(e ledger.Evidence) []string {
	var clauses []string
	if e.Replayed {
		clauses = append(clauses, "an OLD answer, served again")
	}
	if e.Pages > 1 {
		clauses = append(clauses, fmt.Sprintf("%d pages read", e.Pages))
	}
	const most = math.MaxInt64 / int64(time.Millisecond) // what others wrote may be longer than a Duration
	switch off := time.Duration(max(min(e.SkewMS, most), -most)) * time.Millisecond; {
	case off > 0:
		clauses = append(clauses, "receiver's clock "+Duration(off)+" ahead of ours")
	case off < 0:
		clauses = append(clauses, "receiver's clock "+Duration(-off)+" behind ours")
	}
	return clauses
}
