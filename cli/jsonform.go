package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// The JSON forms carry the ledger's column names; times are integer milliseconds
// and what is not there is null (design §8).

type intentJSON struct {
	OpKey             string  `json:"op_key"`
	Task              string  `json:"task"`
	Stage             string  `json:"stage"`
	Principal         string  `json:"principal"`
	Target            string  `json:"target"`
	PayloadSHA256     string  `json:"payload_sha256"`
	PayloadBytes      *int64  `json:"payload_bytes"`
	PayloadRef        *string `json:"payload_ref"`
	GrantID           *string `json:"grant_id"`
	State             string  `json:"state"`
	Receipt           *string `json:"receipt"`
	SettledBy         *string `json:"settled_by"`
	MaxAttempts       *int64  `json:"max_attempts"`
	DeadlineAt        *int64  `json:"deadline_at"`
	Supersedes        *string `json:"supersedes"`
	SupersededBy      *string `json:"superseded_by"`
	ContradictedAt    *int64  `json:"contradicted_at"`
	SnoozedUntil      *int64  `json:"snoozed_until"`
	CancelRequestedAt *int64  `json:"cancel_requested_at"`
	SetAsideAt        *int64  `json:"set_aside_at"`
	AcknowledgedAt    *int64  `json:"acknowledged_at"` // when somebody dealt with the contradiction
	CreatedAt         int64   `json:"created_at"`
	UpdatedAt         int64   `json:"updated_at"`
	UpdatedBy         string  `json:"updated_by"`
	Version           int64   `json:"version"`

	Stuck   bool        `json:"stuck"`
	Verdict verdictJSON `json:"verdict"`
	Claim   *claimJSON  `json:"claim"`
}

type verdictJSON struct {
	Kind         verdict.Kind  `json:"kind"`
	Because      []string      `json:"because"`
	Safe         []verdict.Act `json:"safe"`
	ByHand       []verdict.Act `json:"by_hand"`
	AtRisk       []verdict.Act `json:"at_risk"`
	NotBefore    *int64        `json:"not_before"`
	SafeUntil    *int64        `json:"safe_until"`
	KeySafeUntil *int64        `json:"key_safe_until"`

	Withheld map[verdict.Act]string `json:"withheld,omitempty"` // in show: why each other act is not open, as a sentence
}

type claimJSON struct {
	Operator  string `json:"operator"`
	ExpiresAt int64  `json:"expires_at"`
}

type attemptJSON struct {
	AttemptID  string  `json:"attempt_id"`
	OpKey      string  `json:"op_key"`
	N          int     `json:"n"`
	Layer      string  `json:"layer"`
	StartedAt  int64   `json:"started_at"`
	FinishedAt *int64  `json:"finished_at"`
	Outcome    *string `json:"outcome"`
	Cause      *string `json:"cause"`
	HTTPStatus *int64  `json:"http_status"`
	Error      *string `json:"error"`
	Receipt    *string `json:"receipt"`
}

type lookupJSON struct {
	LookupID      string  `json:"lookup_id"`
	OpKey         string  `json:"op_key"`
	StartedAt     int64   `json:"started_at"`
	FinishedAt    *int64  `json:"finished_at"`
	Actor         string  `json:"actor"`
	Connector     string  `json:"connector"`
	Environment   *string `json:"environment"`
	Outcome       *string `json:"outcome"`
	CanarySeen    *int64  `json:"canary_seen"`
	Receipt       *string `json:"receipt"`
	PayloadSHA256 *string `json:"payload_sha256"`
	Owner         *string `json:"owner"`
	Cause         *string `json:"cause"`
	Evidence      *string `json:"evidence"`
}

type decisionJSON struct {
	DecisionID string  `json:"decision_id"`
	OpKey      string  `json:"op_key"`
	At         int64   `json:"at"`
	Operator   string  `json:"operator"`
	Kind       string  `json:"kind"`
	Reason     string  `json:"reason"`
	Receipt    *string `json:"receipt"`
	NewOpKey   *string `json:"new_op_key"`
	Until      *int64  `json:"until"`
	Facts      string  `json:"facts"`
	PrevHash   string  `json:"prev_hash"`
	Hash       string  `json:"hash"`
}

// showJSON is one intent with everything recorded about it.
type showJSON struct {
	intentJSON
	Attempts  []attemptJSON  `json:"attempts"`
	Lookups   []lookupJSON   `json:"lookups"`
	Decisions []decisionJSON `json:"decisions"`

	Budget      budgetJSON `json:"budget"`
	ClockSkewMS int64      `json:"clock_skew_ms"` // the largest seen beyond clock_skew; 0: none

	ClockTrouble []string `json:"clock_trouble"` // what was seen, and what it means for the verdict
}

// doneJSON is what an act prints: the intent afterwards, and what was done.
type doneJSON struct {
	showJSON
	Text     string        `json:"text"`
	NewOpKey *string       `json:"new_op_key,omitempty"`
	Decision *decisionJSON `json:"decision,omitempty"`
	Lookup   *lookupJSON   `json:"lookup,omitempty"`
}

func listForm(item actions.Item) intentJSON {
	i, v := item.Intent, item.Verdict
	form := intentJSON{
		OpKey: i.OpKey, Task: i.Task, Stage: i.Stage, Principal: i.Principal, Target: i.Target,
		PayloadSHA256: i.PayloadSHA256, PayloadBytes: i.PayloadBytes, PayloadRef: optional(i.PayloadRef),
		GrantID: optional(i.GrantID), State: string(i.State), Receipt: optional(i.Receipt), SettledBy: optional(i.SettledBy),
		MaxAttempts: optionalInt(i.MaxAttempts), DeadlineAt: optionalInt(i.DeadlineAt), Supersedes: optional(i.Supersedes),
		SupersededBy: optional(i.SupersededBy), ContradictedAt: optionalInt(i.ContradictedAt),
		SnoozedUntil: optionalInt(i.SnoozedUntil), CancelRequestedAt: optionalInt(i.CancelRequestedAt),
		SetAsideAt: optionalInt(i.Derived.SetAsideAt), AcknowledgedAt: optionalInt(i.Derived.AcknowledgedAt),
		CreatedAt: int64(i.CreatedAt), UpdatedAt: int64(i.UpdatedAt), UpdatedBy: i.UpdatedBy, Version: i.Version,
		Stuck: item.Stuck,
		Verdict: verdictJSON{
			Kind: v.Kind, Because: orEmpty(v.Because), Safe: orEmpty(v.Safe), ByHand: orEmpty(v.ByHand), AtRisk: orEmpty(v.AtRisk),
			NotBefore: optionalInt(v.NotBefore), SafeUntil: optionalInt(v.SafeUntil), KeySafeUntil: optionalInt(v.KeySafeUntil),
		},
	}
	if c := item.Claim; c != nil {
		form.Claim = &claimJSON{Operator: c.Operator, ExpiresAt: int64(c.ExpiresAt)}
	}
	return form
}

func showForm(item actions.Item) showJSON {
	form := showJSON{
		intentJSON: listForm(item), Attempts: []attemptJSON{}, Lookups: []lookupJSON{}, Decisions: []decisionJSON{},
		Budget: budgetForm(item), ClockTrouble: orEmpty(item.Clocks.Told), ClockSkewMS: item.Clocks.Largest.Milliseconds(),
	}
	form.Verdict.Withheld = item.Verdict.Withheld
	for _, a := range item.Attempts {
		form.Attempts = append(form.Attempts, attemptForm(a))
	}
	for _, l := range item.Lookups {
		form.Lookups = append(form.Lookups, lookupForm(l))
	}
	for _, d := range item.Decisions {
		form.Decisions = append(form.Decisions, decisionForm(d))
	}
	return form
}

func doneForm(d actions.Done) doneJSON {
	form := doneJSON{showJSON: showForm(d.Item), Text: d.Text, NewOpKey: optional(d.NewKey)}
	if d.Decision.DecisionID != "" {
		decision := decisionForm(d.Decision)
		form.Decision = &decision
	}
	if d.Lookup.LookupID != "" {
		l := lookupForm(d.Lookup)
		form.Lookup = &l
	}
	return form
}

func attemptForm(a ledger.Attempt) attemptJSON {
	return attemptJSON{
		AttemptID: a.AttemptID, OpKey: a.OpKey, N: a.N, Layer: a.Layer, StartedAt: int64(a.StartedAt),
		FinishedAt: optionalInt(a.FinishedAt), Outcome: optional(a.Outcome), Cause: optional(a.Cause),
		HTTPStatus: optionalInt(a.HTTPStatus), Error: optional(a.Error), Receipt: optional(a.Receipt),
	}
}

func lookupForm(l ledger.Lookup) lookupJSON {
	form := lookupJSON{
		LookupID: l.LookupID, OpKey: l.OpKey, StartedAt: int64(l.StartedAt), FinishedAt: optionalInt(l.FinishedAt),
		Actor: l.Actor, Connector: l.Connector, Environment: optional(l.Environment), Outcome: optional(l.Outcome),
		Receipt: optional(l.Receipt), PayloadSHA256: optional(l.PayloadSHA256), Owner: optional(l.Owner),
		Cause: optional(l.Cause), Evidence: optional(l.Evidence),
	}
	if l.CanarySeen != nil {
		seen := map[bool]int64{false: 0, true: 1}[*l.CanarySeen]
		form.CanarySeen = &seen
	}
	return form
}

func decisionForm(d ledger.Decision) decisionJSON {
	return decisionJSON{
		DecisionID: d.DecisionID, OpKey: d.OpKey, At: int64(d.At), Operator: d.Operator, Kind: string(d.Kind),
		Reason: d.Reason, Receipt: optional(d.Receipt), NewOpKey: optional(d.NewOpKey), Until: optionalInt(d.Until),
		Facts: d.Facts, PrevHash: d.PrevHash, Hash: d.Hash,
	}
}

func optional[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}

func optionalInt[T ~int | ~int64](n T) *int64 {
	if n == 0 {
		return nil
	}
	value := int64(n)
	return &value
}

func orEmpty[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// printJSON writes one JSON value and a line end.
func printJSON(w io.Writer, value any) error {
	raw, err := marshalSafe(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", raw)
	return err
}

// marshalSafe is JSON in which whatever a terminal could act on is escaped: JSON's
// own escapes, so that a program reads the same text.
func marshalSafe(value any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	raw := bytes.TrimRight(buf.Bytes(), "\n")
	var out bytes.Buffer
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r < 0x7f || r > 0x7f && wording.Safe(string(r)) == string(r) {
			out.Write(raw[:size])
		} else if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		} else {
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		raw = raw[size:]
	}
	return out.Bytes(), nil
}
