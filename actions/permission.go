package actions

import (
	"context"
	"fmt"
	"strings"

	"triage/actions/verdict"
	"triage/ledger"
)

// Check is one line of a permission recheck: what was asked, what was found, and
// what decided it.
type Check struct {
	What  string `json:"what"` // operator, grant, principal, target, content, validity, policy
	OK    bool   `json:"ok"`
	Found string `json:"found"` // in plain words, with the grant id and instants it rests on
}

// Permission is what a live recheck found.
type Permission struct {
	Allowed bool          `json:"allowed"`
	Checks  []Check       `json:"checks"`
	At      ledger.Millis `json:"at"`
}

// PermissionQuestion is everything that a recheck may look at.
type PermissionQuestion struct {
	Operator Identity
	Act      verdict.Act
	Intent   ledger.Intent
	Grant    *ledger.Grant // nil: none named, or it does not exist
	Verdict  verdict.Verdict
	Now      ledger.Millis
}

// Permit rechecks whether the operator may do the act and whether the grant still
// stands (design §6). Recovery is not re-authorisation: whatever is missing or
// unclear denies. Saying what happened needs an identified operator; deciding what
// is sent next also needs a valid grant.
func Permit(q PermissionQuestion) Permission {
	p := Permission{At: q.Now, Checks: []Check{checkOperator(q.Operator)}}
	if q.Act == verdict.ActReissue || q.Act == verdict.ActRetry {
		p.Checks = append(p.Checks, checkGrant(q.Intent, q.Grant, q.Now)...)
	}
	p.Allowed = true
	for _, c := range p.Checks {
		p.Allowed = p.Allowed && c.OK
	}
	p.Checks = append(p.Checks, checkPolicy(q.Act, p.Allowed))
	return p
}

func checkOperator(id Identity) Check {
	if id.Name == "" {
		return Check{What: "operator", Found: "nobody: the operating system names no user"}
	}
	return Check{What: "operator", OK: true, Found: fmt.Sprintf("%s, by uid %d; every identified user may act, since no operators are configured", id.Name, id.UID)}
}

func checkGrant(i ledger.Intent, g *ledger.Grant, now ledger.Millis) []Check {
	switch {
	case i.GrantID == "":
		return []Check{{What: "grant", Found: "the intent names none, so nothing authorises a new delivery"}}
	case g == nil:
		return []Check{{What: "grant", Found: fmt.Sprintf("%s does not exist in this ledger", i.GrantID)}}
	}
	checks := []Check{
		{What: "grant", OK: true, Found: fmt.Sprintf("%s, given by %s at %s", g.GrantID, g.GrantedBy, instant(g.GrantedAt))},
		equals("principal", g.Principal, i.Principal),
		equals("target", g.Target, i.Target),
	}
	if g.PayloadSHA256 == "" {
		checks = append(checks, Check{What: "content", OK: true, Found: "the grant is for any content"})
	} else {
		checks = append(checks, equals("content", g.PayloadSHA256, i.PayloadSHA256))
	}
	return append(checks, checkValidity(g, now))
}

func equals(what, granted, wanted string) Check {
	if granted == wanted {
		return Check{What: what, OK: true, Found: "as granted: " + granted}
	}
	return Check{What: what, Found: fmt.Sprintf("granted for %s, the intent has %s", granted, wanted)}
}

func checkValidity(g *ledger.Grant, now ledger.Millis) Check {
	switch {
	case !g.RevokedAt.IsNone(): // a revocation dated in the future too: it is one-way
		return Check{What: "validity", Found: "revoked at " + instant(g.RevokedAt)}
	case !g.ExpiresAt.IsNone() && g.ExpiresAt <= now:
		return Check{What: "validity", Found: "expired at " + instant(g.ExpiresAt)}
	case g.GrantedAt > now:
		return Check{What: "validity", Found: "begins only at " + instant(g.GrantedAt)}
	case g.ExpiresAt.IsNone():
		return Check{What: "validity", OK: true, Found: "not revoked, does not expire"}
	}
	return Check{What: "validity", OK: true, Found: "not revoked, expires at " + instant(g.ExpiresAt)}
}

// checkPolicy is the built-in policy: a new delivery demands a valid grant.
func checkPolicy(act verdict.Act, granted bool) Check {
	c := Check{What: "policy", OK: granted, Found: "built-in: identified operators may " + string(act)}
	if act == verdict.ActReissue || act == verdict.ActRetry {
		c.Found = "built-in: " + string(act) + " demands an identified operator and a valid grant"
	}
	return c
}

func instant(m ledger.Millis) string { return m.Time().Format("2006-01-02 15:04:05.000Z07:00") }

// Recheck shows what a permission recheck for a new intent would find now. The act
// itself asks again, inside its transaction.
func (d *Desk) Recheck(ctx context.Context, opKey string) (Permission, error) {
	item, err := d.Item(ctx, opKey)
	if err != nil {
		return Permission{}, err
	}
	return item.MaySend, nil
}

func (d *Desk) permit(act verdict.Act, item Item) Permission {
	return Permit(PermissionQuestion{
		Operator: d.Operator, Act: act, Intent: item.Intent, Grant: item.Grant, Verdict: item.Verdict, Now: item.Now,
	})
}

// Denial says in one sentence why a permission was not given, "" if it was.
func (p Permission) Denial() string {
	if p.Allowed {
		return ""
	}
	var why []string
	for _, c := range p.Checks {
		if !c.OK && c.What != "policy" {
			why = append(why, c.What+": "+c.Found)
		}
	}
	return strings.Join(why, "; ")
}

// withoutPermission is the refusal that a failed recheck leads to.
func withoutPermission(act verdict.Act, p Permission) *Refusal {
	return &Refusal{
		Kind: Denied, Code: string(ledger.NotAuthorised),
		What:  fmt.Sprintf("The permission recheck for %s failed: %s.", act, p.Denial()),
		Means: "Nothing was sent and nothing was planned; what is known about the delivery is what it was.",
		Do:    "Whoever may authorise this delivery has to grant it anew; recovery alone is no authorisation.",
	}
}
