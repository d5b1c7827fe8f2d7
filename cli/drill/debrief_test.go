package drill

import (
	"strings"
	"testing"

	"triage/ledger"
)

func TestDebriefNamesDuplicatesAndLosses(t *testing.T) {
	unknown := ledger.Intent{OpKey: "a", State: ledger.Unknown, SupersededBy: "b"}
	delivered := ledger.Intent{OpKey: "b", State: ledger.Delivered, SettledBy: ledger.BySender}
	failed := ledger.Intent{OpKey: "c", State: ledger.Failed, SettledBy: ledger.ByOperator}
	for _, c := range []struct {
		name string
		end  ending
		want string
		harm bool
	}{
		{"replaced although it had arrived", ending{[]ledger.Intent{unknown, delivered}, 2}, "a duplicate: the receiver has it 2 times", true},
		{"marked by hand, never arrived", ending{[]ledger.Intent{delivered}, 0}, "a loss", true},
		{"closed although it had arrived", ending{[]ledger.Intent{failed}, 1}, "closed as not delivered, although", true},
		{"replaced after a proven absence", ending{[]ledger.Intent{unknown, delivered}, 1}, "DELIVERED by a new intent, once", false},
		{"settled", ending{[]ledger.Intent{delivered}, 1}, "DELIVERED, settled by sender, once", false},
		{"closed", ending{[]ledger.Intent{failed}, 0}, "FAILED, closed as not delivered, and nothing", false},
		{"left, arrived", ending{[]ledger.Intent{{State: ledger.Pending}}, 1}, "still PENDING; the receiver has it once", false},
		{"left, not arrived", ending{[]ledger.Intent{{State: ledger.Unknown}}, 0}, "still UNKNOWN; the receiver does not have this content", false},
	} {
		if got := c.end.String(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q…", c.name, got, c.want)
		}
		if c.end.harm() != c.harm {
			t.Errorf("%s: harm %v, want %v", c.name, c.end.harm(), c.harm)
		}
	}
}
