package actions_test

import (
	"strings"
	"testing"

	"triage/actions"
	"triage/actions/verdict"
	"triage/ledger"
)

// Anything missing or unclear denies; each row changes one thing about a question
// that is allowed.
func TestPermit(t *testing.T) {
	const now = ledger.Millis(1_796_000_000_000)
	valid := func() actions.PermissionQuestion {
		return actions.PermissionQuestion{
			Operator: actions.Identity{Name: "olga", UID: 1001}, Act: verdict.ActReissue, Now: now,
			Intent: ledger.Intent{OpKey: "k", Principal: "agent-1", Target: "inbox", PayloadSHA256: content, GrantID: "g"},
			Grant: &ledger.Grant{
				GrantID: "g", Principal: "agent-1", Target: "inbox", PayloadSHA256: content, GrantedBy: "boss", GrantedAt: now - 1000,
			},
		}
	}
	for name, c := range map[string]struct {
		change  func(q *actions.PermissionQuestion)
		allowed bool
		line    string // the check that decides
	}{
		"all in order":              {func(*actions.PermissionQuestion) {}, true, ""},
		"a grant for any content":   {func(q *actions.PermissionQuestion) { q.Grant.PayloadSHA256 = "" }, true, ""},
		"granted this very instant": {func(q *actions.PermissionQuestion) { q.Grant.GrantedAt = now }, true, ""},
		"expires in a millisecond":  {func(q *actions.PermissionQuestion) { q.Grant.ExpiresAt = now + 1 }, true, ""},
		"expires now":               {func(q *actions.PermissionQuestion) { q.Grant.ExpiresAt = now }, false, "validity"},
		"expired":                   {func(q *actions.PermissionQuestion) { q.Grant.ExpiresAt = now - 1 }, false, "validity"},
		"revoked":                   {func(q *actions.PermissionQuestion) { q.Grant.RevokedAt = now - 1 }, false, "validity"},
		"revoked in the future":     {func(q *actions.PermissionQuestion) { q.Grant.RevokedAt = now + 1 }, false, "validity"},
		"granted in the future":     {func(q *actions.PermissionQuestion) { q.Grant.GrantedAt = now + 1 }, false, "validity"},
		"another principal":         {func(q *actions.PermissionQuestion) { q.Grant.Principal = "agent-2" }, false, "principal"},
		"another target":            {func(q *actions.PermissionQuestion) { q.Grant.Target = "outbox" }, false, "target"},
		"another content":           {func(q *actions.PermissionQuestion) { q.Grant.PayloadSHA256 = hexOf("other") }, false, "content"},
		"no grant named":            {func(q *actions.PermissionQuestion) { q.Intent.GrantID = "" }, false, "grant"},
		"a grant that is not there": {func(q *actions.PermissionQuestion) { q.Grant = nil }, false, "grant"},
		"nobody":                    {func(q *actions.PermissionQuestion) { q.Operator = actions.Identity{} }, false, "operator"},
		"nobody marks delivered": {func(q *actions.PermissionQuestion) {
			q.Act, q.Operator = verdict.ActDeliver, actions.Identity{}
		}, false, "operator"},
		"saying what happened needs no grant": {func(q *actions.PermissionQuestion) {
			q.Act, q.Grant = verdict.ActDeliver, nil
		}, true, ""},
		"a retry needs one": {func(q *actions.PermissionQuestion) { q.Act, q.Grant = verdict.ActRetry, nil }, false, "grant"},
	} {
		t.Run(name, func(t *testing.T) {
			q := valid()
			c.change(&q)
			p := actions.Permit(q)
			if p.Allowed != c.allowed {
				t.Errorf("allowed is %v, want %v: %+v", p.Allowed, c.allowed, p.Checks)
			}
			var failing []string
			for _, check := range p.Checks {
				if !check.OK && check.What != "policy" {
					failing = append(failing, check.What)
				}
			}
			if got := strings.Join(failing, " "); got != c.line {
				t.Errorf("the failing line is %q, want %q", got, c.line)
			}
		})
	}
}
