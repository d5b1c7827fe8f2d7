package worlds

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// play plays worlds with one robot.
func play(t *testing.T, r robot, n, workers int) tally {
	t.Helper()
	return spread(t.Context(), n, workers, func(i int, sum *tally) {
		seed := WorldSeed(7, i)
		sum.add(seed, once(seed, r, nil))
	}, nil)
}

// TestTheLetterDoesNoHarm: with promises that hold nothing is delivered twice and
// nothing is lost, and nearly all that evidence can settle is settled.
func TestTheLetterDoesNoHarm(t *testing.T) {
	got := play(t, letter{}, 1500, 2)
	if got.harm() != 0 {
		t.Fatalf("%d duplicates, %d losses, %d failed but delivered; worlds %v", got.Duplicates, got.losses(), got.OverEffect, got.Harmed)
	}
	row := robotRow("c", "", got)
	if row.SettledShare < 0.99 || row.Incidents < 1200 || row.InDoubt > row.Incidents*6/10 {
		t.Fatalf("%d incidents, %d in doubt, %d of them could be settled: %.4f", row.Incidents, row.InDoubt, row.CouldSettle, row.SettledShare)
	}
	if row.Settle.P50 <= 0 || row.Settle.P95 <= row.Settle.P50 {
		t.Fatalf("time to settle: %+v", row.Settle)
	}
}

// TestOtherRobotsDoHarm, or the worlds would be harmless.
func TestOtherRobotsDoHarm(t *testing.T) {
	a, b := play(t, newKeyAtOnce{}, 300, 2), play(t, newKeyWhenMissed{}, 300, 2)
	if a.Duplicates < 100 || b.Duplicates < 30 || b.Duplicates >= a.Duplicates {
		t.Fatalf("(a) %d duplicates, (b) %d", a.Duplicates, b.Duplicates)
	}
}

// TestRealLedgers: the same worlds come out the same, event for event, on a real ledger
// with the real actions.
func TestRealLedgers(t *testing.T) {
	want := 100
	if testing.Short() {
		want = 15
	}
	s, err := openShelf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	for i, played := 0, 0; played < want; i++ {
		seed := WorldSeed(11, i)
		j, same, did, err := onLedger(t.Context(), s, seed)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case did && !same:
			t.Errorf("seed %d comes out otherwise than in memory: %+v", seed, j)
		case j.harm() > 0:
			t.Errorf("seed %d: harm: %+v", seed, j)
		}
		if did {
			played++
		}
	}
	report, err := s.db.Verify(t.Context())
	if err != nil || len(report.Findings) > 0 {
		t.Fatalf("verify: %v, %+v", err, report.Findings)
	}
}

// TestWorkersChangeNothing: who plays which world is of no consequence.
func TestWorkersChangeNothing(t *testing.T) {
	one, two := play(t, newKeyWhenMissed{}, 300, 1), play(t, newKeyWhenMissed{}, 300, 2)
	if !reflect.DeepEqual(one, two) {
		t.Fatalf("one worker: %+v\ntwo: %+v", one, two)
	}
}

var updateSeeds = flag.Bool("update-seeds", false, "look for worlds in which each row of the second table shows harm, and write recorded.json")

const recordedFile = "recorded.json"

func allTwists() []*twist { return append(append([]*twist{}, leftOut...), falsePromises...) }

// TestEveryRowShowsHarm: a term, a duty or a promise that no world needs would not be
// tested. The same world without the row comes to none. After a change of what is
// drawn: go test ./cli/drill/worlds -run TestEveryRowShowsHarm -update-seeds
func TestEveryRowShowsHarm(t *testing.T) {
	if *updateSeeds {
		recordHarmful(t)
	}
	raw, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string]uint64{}
	if err := json.Unmarshal(raw, &seeds); err != nil {
		t.Fatal(err)
	}
	for _, x := range allTwists() {
		if !harmful(seeds[x.name], x) {
			t.Errorf("%s: the world of seed %d shows no harm, or shows it without the row too", x.name, seeds[x.name])
		}
	}
	if len(seeds) != len(allTwists()) {
		t.Errorf("%d seeds for %d rows", len(seeds), len(allTwists()))
	}
}

// recordHarmful keeps the seeds that still do and looks for others where they don't.
func recordHarmful(t *testing.T) {
	seeds, old := map[string]uint64{}, map[string]uint64{}
	if raw, err := os.ReadFile(recordedFile); err == nil {
		_ = json.Unmarshal(raw, &old)
	}
	for _, x := range allTwists() {
		seeds[x.name] = old[x.name]
		for i := 0; i < 100_000 && !harmful(seeds[x.name], x); i++ {
			seeds[x.name] = WorldSeed(7, i)
		}
	}
	raw, err := json.MarshalIndent(seeds, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordedFile, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReplay: a seed tells the same world each time, with the truth, what was seen and
// the oracle's word.
func TestReplay(t *testing.T) {
	raw, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string]uint64{}
	if err := json.Unmarshal(raw, &seeds); err != nil {
		t.Fatal(err)
	}
	var first, again, honest bytes.Buffer
	harm, err := Replay(seeds["timely/S"], "timely/S", &first)
	if err != nil || !harm {
		t.Fatalf("harm %t, %v", harm, err)
	}
	if _, err := Replay(seeds["timely/S"], "timely/S", &again); err != nil || first.String() != again.String() {
		t.Fatalf("another timeline the second time: %v", err)
	}
	for _, part := range []string{"DELIVERS under report-1", "verdict absent", "The oracle: HARM. 1 duplicates", "without: timely: settles_within"} {
		if !strings.Contains(first.String(), part) {
			t.Errorf("the timeline lacks %q:\n%s", part, first.String())
		}
	}
	if harm, err := Replay(seeds["timely/S"], "", &honest); harm || err != nil || !strings.Contains(honest.String(), "The oracle: no harm.") {
		t.Errorf("with everything kept: harm %t, %v", harm, err)
	}
	if _, err := Replay(1, "timely/X", &again); err == nil || !strings.Contains(err.Error(), "timely/S") {
		t.Errorf("an unknown row: %v", err)
	}
}

// TestSimulate: one small run from end to end, as text and as JSON.
func TestSimulate(t *testing.T) {
	r := Simulate(t.Context(), Options{Worlds: 40, Seed: 3, LedgerEvery: 20, Rows: 4}, nil)
	if r.Harm() || r.Worlds != 40 || len(r.Robots) != 3 || r.LedgerShare.Worlds < 1 || r.LedgerShare.Error != "" || len(r.LeftOut) != len(leftOut) || r.Stopped {
		t.Fatalf("report: %+v", r)
	}
	for _, row := range slices.Concat(r.LeftOut, r.FalsePromises) {
		shown := row.Duplicates + row.Losses + row.FailedDelivered + row.FalseProofs + row.NeedlessDoubt
		if !row.Harmful || row.Control > 0 && !row.ControlLies || row.Recorded == 0 && shown == 0 {
			t.Errorf("it shows no harm, by itself or in its recorded world: %+v", row)
		}
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "(c) the verdict to the letter") || !strings.Contains(text.String(), "duty/receipt") || !strings.Contains(text.String(), "no harm in these; the recorded world of seed ") {
		t.Fatalf("%v\n%s", err, text.String())
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"settled_share":`, `"time_to_settle_ms":{"p50":`, `"failing_seeds":[]`, `"ledger_share":{"worlds":`, `"false_promises":[{"name":"false/attempt_timeout"`} {
		if !bytes.Contains(raw, []byte(field)) {
			t.Errorf("the JSON lacks %s: %s", field, raw)
		}
	}
}

// TestInterrupted: what is there is told.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Simulate(ctx, Options{Worlds: 1000, Seed: 3}, nil)
	if !r.Stopped || r.Worlds != 0 || r.Harm() {
		t.Fatalf("report: %+v", r)
	}
}

// TestHarmIsReported: the exit code hangs on it.
func TestHarmIsReported(t *testing.T) {
	for name, r := range map[string]Report{
		"a duplicate":       {Robots: []RobotRow{{Name: "c", Duplicates: 1}}},
		"a loss":            {Robots: []RobotRow{{Name: "c", Losses: 1}}},
		"failed, delivered": {Robots: []RobotRow{{Name: "c", FailedDelivered: 1}}},
		"on a ledger":       {LedgerShare: LedgerShare{Losses: 1}},
		"another course":    {LedgerShare: LedgerShare{Differing: []uint64{5}}},
		"a false proof":     {Robots: []RobotRow{{Name: "c", FalseProofs: 1}}},
		"one on a ledger":   {LedgerShare: LedgerShare{FalseProofs: 1}},
		"in a control":      {LeftOut: []TwistRow{{Harmful: true, Control: 1}}},
		"a row without any": {FalsePromises: []TwistRow{{}}},
		"too careful":       {Robots: []RobotRow{{Name: "c", Incidents: 5000, SettledShare: 0.98}}},
	} {
		if !r.Harm() {
			t.Errorf("%s is no harm", name)
		}
	}
	for name, r := range map[string]Report{
		"the harm of robot (a)":         {Robots: []RobotRow{{Name: "a", Duplicates: 9, FalseProofs: 1}, {Name: "c"}}},
		"a control in which clocks lie": {LeftOut: []TwistRow{{Harmful: true, Control: 1, ControlLies: true}}},
		"a row that was interrupted":    {Stopped: true, LeftOut: []TwistRow{{}}},
		"a share of too few":            {Robots: []RobotRow{{Name: "c", Incidents: 5, SettledShare: 0.4}}},
	} {
		if r.Harm() {
			t.Errorf("%s counts against (c)", name)
		}
	}
}
