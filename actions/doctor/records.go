package doctor

import (
	"strings"

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
	const means = "Without a valid grant no retry and no new intent is ever allowed: what did not arrive is not sent again, a loss until somebody sends it by other means."
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
	check := func(place string, named map[string]string) {
		for name, value := range named {
			if _, token, scheme := strings.Cut(value, " "); scheme {
				value = token
			}
			if credentialName.MatchString(name) && len(value) >= shortestSecret && strings.Contains(s.text, value) {
				places = append(places, place+" "+name)
			}
		}
	}
	l := s.Lookup
	switch {
	case l.HTTP != nil:
		check("the header", l.HTTP.Headers)
		if u := urlSecret.FindString(l.HTTP.URL); u != "" && strings.Contains(s.text, u) {
			places = append(places, "the url's query")
		}
	case l.Exec != nil:
		check("the variable", l.Exec.Env)
	case l.SQL != nil:
		for _, password := range l.SQL.Secrets {
			if len(password) >= shortestSecret && strings.Contains(s.text, ":"+password+"@") {
				places = append(places, "the connection string's password")
				break
			}
		}
	}
	if len(places) > 0 {
		p.gap(Leak, "A credential stands in the configuration file: "+wording.List(sorted(places))+".", "Whoever reads the file, its backups or its history can act with it.",
			"Write ${VARIABLE} instead, and change the credential.")
		return
	}
	p.ok("No credential stands in the configuration file.")
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
