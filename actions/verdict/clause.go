package verdict

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"triage/ledger"
)

// clause is a piece of a reason. It is put into words only when it is told: an
// intent may have thousands of lookups, and a verdict tells of a handful. The zero
// clause says nothing.
type clause struct {
	format string
	args   []any // what is costly to write is a fmt.Stringer, and so written late
}

func say(format string, args ...any) clause { return clause{format, args} }

// plain is a clause whose words are there already.
func plain(words string) clause {
	if words == "" {
		return clause{}
	}
	return clause{"%s", []any{words}}
}

func plains(words []string) []clause {
	var all []clause
	for _, w := range words {
		all = append(all, plain(w))
	}
	return all
}

func (c clause) none() bool { return c.format == "" }

func (c clause) String() string { return fmt.Sprintf(c.format, c.args...) }

// sentence is the clause with a capital and a full stop.
func (c clause) sentence() clause { return say("%s.", capitalised{c}) }

type capitalised struct{ clause }

func (c capitalised) String() string { return capital(c.clause.String()) }

// texts puts clauses into words.
func texts(clauses []clause) []string {
	var words []string
	for _, c := range clauses {
		words = append(words, c.String())
	}
	return words
}

// when is an instant that is written late.
type when ledger.Millis

func (w when) String() string { return instant(ledger.Millis(w)) }

// whole is a number of things: 19,980.
func whole(n int) string { return humanize.Comma(int64(n)) }
