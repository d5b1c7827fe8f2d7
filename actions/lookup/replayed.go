package lookup

import (
	"net/http"
	"strings"
	"time"
)

// replayed says that an answer was made before it was asked for: an old one,
// served again by a cache or by the receiver's own memory of an earlier answer.
// It tells what was, not what is.
func replayed(h http.Header, askedAt time.Time, skew time.Duration) bool {
	if strings.EqualFold(strings.TrimSpace(h.Get("Idempotent-Replayed")), "true") {
		return true
	}
	if age := strings.TrimSpace(h.Get("Age")); strings.Trim(age, "0") != "" { // RFC 9111 §5.1
		return true
	}
	if strings.HasPrefix(strings.ToLower(h.Get("X-Cache")), "hit") || cacheHit(h.Get("Cache-Status")) {
		return true
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return false
	}
	return date.Add(time.Second).Add(skew).Before(askedAt) // the header counts whole seconds
}

// cacheHit reads the Cache-Status header (RFC 9211 §2.1): a list of caches, each
// with parameters, hit among them where it answered from its store.
func cacheHit(value string) bool {
	for _, cache := range strings.Split(value, ",") {
		for _, param := range strings.Split(cache, ";")[1:] {
			if name := strings.TrimSpace(param); name == "hit" || name == "hit=?1" {
				return true
			}
		}
	}
	return false
}
