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
// It tells what was, not what is. One mark is enough, however many caches deny it.
func replayed(h http.Header, askedAt time.Time, skew time.Duration) bool {
	return cached(h) || slices.ContainsFunc(h.Values("Date"), func(value string) bool {
		date, err := http.ParseTime(value)
		return err == nil && date.Add(time.Second).Add(skew).Before(askedAt) // the header counts whole seconds
	})
}

// cached says that an answer bears a mark of having been kept.
func cached(h http.Header) bool {
	old := map[string]func(element string) bool{
		"Idempotent-Replayed": func(s string) bool { return strings.EqualFold(s, "true") },
		"Age":                 func(s string) bool { return strings.Trim(s, "0") != "" }, // RFC 9111 §5.1
		"Cache-Status":        cacheHit,
		"X-Cache":             stored,
		"X-Cache-Status":      stored,
		"Cf-Cache-Status":     stored,
	}
	for name, is := range old {
		if slices.ContainsFunc(elements(h, name), is) {
			return true
		}
	}
	return false
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
// "Hit from cloudfront", "TCP_MEM_HIT", "STALE".
func stored(element string) bool {
	words := strings.FieldsFunc(strings.ToLower(element), func(r rune) bool { return r == '_' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return false
	}
	if strings.HasPrefix(words[0], "hit") || words[0] == "stale" || words[0] == "updating" {
		return true
	}
	return words[0] == "tcp" && slices.Contains(words, "hit")
}
