package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// ChainHash is the hash of a decision: SHA-256 of the RFC 8785 JSON of all its
// columns but hash, in lower-case hex (design §4). A NULL column is null; facts
// is hashed as the text that the column holds.
func ChainHash(d Decision) (string, error) {
	columns := map[string]any{
		"decision_id": d.DecisionID,
		"op_key":      d.OpKey,
		"at":          int64(d.At),
		"operator":    d.Operator,
		"kind":        string(d.Kind),
		"reason":      d.Reason,
		"receipt":     orNull(d.Receipt),
		"new_op_key":  orNull(d.NewOpKey),
		"until":       nil,
		"facts":       d.Facts,
		"prev_hash":   d.PrevHash,
	}
	if !d.Until.IsNone() {
		columns["until"] = int64(d.Until)
	}
	raw, err := json.Marshal(columns)
	if err != nil {
		return "", fmt.Errorf("decision %s as JSON: %w", d.DecisionID, err)
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", fmt.Errorf("decision %s as RFC 8785 JSON: %w", d.DecisionID, err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
