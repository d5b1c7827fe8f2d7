package ledgertest

import (
	"slices"
	"strings"

	"triage/ledger"
)

// search: an intent is found in whatever state it is, by the beginning of its key, of a
// receipt that anybody named, of its hash or of its task, and each of them once.
func search(s *suite) {
	s.begin("alpha-1")
	s.begin("alpha-2")
	s.inDoubt("alp%")
	s.inDoubt("Alpha-3")
	s.finish(s.start("alpha-2"), ledger.Result{Outcome: ledger.OutcomeDelivered, Receipt: "rcpt-7"})
	s.look("Alpha-3", ledger.Lookup{Outcome: ledger.LookupFound, Receipt: "rcpt-70", PayloadSHA256: strings.Repeat("e", 64)})
	n := fresh("other")
	n.Task, n.PayloadSHA256 = "rcpt-7 is to be looked into", "00fe"+strings.Repeat("7", 60)
	_, err := s.Begin(s.ctx, n)
	s.must(err)
	for text, want := range map[string][]string{
		"":                                nil,
		"alpha":                           {"op_key alpha-1", "op_key alpha-2"},
		"alpha-2":                         {"op_key alpha-2"},
		"alp%":                            {"op_key alp%"},
		"ALPHA":                           nil,
		"rcpt-7":                          {"receipt alpha-2", "receipt Alpha-3", "task other"},
		"rcpt-70":                         {"receipt Alpha-3"},
		"00fe":                            {"payload_sha256 other"},
		"00FE7":                           {"payload_sha256 other"},
		"00f":                             nil,
		n.PayloadSHA256:                   {"payload_sha256 other"},
		strings.Repeat("7", 4) + "x":      nil,
		n.PayloadSHA256[:63] + "8":        nil,
		n.PayloadSHA256 + "7":             nil,
		"rcpt-7 is":                       {"task other"},
		"'; DROP TABLE intents; --":       nil,
		"\x00":                            nil,
		strings.Repeat("alpha-1", 10_000): nil,
	} {
		found, err := s.Search(s.ctx, ledger.SearchQuery{Text: text, Now: s.now})
		s.must(err)
		var got []string
		for _, f := range found {
			got = append(got, string(f.By)+" "+f.Intent.OpKey)
		}
		if !slices.Equal(got, want) {
			s.Errorf("%.40q: got %q, want %q", text, got, want)
		}
	}
	few, err := s.Search(s.ctx, ledger.SearchQuery{Text: "alpha", Now: s.now.Add(600_000_000_000), Limit: 1})
	s.must(err)
	if len(few) != 1 || !few[0].Stuck || few[0].Intent.State != ledger.Pending {
		s.Errorf("one of two: %+v", few)
	}
}
