package lookup

import (
	"fmt"

	"triage/actions/verdict"
)

// mappable says that a mapping may interpret an answer of this status.
func mappable(status int) bool { return status != 0 && verdict.StatusTells(status) }

// absentStatus says that by its status alone an answer claims there is nothing.
func absentStatus(status int) bool { return status == 404 || status == 410 }

// statusFailure is what an unmappable status means, in a cause and plain words.
func statusFailure(status int) *failure {
	cause := fmt.Sprintf("http_%d", status)
	switch {
	case status >= 300 && status < 400:
		return fail("redirect", "The receiver answered %d, a redirect without a usable address.", status)
	case status == 401 || status == 403:
		return fail(cause, "The receiver answered %d: these credentials may not look this up.", status)
	case status == 407:
		return fail(cause, "A proxy on the way answered 407: it wants credentials of its own.")
	case status == 429:
		return fail(cause, "The receiver answered 429: it was asked too often.")
	case status >= 500:
		return fail(cause, "The receiver, or something before it, answered %d: it could not work on the question.", status)
	}
	return fail(cause, "The answer's status is %d, which says nothing about a delivery.", status)
}
