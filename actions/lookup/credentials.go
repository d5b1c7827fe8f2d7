package lookup

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// secrets are what must not be kept of an answer.
type secrets struct {
	anywhere []string // these, and pieces of them
	alone    []string // these where they stand alone: they are short, and likely to be none
}

// headerSecrets are the secrets of a connector that sends headers: its credentials, and
// what any header holds that was written into the file outright and isn't known to be
// harmless by its name. Few names say what they hold: X-Vault, X-Api.
func headerSecrets(values []string, headers map[string]string) secrets {
	all := secrets{anywhere: credentials(values, headers)}
	for name, value := range headers {
		switch {
		case credentialName.MatchString(name), harmlessName.MatchString(name), len(value) < shortSecret:
		case len(value) < pieceLength:
			all.alone = append(all.alone, value)
		default:
			all.anywhere = append(all.anywhere, decoded(parts(value))...)
		}
	}
	return all
}

// credentials are the secrets of a connector: what its variables held, and what
// headers, or variables handed on, hold that are credentials by their name, also where
// they were written into the file outright.
func credentials(values []string, named map[string]string) []string {
	all := slices.Clone(values)
	for name, value := range named {
		if credentialName.MatchString(name) {
			all = append(all, parts(value)...)
		}
	}
	return decoded(all)
}

// parts are a value, and what stands behind the scheme in one: Bearer …
func parts(value string) []string {
	if _, token, ok := strings.Cut(value, " "); ok {
		return []string{value, strings.TrimSpace(token)}
	}
	return []string{value}
}

// decoded adds what Basic credentials are made of: user:password in base64.
func decoded(all []string) []string {
	for _, s := range slices.Clone(all) {
		raw, err := base64.StdEncoding.DecodeString(s)
		if _, password, ok := strings.Cut(string(raw), ":"); err == nil && ok && utf8.Valid(raw) {
			all = append(all, string(raw), password)
		}
	}
	return all
}

var (
	credentialName = regexp.MustCompile(`(?i)auth|cookie|tok|secret|key|pass|pwd|bearer|session|credential|signature|(^|[-_])(pw|pin|otp)([-_]|$)`)
	// harmlessName are the headers that say how, in what form and on whose account it is
	// asked. Receivers repeat these.
	harmlessName = regexp.MustCompile(`(?i)^(accept|accept-[a-z]+|user-agent|content-type|cache-control|pragma|prefer|from|origin|referer|x-requested-with)$` +
		`|(^|-)(version|team|tenant|account|org|organi[sz]ation|project|workspace|customer|region|environment|locale|language)(-id|-name)?$`)
)
