package actions

import (
	"encoding/json"
	"fmt"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// facts is the JSON of a decision's facts column (design §4): what the operator
// saw, what it proved, on which promises, and the permission check. It holds no
// payload, no secret and no address of a receiver.
type facts struct {
	Intent     intentFacts    `json:"intent"`
	Seen       *seenFacts     `json:"seen,omitempty"`
	Verdict    verdictFacts   `json:"verdict"`
	Promises   map[string]any `json:"promises"`
	Config     string         `json:"config_sha256,omitempty"`
	Permission *Permission    `json:"permission,omitempty"`

	Evidence string        `json:"evidence,omitempty"` // where the operator saw it, in their words
	Accepted string        `json:"accepted_duplicate,omitempty"`
	Refusal  *refusalFacts `json:"refusal,omitempty"`
	Wanted   verdict.Act   `json:"wanted,omitempty"` // the act that was refused

	LastAttemptN int    `json:"last_attempt_n,omitempty"` // retry_same_key: the attempt after which one more may follow
	AttemptID    string `json:"attempt_id,omitempty"`     // abandon_attempt: read by verdict.ReadAbandon
	SenderKilled *bool  `json:"sender_killed,omitempty"`
}

type intentFacts struct {
	Version       int64        `json:"version"`
	State         ledger.State `json:"state"`
	PayloadSHA256 string       `json:"payload_sha256"`
	Attempts      int          `json:"attempts"`
	LastAttemptN  int          `json:"last_attempt_n"`
	Lookups       int          `json:"lookups"`
}

type seenFacts struct {
	Version       int64        `json:"version"`
	PayloadSHA256 string       `json:"payload_sha256,omitempty"`
	Verdict       verdict.Kind `json:"verdict,omitempty"`
}

type verdictFacts struct {
	Kind     verdict.Kind `json:"kind"`
	Because  []string     `json:"because"`
	Evidence string       `json:"evidence,omitempty"`
}

type refusalFacts struct {
	Code string `json:"code"`
	What string `json:"what"`
}

func (d *Desk) factsOf(item Item, seen Seen) facts {
	f := facts{
		Intent: intentFacts{
			Version: item.Intent.Version, State: item.Intent.State, PayloadSHA256: item.Intent.PayloadSHA256,
			Attempts: len(item.Attempts), Lookups: len(item.Lookups),
		},
		Verdict:  verdictFacts{Kind: item.Verdict.Kind, Because: item.Verdict.Because, Evidence: item.Verdict.Evidence},
		Promises: promiseFacts(item.Target.Promises),
	}
	if n := len(item.Attempts); n > 0 {
		f.Intent.LastAttemptN = item.Attempts[n-1].N
	}
	if seen != (Seen{}) {
		f.Seen = &seenFacts{Version: seen.Version, PayloadSHA256: seen.PayloadSHA256, Verdict: seen.Verdict}
	}
	if d.Config != nil {
		f.Config = d.Config.Hash
	}
	return f
}

// promiseFacts are the promises in force, under their names in the configuration;
// one that was not made is left out.
func promiseFacts(p verdict.Promises) map[string]any {
	m := map[string]any{
		"absence_is_proof": p.AbsenceIsProof, "found_is_final": p.FoundIsFinal, "refusal_is_final": p.RefusalIsFinal,
	}
	for name, d := range map[string]*time.Duration{
		"attempt_timeout": p.AttemptTimeout, "settles_within": p.SettlesWithin, "lookup_lag": p.LookupLag,
		"key_retention": p.KeyRetention, "lookup_retention": p.LookupRetention, "clock_skew": p.ClockSkew,
	} {
		if d != nil {
			m[name] = d.String()
		}
	}
	for name, s := range map[string]string{
		"lookup_by": string(p.LookupBy), "same_key": string(p.SameKey), "receipt": string(p.Receipt), "canary": p.Canary,
	} {
		if s != "" {
			m[name] = s
		}
	}
	if !p.Since.IsNone() {
		m["since"] = int64(p.Since)
	}
	return m
}

func (f facts) json() (string, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("facts of the decision as JSON: %w", err)
	}
	return string(raw), nil
}

// ReadDenied tells which act a denied row refused, and under which code.
func ReadDenied(d ledger.Decision) (wanted verdict.Act, code string) {
	var f facts
	if json.Unmarshal([]byte(d.Facts), &f) != nil || f.Wanted == "" {
		return "act", ""
	}
	if f.Refusal != nil {
		code = f.Refusal.Code
	}
	return f.Wanted, code
}
