package sqlite

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// A sweep's queries go to their rows by the index for them, and by all of its
// columns: a page deep inside costs no more than the first.
func TestPlansOfASweep(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newLedger(t)
	fill(t, path, someIntents())
	db, err := Open(ctx, path, Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	queries := screenQueries(t)
	for name, want := range map[string]string{
		"left, set aside": "USING INDEX intents_left (<expr>=? AND (target,last_attempt_at,op_key)>(?,?,?))",
		"left, decided":   "USING INDEX intents_left (<expr>=? AND target=? AND (last_attempt_at,op_key)>(?,?))",
		"looked up since": "USING INDEX lookups_of_intent (op_key=?)",
	} {
		lines := plan(t, db.write.conn, queries[name])
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("%s: %s", name, strings.Join(lines, "; "))
		}
	}
}
