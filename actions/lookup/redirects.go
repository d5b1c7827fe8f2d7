package lookup

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects one question follows.
const maxRedirects = 3

// follow asks for r.url and follows redirects that stay at its origin. None
// across origins: the credentials are for the origin that the operator named, and
// so is the promise that its "not found" means something.
func (c *httpSource) follow(ctx context.Context, r *response) (*http.Response, *failure) {
	for hops := 0; ; hops++ {
		r.sentAt = c.now()
		answer, f := c.get(ctx, r.url)
		r.cameAt = c.now()
		if f != nil {
			return nil, f
		}
		if !redirects(answer) {
			return answer, nil
		}
		answer.Body.Close()
		r.status, r.header = answer.StatusCode, answer.Header
		next, f := nextHop(r.url, answer, hops)
		if f != nil {
			return nil, f
		}
		r.url, r.redirected = next, true
	}
}

func redirects(answer *http.Response) bool {
	switch answer.StatusCode {
	case 301, 302, 303, 307, 308:
		return answer.Header.Get("Location") != ""
	}
	return false
}

// nextHop is where a redirect leads, if it may be followed.
func nextHop(from *url.URL, answer *http.Response, hops int) (*url.URL, *failure) {
	if hops >= maxRedirects {
		return nil, fail("redirect", "The receiver redirects more than %d times.", maxRedirects)
	}
	location, err := url.Parse(answer.Header.Get("Location"))
	if err != nil {
		return nil, fail("redirect", "The receiver redirects to something that is not a URL.")
	}
	to := from.ResolveReference(location)
	to.Fragment, to.RawFragment = "", ""
	switch {
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, fail("redirect", "The receiver redirects from https to http, which is not followed.")
	case origin(to) != origin(from):
		return nil, fail("redirect", "The receiver redirects to another origin, which is not followed. If it has moved, write its new address into url.")
	case to.User != nil:
		return nil, fail("redirect", "The receiver redirects to a URL with a user name, which is not followed.")
	}
	return to, nil
}

// origin is scheme, host and port in one spelling.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
