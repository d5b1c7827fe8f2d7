package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"triage/bench/report"
	"triage/bench/writers"
	"triage/ledger/ledgertest/bulk"
)

func TestMain(m *testing.M) {
	writers.Main() // the test starts itself again for each writer
	os.Exit(m.Run())
}

// The command works from end to end on a small ledger: every part measures something,
// whatever the figures are.
func TestMeasure(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("needs /proc")
	}
	s := settings{
		sizes: []int{fewest}, dir: t.TempDir(), rounds: 1, soakFor: 300 * time.Millisecond,
		calls: 10, presses: 3, waits: 1, idleFor: 50 * time.Millisecond, flatOut: 100 * time.Millisecond,
	}
	var told strings.Builder
	r, err := measure(context.Background(), s, &told)
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]int{}
	for _, f := range r.Figures {
		if measured[f.Part]++; f.Absent == "" && f.Value < 0 && f.Part != "soak" || // memory may shrink
			f.On == "" {
			t.Errorf("%+v", f)
		}
	}
	for _, part := range append(parts, "soak") {
		if measured[part] == 0 {
			t.Errorf("nothing was measured of %s", part)
		}
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Name(), "intents-200-") {
		t.Errorf("what is left is %v, %v; want the ledger and nothing else", left, err)
	}
	t.Log(told.String())
}

// A ledger that was made is used again; one of another schema makes way.
func TestHave(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	old := filepath.Join(dir, "intents-200-00000000.db")
	if err := os.WriteFile(old, []byte("of an earlier schema"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	b := &bench{settings: settings{dir: dir}, told: &told, scratch: t.TempDir()}
	print, err := b.fingerprint(ctx)
	if err != nil || len(print) != 8 {
		t.Fatalf("%q, %v", print, err)
	}
	l := &ledgerFile{path: filepath.Join(dir, "intents-200-"+print+".db"), size: bulk.Size{Intents: 200, Open: 60}}
	for round := range 2 {
		told.Reset()
		if err := b.have(ctx, l); err != nil {
			t.Fatal(err)
		}
		if making := strings.Contains(told.String(), "making a ledger of 200 intents, 60 of them in doubt"); making != (round == 0) {
			t.Errorf("round %d said %q", round, told.String())
		}
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the earlier one is still there: %v", err)
	}
}

func TestParse(t *testing.T) {
	s, err := parse([]string{"--sizes", "200, 10000", "--only", "keys,idle", "--soak", "1h", "--json"}, nil)
	if err != nil || len(s.sizes) != 2 || s.sizes[1] != 10000 || !s.only["keys"] || !s.only["idle"] || len(s.only) != 2 || s.soakFor != time.Hour || !s.json {
		t.Errorf("%+v, %v", s, err)
	}
	for _, args := range [][]string{
		{"--sizes", "10000,200"}, {"--sizes", "100"}, {"--sizes", "many"}, {"--sizes", ""}, {"--only", "everything"}, {"--rounds", "0"}, {"more"},
	} {
		if _, err := parse(args, &strings.Builder{}); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestOpenOf(t *testing.T) {
	for intents, want := range map[int]int{200: 60, 10_000: 200, 1_000_000: 2000, 10_000_000: 20_000} {
		if got := openOf(intents); got != want {
			t.Errorf("%d of %d intents are in doubt, want %d", got, intents, want)
		}
	}
}

// A busy key is never better than what it waited for.
func TestSteps_unsettled(t *testing.T) {
	s := steps{settled: report.Sample{3, 4}, bytes: report.Sample{1, 2}, unsettled: 1}
	figures := s.figures(&ledgerFile{}, "nobody writing")
	if len(figures) != 2 || !figures[0].Missed() || figures[1].Value != 2 {
		t.Errorf("%+v", figures)
	}
	raw, err := json.Marshal(figures[1])
	if err != nil || !strings.Contains(string(raw), `"at_most":3`) {
		t.Errorf("%s, %v", raw, err)
	}
}
