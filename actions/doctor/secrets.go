package doctor

import (
	"regexp"
	"slices"
	"strings"

	"triage/actions/lookup"
)

// shortestSecret is the length below which a value is no credential, in bytes.
const shortestSecret = 6

// credentialName is what names of headers and variables that hold credentials speak of.
var credentialName = regexp.MustCompile(`(?i)auth|cookie|token|secret|key|passw|session|credential|signature`)

// argumentName is the same for a program's arguments, whose names speak of keys that are
// no credentials.
var argumentName = regexp.MustCompile(`(?i)token|secret|passw|api[-_]?key|credential`)

// urlSecret is a credential in a URL's query.
var urlSecret = regexp.MustCompile(`(?i)[?&](access_token|token|api_?key|key|secret|password|sig|signature|x-amz-signature)=[A-Za-z0-9%+/_.~-]{8,}`)

// secretShapes are how credentials look that people have: they are looked for and never
// shown. A shape that is too wide costs a needless look; one that is too narrow misses.
var secretShapes = []*regexp.Regexp{
	urlSecret,
	regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/_.~-]{8,}=*`),
	regexp.MustCompile(`://[^/\s:@"]+:[^/\s@"]{3,}@`),
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`),
	regexp.MustCompile(`\b(sk|rk|pk)_(live|test)_[A-Za-z0-9]{8,}`),
	regexp.MustCompile(`\b(ghp|gho|ghs|ghu|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}`),
	regexp.MustCompile(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`),
	regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`),
	regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
	regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`),
	regexp.MustCompile(`(?i)(authorization|set-cookie|cookie|x-api-key|api[_-]?key|password|passwd|client_secret|access_token|refresh_token)["']?\s*[:=]\s*["']?[A-Za-z0-9+/_.~=-]{8,}`),
}

// looksSecret says that a text seems to hold a credential, other than one that was taken
// out of it already.
func looksSecret(text string) bool {
	return slices.ContainsFunc(secretShapes, func(shape *regexp.Regexp) bool {
		return slices.ContainsFunc(shape.FindAllString(text, -1), func(found string) bool { return !strings.Contains(found, lookup.Redacted) })
	})
}

func sorted(all []string) []string {
	slices.Sort(all)
	return all
}
