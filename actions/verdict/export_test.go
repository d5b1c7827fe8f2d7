package verdict

import (
	"fmt"
	"testing"

	"triage/ledger"
)

// byFile lets the scene's target be asked through exports.
func byFile(s *scene) { s.terms.Connector = "file" }

// exported is a miss in an export that was begun and finished then, read at the
// instant read.
func exported(asOf, complete, read ledger.Millis) ledger.Lookup {
	l := missed(900, read)
	l.Connector = "file"
	l.Evidence = fmt.Sprintf(`{"as_of":%d,"complete_at":%d}`, asOf, complete)
	if complete == 0 {
		l.Evidence = fmt.Sprintf(`{"as_of":%d}`, asOf)
	}
	return l
}

// TestExports: what an export shows was asked when the export was begun and answered
// when it was finished, however late it is read.
func TestExports(t *testing.T) {
	for name, tc := range map[string]struct {
		lookup ledger.Lookup
		want   Kind
	}{
		"begun when it opens":                     {exported(opens, due, due), AbsenceInconclusive},
		"begun 1 ms later":                        {exported(opens+1, due, due), Absent},
		"begun before, read long after":           {exported(opens-1, due, closes-10_000), AbsenceInconclusive},
		"finished 1 ms before it closes":          {exported(opens+1, closes-1, closes+5000), Absent},
		"finished when it closes":                 {exported(opens+1, closes, closes+5000), AbsenceInconclusive},
		"nobody tells when, and read in time":     {exported(opens+1, 0, due), Absent},
		"nobody tells when, and read too late":    {exported(opens+1, 0, closes), AbsenceInconclusive},
		"finished before it began":                {exported(opens+1, opens-50, due), Absent},
		"as of later than read, within K":         {exported(due+5_000, due+5_000, due), Absent},
		"as of later than read, by more than K":   {exported(due+5_001, due+5_001, due), AbsenceInconclusive},
		"finished in the future, by more than K":  {exported(opens+1, closes-1, due), AbsenceInconclusive},
		"as of is nonsense that can't be decoded": {func() ledger.Lookup { l := exported(0, 0, due); l.Evidence = `{"as_of":"now"}`; return l }(), LookupFailed},
	} {
		s := base(byFile, with(tc.lookup))
		s.now = max(s.now, tc.lookup.FinishedAt)
		v := s.judge()
		if v.Kind != tc.want {
			t.Errorf("%s: %s, want %s; because %q", name, v.Kind, tc.want, v.Because)
		}
	}
}

// TestOnlyExportsTellWhenTheyWereComplete: on a lookup that asked the receiver itself
// complete_at does not make it end earlier than it did.
func TestOnlyExportsTellWhenTheyWereComplete(t *testing.T) {
	l := exported(opens+1, opens+2, closes+1)
	l.Connector = "http"
	s := base(with(l))
	s.now = closes + 10_000
	wantKind(t, s.judge(), AbsenceInconclusive)
}

// TestExportBeforeDispute: an export from before a receipt was disputed tells nothing
// about the time since, though it is read later.
func TestExportBeforeDispute(t *testing.T) {
	const disputed = opens + 1000
	for asOf, want := range map[ledger.Millis]Kind{disputed + 5_000: AbsenceInconclusive, disputed + 5_001: Absent} {
		s := base(byFile, decided(ledger.Decision{Kind: ledger.Dispute, Receipt: "R-0", At: disputed, Seq: 500, Operator: "bob", Reason: "not ours"}),
			with(exported(asOf, due, due)))
		wantKind(t, s.judge(), want)
	}
}

// TestConfiguredExport: where lookups read an export, the verdict says how new it has
// to be and whether the one at hand is.
func TestConfiguredExport(t *testing.T) {
	for asOf, words := range map[ledger.Millis]string{
		opens:     "ask for a newer one",
		opens + 1: "The one that is configured is new enough",
	} {
		s := base(byFile, func(s *scene) { s.terms.ExportAsOf = asOf })
		v := s.judge()
		wantKind(t, v, NeverLookedUp)
		wantReason(t, v, "An export that shows the receiver as of 2027-01-15 08:02:45.001Z or later")
		wantReason(t, v, words)
		if v.NotBefore != opens+1 {
			t.Errorf("not before %d, want %d", v.NotBefore, opens+1)
		}
	}
}

// TestClocksApart: where the receiver's clock was seen to differ from ours by more
// than K, no instant proves anything; what was found stays found.
func TestClocksApart(t *testing.T) {
	for skew, want := range map[int64]Kind{0: Absent, 5_000: Absent, -5_000: Absent, 5_001: AbsenceInconclusive, -5_001: AbsenceInconclusive} {
		l := missed(900, opens+1)
		l.Evidence = fmt.Sprintf(`{"skew_ms":%d}`, skew)
		v := base(with(l)).judge()
		if v.Kind != want {
			t.Errorf("%d ms apart: %s, want %s; because %q", skew, v.Kind, want, v.Because)
		}
		f := found(900, opens+1, func(l *ledger.Lookup) { l.Evidence = fmt.Sprintf(`{"key":"op-1","skew_ms":%d}`, skew) })
		wantKind(t, base(with(f)).judge(), Delivered)
	}
	l := missed(900, opens+1)
	l.Evidence = `{"skew_ms":-60000}`
	wantReason(t, base(with(l)).judge(), "The receiver's clock and ours were 1 m apart, more than clock_skew 5s allows")
}
