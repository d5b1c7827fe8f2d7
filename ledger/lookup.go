package ledger

import "encoding/json"

// LookupOutcome is what a receiver answered when asked under the original key.
// Empty: the lookup was started and never finished.
type LookupOutcome string

// What a lookup can come to. Anything not positively classified is LookupFailed.
const (
	LookupFound      LookupOutcome = "found"
	LookupNotFound   LookupOutcome = "not_found"
	LookupInProgress LookupOutcome = "in_progress"
	LookupRefused    LookupOutcome = "refused"
	LookupAmbiguous  LookupOutcome = "ambiguous"
	LookupFailed     LookupOutcome = "failed"
)

// CauseWithdrawn is the cause of a found lookup whose receiver shows that the
// effect was undone since.
const CauseWithdrawn = "withdrawn"

// Lookup is one question to a receiver. It reads only.
type Lookup struct {
	LookupID      string
	OpKey         string
	StartedAt     Millis
	FinishedAt    Millis
	Actor         string
	Connector     string
	Environment   string
	Outcome       LookupOutcome
	CanarySeen    *bool // nil: no canary was asked for
	Receipt       string
	PayloadSHA256 string
	Owner         string
	Cause         string
	Evidence      string // JSON, redacted, at most MaxEvidenceBytes
	Seq           int64  // journal seq of the row's first event: when it began
}

// Finished says that an outcome was written.
func (l Lookup) Finished() bool { return l.Outcome != "" }

// MaxEvidenceBytes bounds the evidence column, in bytes.
const MaxEvidenceBytes = 16 << 10

// Evidence is what triage writes into a lookup's evidence column. Other programs
// may write other JSON there; what they leave out counts as not shown.
type Evidence struct {
	Key       *string `json:"key,omitempty"`       // the key as the receiver echoed it
	Final     *bool   `json:"final,omitempty"`     // the receiver positively showed a final effect
	Proves    string  `json:"proves,omitempty"`    // the verdict that this very lookup decided when it finished
	Replayed  bool    `json:"replayed,omitempty"`  // the answer was an old one, served again
	Status    int     `json:"status,omitempty"`    // HTTP status
	Error     string  `json:"error,omitempty"`     // what went wrong, in words safe to show
	Excerpt   string  `json:"excerpt,omitempty"`   // start of the answer, redacted
	Canary    string  `json:"canary,omitempty"`    // what the canary lookups came to
	RetryAt   Millis  `json:"retry_at,omitempty"`  // the receiver asked not to be asked before
	Truncated bool    `json:"truncated,omitempty"` // the answer went on past what was read
}

// ReadEvidence reads the evidence column. Unreadable evidence shows nothing,
// which is the cautious reading.
func (l Lookup) ReadEvidence() Evidence {
	var e Evidence
	if json.Unmarshal([]byte(l.Evidence), &e) != nil {
		return Evidence{}
	}
	return e
}
