package lookup

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
)

// replayed says that an answer was made before it was asked for: an old one,
// served again by a cache or by the receiver's own memory of an earlier answer.
// It tells what was, not what is. One mark is enough, however many caches deny it. A
// Date that can't be read does not show that an answer is new.
func replayed(h http.Header, askedAt time.Time, skew time.Duration) bool {
	return cached(h) || slices.ContainsFunc(h.Values("Date"), func(value string) bool {
		date, err := http.ParseTime(value)
		return err != nil || date.Add(time.Second).Add(skew).Before(askedAt) // the header counts whole seconds
	})
}

// cached says that an answer bears a mark of having been kept.
func cached(h http.Header) bool {
	for name := range h {
		if is := mark(name); is != nil && slices.ContainsFunc(elements(h, name), is) {
			return true
		}
	}
	return false
}

// mark is how a header's element shows that an answer was kept, nil where it is none
// that tells. Caches name their own headers, by one custom: X-Proxy-Cache,
// Akamai-Cache-Status. So do receivers that remember answers: Idempotent-Replayed,
// Idempotency-Replayed.
func mark(name string) func(element string) bool {
	switch {
	case name == "Age": // RFC 9111 §5.1
		return func(s string) bool { return strings.Trim(s, "0") != "" }
	case name == "Cache-Status":
		return cacheHit
	case name == "Warning":
		return outOfDate
	case name == "X-Cache-Hits": // by each cache on the way, how often this was served
		return func(s string) bool { return strings.Trim(s, "0") != "" }
	case name == "X-Varnish": // one request's number; on a hit, that of the one which brought the answer too
		return func(s string) bool { return len(strings.Fields(s)) > 1 }
	case strings.HasSuffix(name, "-Cache"), strings.HasSuffix(name, "-Cache-Status"):
		return stored
	case strings.Contains(name, "-Replay"):
		return func(s string) bool { return strings.EqualFold(s, "true") }
	}
	return nil
}

// outOfDate reads a warning by its code (RFC 7234 §5.5): stale, not checked again, cut
// off from the receiver, or older than a day.
func outOfDate(element string) bool {
	code, _, _ := strings.Cut(element, " ")
	return slices.Contains([]string{"110", "111", "112", "113"}, code)
}

// elements are the parts of a header that is a list (RFC 9110 §5.6.1), over all
// its lines.
func elements(h http.Header, name string) []string {
	parts := strings.Split(strings.Join(h.Values(name), ","), ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return parts
}

// cacheHit reads one cache's part of Cache-Status (RFC 9211 §2.1): its name, then
// parameters, hit among them where it answered from its store.
func cacheHit(element string) bool {
	return slices.ContainsFunc(strings.Split(element, ";")[1:], func(param string) bool {
		param = strings.ToLower(strings.TrimSpace(param))
		return param == "hit" || param == "hit=?1"
	})
}

// stored reads one cache's word in the headers that no standard describes: "HIT",
// "Hit from cloudfront", "TCP_MEM_HIT", "STALE", "fresh".
func stored(element string) bool {
	words := strings.FieldsFunc(strings.ToLower(element), func(r rune) bool { return r == '_' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return false
	}
	if strings.HasPrefix(words[0], "hit") || slices.Contains([]string{"stale", "updating", "fresh"}, words[0]) {
		return true
	}
	return words[0] == "tcp" && slices.Contains(words, "hit")
}
