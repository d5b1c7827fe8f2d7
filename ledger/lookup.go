package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

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

// MaxRetryAfter is the longest that a receiver can ask to be left alone, counted from
// its answer. A wish beyond it counts as this much.
const MaxRetryAfter = time.Hour

// Evidence is what triage writes into a lookup's evidence column. Other programs
// may write other JSON objects there; what they leave out counts as not shown.
type Evidence struct {
	Key       *string `json:"key,omitempty"`       // the key as the receiver echoed it
	Final     *bool   `json:"final,omitempty"`     // the receiver positively showed a final effect
	Proves    string  `json:"proves,omitempty"`    // the verdict that this very lookup decided when it finished
	Replayed  bool    `json:"replayed,omitempty"`  // the answer was an old one, served again
	Status    int     `json:"status,omitempty"`    // HTTP status; 0: not told, as by connectors that don't speak HTTP
	Error     string  `json:"error,omitempty"`     // what went wrong, in words safe to show
	Excerpt   string  `json:"excerpt,omitempty"`   // start of the answer, redacted
	Canary    string  `json:"canary,omitempty"`    // what the canary lookups came to
	RetryAt   Millis  `json:"retry_at,omitempty"`  // the receiver asked not to be asked before
	Heard     bool    `json:"heard,omitempty"`     // for a failed lookup: the receiver spoke of this operation, though the answer can't be used
	Truncated bool    `json:"truncated,omitempty"` // the answer went on past what was read

	AsOf       Millis `json:"as_of,omitempty"`       // the answer shows what the receiver knew then, as an export does; none: when it was asked
	CompleteAt Millis `json:"complete_at,omitempty"` // when such an export was finished; none: not told
	SkewMS     int64  `json:"skew_ms,omitempty"`     // how far the receiver's clock was ahead of ours, in milliseconds; only where that is more than it can be by rounding
	Source     string `json:"source,omitempty"`      // which export, and where in it: file name, SHA-256, line
	Pages      int    `json:"pages,omitempty"`       // how many pages were read, where there was more than one
}

// ReadEvidence reads the evidence column for showing it. What can't be read shows
// nothing; whoever draws conclusions from it uses DecodeEvidence.
func (l Lookup) ReadEvidence() Evidence {
	e, err := l.DecodeEvidence()
	if err != nil {
		return Evidence{}
	}
	return e
}

// DecodeEvidence reads the evidence column strictly. An empty column is readable
// and shows nothing, unknown members are skipped, and a member that is null is not
// told. Everything that two readers could understand differently is an error: text
// that is no JSON object, a known member of another type or out of range, one
// that occurs twice, and one whose name differs in its case only. The error's text
// is a clause about "it", the evidence.
func (l Lookup) DecodeEvidence() (Evidence, error) {
	if l.Evidence == "" {
		return Evidence{}, nil
	}
	e, own := ownEvidence(l.Evidence)
	if !own {
		var err error
		if e, err = othersEvidence(l.Evidence); err != nil {
			return Evidence{}, err
		}
	}
	if e.Key != nil && strings.ContainsRune(*e.Key, utf8.RuneError) {
		return Evidence{}, errors.New("its member key holds what is no character")
	}
	return e, nil
}

// ownEvidence reads what triage itself wrote, which is most of it and read quickly:
// it comes back byte for byte, so that nothing in it was overlooked.
func ownEvidence(column string) (Evidence, bool) {
	var e Evidence
	if json.Unmarshal([]byte(column), &e) != nil {
		return Evidence{}, false
	}
	again, err := json.Marshal(e)
	return e, err == nil && string(again) == column
}

// othersEvidence reads it member by member.
func othersEvidence(column string) (Evidence, error) {
	if !utf8.ValidString(column) || !json.Valid([]byte(column)) {
		return Evidence{}, errors.New("it is no JSON")
	}
	decoder := json.NewDecoder(strings.NewReader(column))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return Evidence{}, errors.New("it is no JSON object")
	}
	var e Evidence
	seen := map[string]bool{}
	for decoder.More() {
		if err := e.member(decoder, seen); err != nil {
			return Evidence{}, err
		}
	}
	return e, nil
}

// member reads one member of the object.
func (e *Evidence) member(decoder *json.Decoder, seen map[string]bool) error {
	token, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	name, _ := token.(string)
	place := e.place(name)
	if place == nil {
		if known, ok := unfold(name); ok {
			return fmt.Errorf("it spells its member %s as %q", known, name)
		}
		return decoder.Decode(new(json.RawMessage))
	}
	if seen[name] {
		return fmt.Errorf("it has the member %s twice", name)
	}
	seen[name] = true
	if decoder.Decode(place) != nil {
		return fmt.Errorf("its member %s is of another type or out of range", name)
	}
	return nil
}

// place is where a known member is kept, nil for any other one.
func (e *Evidence) place(name string) any {
	switch name {
	case "key":
		return &e.Key
	case "final":
		return &e.Final
	case "proves":
		return &e.Proves
	case "replayed":
		return &e.Replayed
	case "status":
		return &e.Status
	case "error":
		return &e.Error
	case "excerpt":
		return &e.Excerpt
	case "canary":
		return &e.Canary
	case "retry_at":
		return &e.RetryAt
	case "heard":
		return &e.Heard
	case "truncated":
		return &e.Truncated
	case "as_of":
		return &e.AsOf
	case "complete_at":
		return &e.CompleteAt
	case "skew_ms":
		return &e.SkewMS
	case "source":
		return &e.Source
	case "pages":
		return &e.Pages
	}
	return nil
}

// unfold finds the known member that a name could be meant for.
func unfold(name string) (string, bool) {
	for _, known := range []string{"key", "final", "proves", "replayed", "status", "error", "excerpt", "canary", "retry_at", "heard", "truncated",
		"as_of", "complete_at", "skew_ms", "source", "pages"} {
		if strings.EqualFold(known, name) {
			return known, true
		}
	}
	return "", false
}
