package lookup

import (
	"context"
	"net/url"
	"time"

	"triage/ledger"
)

// visit is the walk over one answer's pages.
type visit struct {
	pages int             // asked for so far
	seen  map[string]bool // the addresses of those, as asked and after redirects
	read  []pageRead      // those that came
}

func (v *visit) been(u *url.URL) { v.seen[u.String()] = true }

// readPages asks for every page of one answer, within the connector's bound, the
// lookup's time and the target's rate. An answer counts when all of it was read: what
// is looked for may stand on the page that was not.
func (c *httpSource) readPages(ctx context.Context, intent ledger.Intent, target *url.URL) exchange {
	v := &visit{pages: 1, seen: map[string]bool{target.String(): true}}
	whole, next := c.page(ctx, intent, v, target)
	for next != nil {
		f := v.onward(next, c.pages)
		if f == nil {
			f, whole.retryAt = c.room(ctx, whole)
		}
		if f != nil {
			whole.reading = whole.reading.but(f)
			return whole
		}
		v.pages++
		v.seen[next.String()] = true
		var one exchange
		one, next = c.page(ctx, intent, v, next)
		whole = whole.with(one)
		if !whole.open() {
			return whole
		}
	}
	if whole.reading.outcome == ledger.LookupNotFound {
		return c.readAgain(ctx, intent, whole, v)
	}
	return whole
}

// onward says what keeps a further page from being asked for.
func (v *visit) onward(next *url.URL, bound int) *failure {
	switch {
	case v.seen[next.String()]:
		return fail("pages_loop", "Page %d says that it goes on at a page that was read already, so that the answer has no end.", v.pages)
	case v.pages >= bound:
		return fail("pages_unread", "The answer has more than %d pages, and the rest was not read. Let the url ask for one key only or for larger pages, or raise pages.", bound)
	}
	return nil
}

// room waits until one more request may be made.
func (c *httpSource) room(ctx context.Context, e exchange) (*failure, time.Time) {
	f, again := c.gate.pass(ctx, 1, c.now)
	return f, latest(e.retryAt, again)
}

// open says that further pages may still change what an answer comes to.
func (e exchange) open() bool {
	return e.reading.outcome != ledger.LookupFailed && e.reading.outcome != ledger.LookupAmbiguous
}

// with adds one more page. What was found on one page counts, and on two it is
// several; not found is what every page says. What is kept is the page that decides.
func (e exchange) with(page exchange) exchange {
	sum := page
	switch {
	case !page.open(), e.reading.outcome == ledger.LookupNotFound:
	case page.reading.outcome == ledger.LookupNotFound:
		sum = e
	default:
		sum.reading = reading{outcome: ledger.LookupAmbiguous, text: "The receiver shows several deliveries for this question, on different pages."}
	}
	sum.reading.heard = sum.reading.outcome == ledger.LookupFailed && (e.reading.speaks() || page.reading.speaks())
	sum.pages = page.pages
	sum.replayed = e.replayed || page.replayed
	sum.redirected = e.redirected || page.redirected
	sum.retryAt = latest(e.retryAt, page.retryAt)
	sum.skew = further(e.skew, page.skew)
	return sum
}

// nextPage is where the page after this one is, nil where this is the last. It must
// lie at the same origin: credentials go nowhere else, nor does the promise that a
// "not found" means something.
func (m *mapping) nextPage(ctx context.Context, input any, from *url.URL) (*url.URL, *failure) {
	if m.next == nil {
		return nil, nil
	}
	v, f := m.next.value(ctx, input)
	if f != nil || v == nil || v == false || v == "" {
		return nil, f
	}
	if v == true {
		return nil, fail("pages_unread", "The answer has further pages, and does not say where. Let next give the next page's URL.")
	}
	text, ok := v.(string)
	if !ok {
		return nil, fail("pages", "The mapping next gives %s for this answer, not the next page's URL or null.", typeName(v))
	}
	link, err := url.Parse(text)
	if err != nil {
		return nil, fail("pages", "The mapping next gives a text for this answer that is not a URL.")
	}
	to := from.ResolveReference(link)
	to.Fragment, to.RawFragment = "", ""
	switch {
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, fail("pages", "The next page's URL leads from https to http, which is not followed.")
	case origin(to) != origin(from) || to.Opaque != "":
		return nil, fail("pages", "The next page's URL leads to another origin, which is not followed.")
	case to.User != nil:
		return nil, fail("pages", "The next page's URL has a user name, which is not followed.")
	}
	return to, nil
}
