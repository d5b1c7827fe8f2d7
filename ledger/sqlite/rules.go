package sqlite

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"triage/ledger"
)

// rulesOf lists every object of the newest schema with the SHA-256 of its text, so that
// opening a ledger need not make one to compare with. A test writes it.
//
//go:embed schema/objects.sha256
var rulesOf string

// checkRules refuses to write to a ledger whose rules are not all in force: a table,
// index, trigger or view that is missing or was altered. What somebody added is left to
// verify.
func checkRules(ctx context.Context, q querier) error {
	have, err := objects(ctx, q)
	if err != nil {
		return err
	}
	var broken []string
	for line := range strings.Lines(rulesOf) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, ok := have[name]
		switch {
		case !ok:
			broken = append(broken, name+" is missing")
		case sum != fingerprint(text):
			broken = append(broken, name+" was altered")
		}
	}
	if len(broken) == 0 {
		return nil
	}
	const most = 3
	if more := len(broken) - most; more > 0 {
		broken = append(broken[:most], fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("%w: its own rules are not in force (%s), so nothing keeps a duplicate or a loss out of it. Nothing was changed. Look at it with --read-only, run `triage verify`, and restore it from a copy",
		ledger.ErrNotALedger, strings.Join(broken, "; "))
}

func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// fingerprints is the content of the embedded list for these objects.
func fingerprints(all map[string]string) string {
	lines := make([]string, 0, len(all))
	for name, text := range all {
		lines = append(lines, fingerprint(text)+"  "+name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return strings.Join(lines, "")
}
