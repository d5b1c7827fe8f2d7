package drill

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestExperimentMeasuresWhatTheDesignSays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	if err := os.WriteFile(path, []byte("an older result"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Experiment(t.Context(), &out, path); err != nil {
		t.Fatal(err)
	}

	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	err = json.Unmarshal([]byte(`{"schemes": [
		{"name": "new_key_after_timeout", "receiver_records": 2, "sender_state": "DELIVERED", "refused": null},
		{"name": "lookup_then_same_intent", "receiver_records": 1, "sender_state": "DELIVERED", "refused": null},
		{"name": "same_key_blind_resend", "receiver_records": 1, "sender_state": "DELIVERED", "refused": null},
		{"name": "same_key_other_payload", "receiver_records": 1, "sender_state": "UNKNOWN", "refused": "same_key_different_payload"},
		{"name": "new_key_same_payload", "receiver_records": 2, "sender_state": "DELIVERED", "refused": null}
	]}`), &want)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the result is\n%s", raw)
	}
	if !strings.Contains(out.String(), "2 / 1 / 1 / refused / 2") {
		t.Errorf("the table ends otherwise:\n%s", out.String())
	}
	for _, row := range schemes {
		if !strings.Contains(out.String(), row.name) {
			t.Errorf("the table lacks %s:\n%s", row.name, out.String())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the result: %v (%v)", left, err)
	}
}

func TestTheTableTellsADuplicateFromASecondDelivery(t *testing.T) {
	for name, want := range map[string]string{
		"new_key_after_timeout":   "UNKNOWN and DELIVERED",
		"lookup_then_same_intent": "UNKNOWN → DELIVERED",
		"same_key_blind_resend":   "DELIVERED",
		"new_key_same_payload":    "UNKNOWN → DELIVERED and DELIVERED",
	} {
		for _, s := range schemes {
			if s.name != name {
				continue
			}
			row, err := measure(t.Context(), s, filepath.Join(t.TempDir(), "lab"))
			if err != nil {
				t.Fatal(err)
			}
			if row.intents != want {
				t.Errorf("%s: %q, want %q", name, row.intents, want)
			}
		}
	}
}

func TestTheSameKeyAgainReturnsTheOriginalReceipt(t *testing.T) {
	l := newTestLab(t)
	if _, err := sameKeyBlindResend(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	h := historyOf(t, l.books, "report-1")
	if len(h.Attempts) != 2 || h.Attempts[0].Outcome != "unknown" || h.Attempts[1].Outcome != "delivered" {
		t.Errorf("attempts %+v, want an unknown one and then a delivered one", h.Attempts)
	}
	if d, _, err := l.receiver.Get(t.Context(), "report-1"); err != nil || d.Receipt != h.Intent.Receipt {
		t.Errorf("the ledger has receipt %q, the receiver %q (%v)", h.Intent.Receipt, d.Receipt, err)
	}
}

func TestAResultThatCannotBeWrittenIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "r.json")
	if err := writeJSON(path, map[string]any{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error that names the file", err)
	}
}
