package drill_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"triage/cli"
	"triage/cli/drill"
)

// The whole job through the real commands.
func TestTheWalkSettlesWhatCanBeSettled(t *testing.T) {
	t.Parallel()
	scene, err := drill.Build(t.Context(), "", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := scene.Close(); err != nil {
			t.Error(err)
		}
	})
	var out bytes.Buffer
	triage := func(out io.Writer, args ...string) int {
		program := cli.Program{In: strings.NewReader(""), Out: out, Err: out, Getenv: scene.Getenv}
		return program.Run(t.Context(), append([]string{"--db", scene.LedgerPath, "--config", scene.ConfigPath}, args...))
	}
	err = drill.Walk(t.Context(), scene, func(args ...string) int { return triage(&out, args...) }, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"9 UNKNOWN, 1 stuck PENDING",
		"payload_conflict",
		"absence_inconclusive",
		"not_authorised",
		"consent_required",
		"already_superseded",
		"✓ weekly-report-acme      DELIVERED by lookup; the receiver has it once.\n",
		"✓ weekly-report-initech   Delivered by a new intent; the receiver has it once.\n",
		"✓ weekly-report-umbrella  Sent again under its key; the receiver has it once.\n",
		"✓ invoice-4711            Closed as not delivered; the receiver refused it.\n",
		"✓ price-list-q4           Left for the right reason: its key was taken.\n",
		"✓ access-review-november  Left for the right reason: its grant was revoked.\n",
		"– contract-hooli-2291     Left for a good reason: it could not be seen yet.\n",
		"\n7 of 10 settled, 0 duplicates, 0 lost\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the walk does not show %q", want)
		}
	}

	// The proof at the end looked at all of it: ten intents and two successors, and a
	// decision for each act of the walk and each refusal.
	var report struct {
		OK                 bool
		Intents, Decisions int
	}
	var proof bytes.Buffer
	if code := triage(&proof, "verify", "--json"); code != 0 || json.Unmarshal(proof.Bytes(), &report) != nil {
		t.Fatalf("verify ended with exit code %d: %s", code, proof.String())
	}
	if !report.OK || report.Intents != 12 || report.Decisions != 14 {
		t.Errorf("verify looked at %+v, want 12 intents and 14 decisions, all in order", report)
	}
	if token, _ := scene.Getenv(drill.TokenVariable); strings.Contains(out.String(), token) {
		t.Error("the walk shows the token")
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
