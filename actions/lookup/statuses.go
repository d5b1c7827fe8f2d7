package lookup

import "fmt"

// mappable are the statuses that a mapping may interpret. Every other status is
// an answer about the request, the way there or the receiver's health, and tells
// nothing about the delivery whatever a mapping says: 401 and 403 (not allowed),
// 407 and 3xx (somebody in between), 408, 425 and 429 (not now), 5xx, and 203
// and 206 (not the receiver's whole own answer).
var mappable = map[int]bool{200: true, 201: true, 202: true, 404: true, 409: true, 410: true, 422: true}

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
