package drill_test

import (
	"bytes"
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
	program := cli.Program{In: strings.NewReader(""), Out: &out, Err: &out, Getenv: scene.Getenv}
	err = drill.Walk(t.Context(), scene, func(args ...string) int {
		return program.Run(t.Context(), append([]string{"--db", scene.LedgerPath, "--config", scene.ConfigPath}, args...))
	}, &out)
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
		"invoice-4712\n  What happened:",
		"DELIVERED by a new intent, once at the receiver.",
		"still UNKNOWN; the receiver has it once.", // the archive's contract: left to be looked up again
		"FAILED, closed as not delivered, and nothing at the receiver.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the walk does not show %q", want)
		}
	}
	if token, _ := scene.Getenv(drill.TokenVariable); strings.Contains(out.String(), token) {
		t.Error("the walk shows the token")
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
