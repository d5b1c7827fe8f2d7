package lookuptest

import (
	"strings"

	"triage/ledger"
)

// Healthy are receivers without trouble, by what they answer (found, not_found,
// refused) and by connector: what troubles are held against, so that a check that
// can't fail is noticed.
func Healthy() map[ledger.LookupOutcome]map[string]Setup {
	found := record(Key, `"`+Receipt+`"`, Hash)
	refused := strings.Replace(record(Key, "null", Hash), `"outcome":"found"`, `"outcome":"refused"`, 1)
	return map[ledger.LookupOutcome]map[string]Setup{
		ledger.LookupFound: {
			HTTP: overHTTP(answers(200, found)), Exec: prints(found), SQL: database(theQuery, row(Key, "'"+Receipt+"'", Hash)), File: csv(line(Key, Receipt, Hash)),
		},
		ledger.LookupNotFound: {HTTP: overHTTP(answers(404, miss)), Exec: prints(miss), SQL: database(theQuery), File: csv("")},
		ledger.LookupRefused:  {HTTP: overHTTP(answers(422, refused)), Exec: prints(refused)},
	}
}
