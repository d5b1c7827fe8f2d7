package actions_test

import (
	"strings"
	"testing"

	"triage/ledger"
)

// What became of a retry that was decided is told until an attempt takes it.
func TestWhatBecameOfADecidedRetryIsTold(t *testing.T) {
	b := newBench(t)
	b.provenAbsent("k")
	told := func(when, want string) {
		t.Helper()
		if got := b.item("k").Retry; (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: told %q, want %q", when, got, want)
		}
	}
	told("before", "")
	done, err := b.desk.Retry(t.Context(), b.request("k"))
	if err != nil {
		t.Fatal(err)
	}
	told("decided", "a sender may take it until")
	ahead := b.ahead
	b.ahead = done.Decision.Until.Sub(ledger.WallClock()) + 1_000_000_000
	told("ended unused", "No sender took it, and it ended at")
	b.ahead = ahead
	b.says(ledger.LookupInProgress)
	b.lookup("k")
	told("ended by evidence", "no sender may take it")

	b.provenAbsent("taken")
	if _, err := b.desk.Retry(t.Context(), b.request("taken")); err != nil {
		t.Fatal(err)
	}
	b.attempt("taken")
	if got := b.item("taken").Retry; got != "" {
		t.Errorf("an attempt has taken it, and it says %q", got)
	}
}
