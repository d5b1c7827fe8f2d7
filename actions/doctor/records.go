package doctor

import (
	"net/url"
	"slices"
	"strings"

	"triage/actions/config"
	"triage/actions/wording"
	"triage/ledger"
)

// permitted is question 9.
func permitted(p *page, s subject) {
	s.literals(p)
	if s.unlooked(p) {
		return
	}
	var without, unknown, secret, body hits
	for _, h := range s.intents {
		i := h.Intent
		switch {
		case i.GrantID == "":
			without.add(i.OpKey)
		case h.Grant == nil || h.Grant.Principal != i.Principal || h.Grant.Target != i.Target || h.Grant.PayloadSHA256 != "" && h.Grant.PayloadSHA256 != i.PayloadSHA256:
			unknown.add(i.OpKey)
		}
		if place := s.secretPlace(h); place != "" {
			secret.add(i.OpKey + " (" + place + ")")
		}
		if place := bodyPlace(h); place != "" {
			body.add(i.OpKey + " (" + place + ")")
		}
	}
	if len(secret) > 0 {
		p.gap(Leak, "What looks like a credential stands in the ledger: "+secret.String()+".", "Whoever reads the ledger or an export of it can act in the sender's name.",
			"Revoke it now: the ledger is append-only and keeps it. Then let the sender leave it out.")
	}
	if len(body) > 0 {
		p.gap(Leak, "What looks like the content itself stands in the ledger: "+body.String()+".", "Whoever reads the ledger reads what was delivered.",
			"Let payload_ref say where the approved bytes can be fetched, and error what went wrong.")
	}
	const means = "Without a valid grant no retry and no new intent is ever allowed: what did not arrive can never be sent again from here."
	if len(without) > 0 {
		p.gap(NeverSettled, "Intents without grant_id: "+without.String()+".", means, "Let the sender record under which grant it delivers (docs/agents.md).")
	}
	if len(unknown) > 0 {
		p.gap(NeverSettled, "Intents whose grant is not in the ledger, or is for another principal, target or content: "+unknown.String()+".", means, "Record the grant before the intent.")
	}
	if len(p.gaps) == 0 {
		p.ok(wording.Count(len(s.intents), "intent", "intents") + " looked at: each names a grant of its own, and nothing looks like a credential or a body.")
	}
}

// literals: credentials that stand in the configuration file itself.
func (s subject) literals(p *page) {
	if s.text == "" || s.Lookup == nil {
		return
	}
	var places []string
	switch l := s.Lookup; {
	case l.HTTP != nil:
		places = s.literalsInHTTP(l.HTTP)
	case l.Exec != nil:
		places = s.named("the variable", l.Exec.Env)
		if slices.ContainsFunc(argvSecrets(l.Exec.Argv), s.literal) {
			places = append(places, "an argument in argv")
		}
	case l.SQL != nil:
		if slices.ContainsFunc(l.SQL.Secrets, s.literalPassword) {
			places = []string{"the connection string's password"}
		}
	}
	if len(places) > 0 {
		p.gap(Leak, "A credential stands in the configuration file: "+wording.List(sorted(places))+".", "Whoever reads the file, its backups or its history can act with it.",
			"Write ${VARIABLE} instead, and change the credential.")
		return
	}
	p.ok("No credential stands in the configuration file.")
}

// literal says that a value is long enough to be a credential and stands in the file.
func (s subject) literal(value string) bool {
	return len(value) >= shortestSecret && strings.Contains(s.text, value)
}

// literalPassword is the same for a password inside a URL, where the signs around it
// tell it from a word that merely reads alike, however short it is.
func (s subject) literalPassword(password string) bool {
	if password == "" {
		return false
	}
	escaped := strings.TrimPrefix(url.UserPassword("", password).String(), ":")
	for _, form := range []string{password, escaped, url.QueryEscape(password)} {
		for _, written := range []string{":" + form + "@", "password=" + form, "password='" + form + "'", "password = " + form} {
			if strings.Contains(s.text, written) {
				return true
			}
		}
	}
	return false
}

func (s subject) literalsInHTTP(h *config.HTTP) []string {
	places := s.named("the header", h.Headers)
	if s.literal(urlSecret.FindString(h.URL)) {
		places = append(places, "the url's query")
	}
	if s.literalPassword(proxyPassword(h.Proxy)) || s.literal(proxyToken(h.Proxy)) {
		places = append(places, "the proxy's password")
	}
	return places
}

// named are the places whose names speak of credentials and whose values stand in the
// file.
func (s subject) named(place string, values map[string]string) (places []string) {
	for name, value := range values {
		if _, token, scheme := strings.Cut(value, " "); scheme {
			value = token
		}
		if credentialName.MatchString(name) && s.literal(value) {
			places = append(places, place+" "+name)
		}
	}
	return places
}

// proxyPassword is the password in a proxy's URL, as it is written there; "" if none.
func proxyPassword(proxy string) string {
	_, rest, _ := strings.Cut(proxy, "://")
	user, _, found := strings.Cut(rest, "@")
	_, password, _ := strings.Cut(user, ":")
	if !found {
		return ""
	}
	return password
}

// proxyToken is a name that stands before a proxy's host without a password.
func proxyToken(proxy string) string {
	_, rest, _ := strings.Cut(proxy, "://")
	user, _, found := strings.Cut(rest, "@")
	if !found || strings.Contains(user, ":") {
		return ""
	}
	return user
}

// argvSecrets are the values of arguments that are named like credentials, as --token=x
// or --token x; a path or a placeholder is none.
func argvSecrets(argv []string) (values []string) {
	for i, argument := range argv {
		name, value, joined := strings.Cut(argument, "=")
		if !strings.HasPrefix(name, "-") || !argumentName.MatchString(name) {
			continue
		}
		if !joined && i+1 < len(argv) {
			value = argv[i+1]
		}
		if len(value) >= shortestSecret && !strings.HasPrefix(value, "-") && !strings.ContainsAny(value, "/{") {
			values = append(values, value)
		}
	}
	return values
}

// secretPlace names the column of an intent's records in which a credential seems to
// stand. What it is, is never repeated.
func (s subject) secretPlace(h ledger.History) string {
	if looksSecret(h.Intent.PayloadRef) {
		return "payload_ref"
	}
	for _, a := range h.Attempts {
		if looksSecret(a.Error) || looksSecret(a.Cause) {
			return "attempts.error"
		}
	}
	for _, l := range h.Lookups {
		if looksSecret(l.Evidence) {
			return "lookups.evidence"
		}
	}
	for _, d := range h.Decisions {
		if looksSecret(d.Reason) || looksSecret(d.Facts) {
			return "decisions"
		}
	}
	return ""
}

// longError is more than an error's text needs, in bytes.
const longError = 4 << 10

// bodyPlace names the column in which a body seems to stand.
func bodyPlace(h ledger.History) string {
	ref := strings.TrimSpace(h.Intent.PayloadRef)
	if strings.HasPrefix(ref, "data:") || strings.HasPrefix(ref, "{") || len(ref) > 2<<10 {
		return "payload_ref"
	}
	for _, a := range h.Attempts {
		if len(a.Error) > longError {
			return "attempts.error"
		}
	}
	return ""
}

// drilled is question 10.
func drilled(p *page, s subject) {
	settled := 0
	for _, h := range s.intents {
		if h.Intent.State == ledger.Delivered && h.Intent.SettledBy == ledger.ByLookup {
			settled++
		}
	}
	if settled > 0 {
		p.ok("It has happened: of what was looked at, " + wording.Count(settled, "delivery whose answer was lost was", "deliveries whose answer was lost were") + " settled by a lookup.")
		return
	}
	p.ask("Neither configuration nor ledger shows that an answer was ever lost after the commit and found again.",
		"Cut the connection to this receiver after its commit, on purpose, and follow the intent to DELIVERED. Failing before the send proves nothing. `triage drill` shows how; recipes/ has the tests.")
}
