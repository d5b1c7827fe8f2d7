package wording

import (
	"math"
	"strings"
	"testing"

	"triage/ledger"
)

func TestAnswer(t *testing.T) {
	for want, e := range map[string]ledger.Evidence{
		"": {Pages: 1, Status: 200},
		"an OLD answer, served again; 3 pages read":    {Replayed: true, Pages: 3},
		"receiver's clock 1 h 2 m ahead of ours":       {SkewMS: 3_720_500},
		"receiver's clock 6 s behind ours":             {SkewMS: -6_000},
		"receiver's clock 106751 d 23 h ahead of ours": {SkewMS: math.MaxInt64},
		"receiver's clock 106751 d 23 h behind ours":   {SkewMS: math.MinInt64},
	} {
		if got := strings.Join(Answer(e), "; "); got != want {
			t.Errorf("%+v: %q, want %q", e, got, want)
		}
	}
}
