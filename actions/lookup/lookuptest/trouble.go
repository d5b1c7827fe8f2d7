// Package lookuptest is the one suite of hostile receivers that every connector must
// pass, and whoever acts on lookups too: each trouble that a receiver, or something on
// the way to it, can make, with a real server, program, database or export that makes
// it. None of them may ever show a delivery or prove that there is none.
//
// It knows the configuration only, neither connectors nor acts, so that both can be
// tested with it.
package lookuptest

import (
	"testing"
	"time"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/ledger"
)

// For short, in the table.
type (
	tb     = testing.TB
	target = config.Target
)

// Setup makes a receiver that lives as long as the test, and says how it is asked.
// lookup.For takes what it gives; names, promises and instants may be changed before.
type Setup func(t testing.TB) config.Target

// The connectors by which troubles are told apart. Postgres is the connector sql, asked
// over the network.
const (
	HTTP     = "http"
	Exec     = "exec"
	SQL      = "sql"
	Postgres = "postgres"
	File     = "file"
)

// Trouble is one way in which an answer can be worth nothing.
type Trouble struct {
	Name    string
	Targets map[string]Setup // by connector; one that is not there can't get into this trouble
	// Want is what the answer must be: failed or ambiguous; or, where Unbelieved is
	// not empty, not_found.
	Want ledger.LookupOutcome
	// Causes are the machine words that the answer may carry, separated by |, by
	// connector; "" is any.
	Causes map[string]string
	// Unbelieved says what an answer that was read without fault carries, so that no
	// verdict takes it for a proof: a canary that was not seen, or its age.
	Unbelieved string
}

// The intent of all troubles, as a receiver knows it.
const (
	Key     = "weekly-42"
	Owner   = "agent-1"
	Receipt = "r-4711"
	Hash    = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	Target  = "inbox"
	Canary  = "probe-1"

	// secret is what the targets' variables hold.
	secret = "s3cr3t-tok/en+4711" //nolint:gosec // no credential of anybody
)

// Intent is the intent that all receivers here are asked about.
func Intent() ledger.Intent {
	return ledger.Intent{
		OpKey: Key, Task: "weekly report", Stage: "send", Principal: Owner, Target: Target, PayloadSHA256: Hash,
		State: ledger.Unknown,
	}
}

// Promises are what every receiver here promises: all that a proof needs, so that
// nothing but its trouble stands in the way. A lookup is timely 95 seconds (S + G + K)
// after the last attempt's end; exports show the receiver as it is when their Setup is
// called.
func Promises() verdict.Promises {
	d := func(d time.Duration) *time.Duration { return &d }
	return verdict.Promises{
		AttemptTimeout: d(30 * time.Second), SettlesWithin: d(time.Minute), LookupLag: d(30 * time.Second), KeyRetention: d(24 * time.Hour),
		AbsenceIsProof: true, FoundIsFinal: true, RefusalIsFinal: true, LookupBy: verdict.ByKey, SameKey: verdict.ReturnsOriginal,
	}
}

const (
	patience = 20 * time.Second       // for receivers that answer: never reached
	hurry    = 400 * time.Millisecond // for those that don't
)

// asked is a target with one connector.
func asked(l config.Lookup) config.Target {
	l.Timeout = patience
	l.Rate = config.Rate{Count: 10000, Per: time.Second}
	return config.Target{Name: Target, Lookup: &l, Promises: Promises()}
}

// hurried is a target that soon gives up.
func hurried(setup Setup) Setup {
	return changed(setup, func(t *config.Target) { t.Lookup.Timeout = hurry })
}

// withCanary is a target with a canary.
func withCanary(setup Setup) Setup {
	return changed(setup, func(t *config.Target) { t.Promises.Canary = Canary })
}

func changed(setup Setup, change func(*config.Target)) Setup {
	return func(t testing.TB) config.Target {
		target := setup(t)
		change(&target)
		return target
	}
}

// mapped is a target whose mapping is changed.
func mapped(setup Setup, change func(*config.Mapping)) Setup {
	return changed(setup, func(t *config.Target) {
		switch l := t.Lookup; {
		case l.HTTP != nil:
			change(&l.HTTP.Mapping)
		case l.Exec != nil:
			l.Exec.Mapping = l.Exec.Means()
			change(&l.Exec.Mapping)
		case l.SQL != nil:
			change(&l.SQL.Mapping)
		case l.File != nil:
			change(&l.File.Mapping)
		}
	})
}
