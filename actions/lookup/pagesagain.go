package lookup

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/url"

	"triage/ledger"
)

// pageRead is a page as it was read.
type pageRead struct {
	url *url.URL
	sum [sha256.Size]byte // of its status and JSON, however that is laid out
}

func (v *visit) keep(target *url.URL, status int, parsed any) {
	text, err := json.Marshal([]any{status, parsed})
	if err != nil { // what was parsed can be written
		text = nil
	}
	v.read = append(v.read, pageRead{target, sha256.Sum256(text)})
}

// readAgain reads every page but the last once more, for a "not found" that several
// pages say. While they are read, what is removed on an early page moves all that
// follows by one, and what was first on the next page is then on none that is read.
// Whatever moves so changes a page before the last.
func (c *httpSource) readAgain(ctx context.Context, intent ledger.Intent, whole exchange, first *visit) exchange {
	for n, was := range first.read[:len(first.read)-1] {
		f, again := c.room(ctx, whole)
		whole.retryAt = again
		if f != nil {
			whole.reading = failed(f)
			return whole
		}
		v := &visit{pages: n + 1, seen: map[string]bool{}}
		page, _ := c.page(ctx, intent, v, was.url)
		sum := whole.with(page)
		sum.pages = whole.pages
		switch {
		case page.reading.outcome == ledger.LookupFailed:
			return sum
		case page.reading.outcome != ledger.LookupNotFound || v.read[0].sum != was.sum:
			sum.reading = page.reading.but(fail("changed", "Page %d was another one when it was read again: the list moved while its pages were read, and what is looked for may have been between two of them. Look it up again, or let the url ask for one key only.", n+1))
			return sum
		}
		whole.replayed, whole.redirected, whole.retryAt, whole.skew = sum.replayed, sum.redirected, sum.retryAt, sum.skew
	}
	return whole
}
