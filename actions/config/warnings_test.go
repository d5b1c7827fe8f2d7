package config

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	lookup := "lookup: {http: {url: 'https://h/{op_key}', found: .status == 200, not_found: .status == 404}}"
	for _, c := range []struct {
		name  string
		lines []string
		want  []string // pieces of the one warning; none: no warning
	}{
		{"all is promised", []string{lookup, "promises: {attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 24h, absence_is_proof: true}"}, nil},
		{"too little time", []string{lookup, "promises: {attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 3m15s, absence_is_proof: true}"}, []string{"inbox: no lookup can ever prove an absence here", "3 m 15 s"}},
		{"just enough time", []string{lookup, "promises: {attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 3m16s, absence_is_proof: true}"}, nil},
		{"no proof promised", []string{lookup, "promises: {attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 24h}"}, []string{"absence_is_proof is not promised"}},
		{"no attempt_timeout", []string{lookup, "promises: {settles_within: 2m, lookup_lag: 30s, key_retention: 24h, absence_is_proof: true}"}, []string{"attempt_timeout is not promised"}},
		{"nothing promised", []string{lookup}, []string{"no lookup can ever prove an absence here"}},
		{"not_found is not mapped", []string{"lookup: {http: {url: 'https://h/{op_key}', found: .status == 200}}"}, []string{"not_found is not mapped"}},
		{"no lookup", []string{"contact: x"}, nil},
	} {
		got := load(t, target(c.lines...), env()).Warnings()
		if len(got) != min(len(c.want), 1) {
			t.Errorf("%s: %q", c.name, got)
			continue
		}
		for _, piece := range c.want {
			found := false
			for _, spelling := range strings.Split(piece, "|") {
				found = found || strings.Contains(got[0], spelling)
			}
			if !found {
				t.Errorf("%s: %q lacks %q", c.name, got[0], piece)
			}
		}
	}
	if got := (*Config)(nil).Warnings(); got != nil {
		t.Errorf("%q", got)
	}
}
