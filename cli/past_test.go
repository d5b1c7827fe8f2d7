package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"triage/cli"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// show --at tells of an instant between two changes what was known then, in words that
// can't be taken for the present's, and in JSON with the place in the journal.
func TestShowAtAnInstant(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := sqlite.Init(ctx, path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	uncertain(t, db, "k")
	h, err := db.History(ctx, "k", ledger.WallClock())
	if err != nil {
		t.Fatal(err)
	}
	then := h.Events[len(h.Events)-1]
	for later := then.At; later <= then.At; later = ledger.WallClock() { // the next change is of another instant
		continue
	}
	execSQL(t, path, `UPDATE intents SET cancel_requested_at = 1796000000000, updated_by = 'somebody' WHERE op_key = 'k'`)

	show := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		p := cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) (string, bool) { return "", false }}
		if code := p.Run(ctx, append([]string{"--db", path, "show", "k"}, args...)); code != 0 {
			t.Fatalf("%q: exit %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	for _, at := range []string{fmt.Sprint(int64(then.At)), then.At.Time().Format("2006-01-02T15:04:05.000Z07:00"), then.At.Time().Format("2006-01-02 15:04:05.000")} {
		text := show("--at", at)
		for _, want := range []string{
			"AS IT STOOD at " + then.At.Time().Format("2006-01-02 15:04:05.000") + " UTC, 4 of 5 changes. This is the past.",
			"Judged for that instant", "next: changed by somebody at ", "before then)", "was safe",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("--at %s does not say %q:\n%s", at, want, text)
			}
		}
		for _, wrong := range []string{"safe now", "cancel wished", " ago)", " it now "} {
			if strings.Contains(text, wrong) {
				t.Errorf("--at %s says %q:\n%s", at, wrong, text)
			}
		}
	}
	if text := show(); !strings.Contains(text, "cancel wished") || strings.Contains(text, "AS IT STOOD") {
		t.Errorf("the present: %s", text)
	}
	var form struct {
		AsOf struct {
			At, Seq         int64
			Change, Changes int
			LastKind        string `json:"last_kind"`
			NextAt          *int64 `json:"next_at"`
		} `json:"as_of"`
		State             string
		Version           int64
		CancelRequestedAt *int64 `json:"cancel_requested_at"`
		Attempts          []any
	}
	if err := json.Unmarshal([]byte(show("--at", fmt.Sprint(int64(then.At)), "--json")), &form); err != nil {
		t.Fatal(err)
	}
	a := form.AsOf
	if a.At != int64(then.At) || a.Seq != then.Seq || a.Change != 4 || a.Changes != 5 || a.LastKind != "changed" || a.NextAt == nil || *a.NextAt <= a.At ||
		form.State != "UNKNOWN" || form.Version != h.Intent.Version || form.CancelRequestedAt != nil || len(form.Attempts) != 1 {
		t.Errorf("got %+v", form)
	}
}
