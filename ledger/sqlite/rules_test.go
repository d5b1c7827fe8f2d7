package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"triage/ledger"
)

var updateSchema = flag.Bool("update-schema", false, "write schema/objects.sha256 anew")

func TestTheListOfRulesIsUpToDate(t *testing.T) {
	all, err := builtIn()
	must(t, err)
	path := filepath.Join("schema", "objects.sha256")
	if *updateSchema {
		must(t, os.WriteFile(path, []byte(fingerprints(all)), 0o644))
	}
	got, err := os.ReadFile(path)
	must(t, err)
	if string(got) != fingerprints(all) {
		t.Error("schema/objects.sha256 does not match the schema; run `go test ./ledger/sqlite -run ListOfRules -update-schema`")
	}
}

// Nobody writes to a ledger whose rules are not in force; whoever only reads can look.
func TestOpenRefusesBrokenRules(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for damage, words := range map[string]string{
		`DROP TRIGGER attempts_guard_insert`:                                         "trigger attempts_guard_insert is missing",
		`DROP VIEW standing_close`:                                                   "view standing_close is missing",
		`DROP INDEX intents_queue`:                                                   "index intents_queue is missing",
		`DROP VIEW clock; CREATE VIEW clock (now_ms) AS SELECT 0`:                    "view clock was altered",
		`DROP TRIGGER decisions_journal_insert; DROP TRIGGER events_contradict`:      "is missing; trigger",
		`CREATE INDEX mine ON intents (task); CREATE TABLE notes (text TEXT) STRICT`: "",
	} {
		path := newLedger(t)
		raw, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = raw.Exec(damage)
		must(t, err)
		must(t, raw.Close())
		before, err := os.ReadFile(path)
		must(t, err)

		db, err := Open(ctx, path, Options{})
		switch {
		case words == "":
			must(t, err)
			must(t, db.Close())
			continue
		case !errors.Is(err, ledger.ErrNotALedger) || !strings.Contains(err.Error(), words):
			t.Errorf("%s: got %v, want words that say %s", damage, err, words)
		}
		reader, err := Open(ctx, path, Options{ReadOnly: true})
		must(t, err)
		must(t, reader.Close())
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file was changed (%v)", damage, err)
		}
	}
}
