package lookup

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// maxBody bounds an answer's body in bytes, after decompression.
	maxBody = 1 << 20
	// maxFailedBody bounds what is read of an answer that can't count anyway.
	maxFailedBody = 16 << 10
)

// response is one answer as it came.
type response struct {
	status     int
	header     http.Header
	body       []byte
	length     int64 // of the body, as announced; -1: not
	truncated  bool  // the body went on past what was read
	redirected bool
	url        *url.URL // where the answer came from, after redirects
	askedAt    time.Time
	sentAt     time.Time // the last request, by our clock
	cameAt     time.Time // the head of its answer
}

// fetch asks one URL and reads the whole answer, within bounds. A response comes
// with a failure too, as far as it got.
func (c *httpSource) fetch(ctx context.Context, target *url.URL) (*response, *failure) {
	r := &response{url: target, askedAt: c.now()}
	answer, f := c.follow(ctx, r)
	if f != nil {
		return r, f
	}
	defer answer.Body.Close()
	r.status, r.header, r.length = answer.StatusCode, answer.Header, answer.ContentLength
	return r, c.readBody(ctx, r, answer)
}

// get sends one GET, or HEAD. No redirect is followed here.
func (c *httpSource) get(ctx context.Context, target *url.URL) (*http.Response, *failure) {
	request, err := http.NewRequestWithContext(ctx, c.method, target.String(), nil)
	if err != nil {
		return nil, fail("unsafe_key", "The URL for this intent can't be made.")
	}
	request.Header = c.headers.Clone()
	answer, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, c.way.failure(ctx, err)
	}
	return answer, nil
}

// readBody reads the body. A status that can't be mapped is the failure, however
// its body reads.
func (c *httpSource) readBody(ctx context.Context, r *response, answer *http.Response) *failure {
	if r.status < 200 { // a switch of protocols: there is no body, only a connection
		return statusFailure(r.status)
	}
	limit := int64(maxBody)
	if !mappable(r.status) {
		limit = maxFailedBody
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if int64(len(body)) > limit {
		body, r.truncated = body[:limit], true
	}
	r.body = body
	switch {
	case !mappable(r.status):
		r.truncated = r.truncated || err != nil
		return statusFailure(r.status)
	case err != nil:
		r.truncated = true
		return c.way.failure(ctx, err)
	case r.truncated:
		return fail("too_large", "The answer has more than %d bytes.", maxBody)
	case c.method != http.MethodHead && answer.Header.Get("Content-Encoding") != "":
		return fail("encoding", "The answer is compressed in a way that was not asked for.")
	}
	return nil
}
