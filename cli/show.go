package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

func (p Program) showCommand(f *flags) *cobra.Command {
	at := ""
	c := &cobra.Command{
		Use:   "show KEY",
		Short: "Show one intent: the verdict, then everything recorded about it",
		Long: `With --at it shows the intent as it stood at an instant of the past: what the ledger knew then and
nothing that came later, judged for that instant by today's configuration. An instant is RFC 3339,
Unix milliseconds, or a day and a time of day in UTC. The JSON then has as_of: the instant, the
journal's last event by then, and which of the intent's changes that was.`,
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			when, err := momentOf(at, cmd.Flags().Changed("at"))
			if err != nil {
				return err
			}
			s, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer s.close()
			if !when.Present() {
				return p.showPast(cmd.Context(), s, f, args[0], when)
			}
			item, err := s.desk.Item(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if f.json {
				return printJSON(p.Out, showForm(item))
			}
			_, err = io.WriteString(p.Out, showText(item))
			return err
		},
	}
	c.Flags().StringVar(&at, "at", "", "as it stood at this `instant`")
	return c
}

// page collects lines of a text for a person; every foreign piece goes through
// wording.Safe on its way in.
type page struct {
	strings.Builder
	past bool // what it shows is not the present
}

func (t *page) line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = wording.Safe(s)
		}
	}
	fmt.Fprintf(&t.Builder, format+"\n", args...)
}

func (t *page) field(name, value string) {
	if value != "" {
		t.line("  %-14s %s", name, value)
	}
}

func showText(item actions.Item) string {
	var t page
	t.item(item)
	return t.String()
}

func (t *page) item(item actions.Item) {
	i := item.Intent
	t.line("%s  %s", i.OpKey, stateWords(item))
	t.line("")
	verdictText(t, item)
	t.line("")
	t.field("task", strings.TrimSuffix(i.Task+" / "+i.Stage, " / "))
	t.field("principal", i.Principal)
	t.field("target", strings.TrimSuffix(i.Target+" / "+item.Target.Environment, " / "))
	t.field("contact", item.Target.Contact)
	t.field("runbook", item.Target.Runbook)
	t.field("payload sha256", i.PayloadSHA256)
	t.field("payload ref", i.PayloadRef)
	t.field("grant", t.grantText(item))
	t.field("created", t.moment(i.CreatedAt, item.Now))
	t.field("receipt", i.Receipt)
	t.field("settled by", string(i.SettledBy))
	t.field("supersedes", i.Supersedes)
	t.field("superseded by", i.SupersededBy)
	t.field("cancel wished", item.Verdict.WishToCancel(i))
	t.field("attempts", item.Budget.Spent())
	t.field("deadline", item.Budget.Deadline())
	for _, warning := range slices.Concat(item.Budget.Warnings(i.Target), item.Clocks.Told) {
		t.field("mind", warning)
	}
	t.field("version", fmt.Sprint(i.Version))
	historyText(t, item)
}

func verdictText(t *page, item actions.Item) {
	v := item.Verdict
	t.line("Verdict: %s. %s", string(v.Kind), v.Headline())
	for _, b := range v.Because {
		t.line("  because  %s", b)
	}
	refused := func(a verdict.Act) bool { return !item.MaySend.Allowed && sends(a) }
	allowed := func(a verdict.Act) bool { return !refused(a) }
	t.acts(t.word("safe now", "was safe"), v.Safe, func(a verdict.Act) bool { return !byHand(v, a) && allowed(a) })
	t.acts("by hand ", append(slices.Clone(v.Safe), v.ByHand...), func(a verdict.Act) bool { return byHand(v, a) })
	t.acts("at risk ", v.AtRisk, allowed)
	refusedText(t, item, refused)
	if cancelled := item.Intent.CancelRequestedAt; !cancelled.IsNone() && open(item) {
		t.line("  withheld retry, reissue: %s", v.Withheld[verdict.ActReissue])
	}
	if item.Retry != "" {
		t.line("  retry    %s", item.Retry)
	}
	if v.NotBefore > item.Now {
		t.line("  wait     a lookup from %s on can prove more (in %s)", wording.Instant(v.NotBefore, time.UTC), wording.Wait(v.NotBefore.Sub(item.Now)))
	}
	switch at := v.KeySafeUntil; {
	case at > item.Now:
		t.line("  key      honoured by %s for %s, until %s (key_retention)", item.Intent.Target, wording.Duration(at.Sub(item.Now)), wording.Instant(at, time.UTC))
	case !at.IsNone():
		t.line("  key      not surely honoured by %s any more since %s (key_retention)", item.Intent.Target, wording.Instant(at, time.UTC))
	}
	if item.LookupOff != "" {
		t.line("  lookup   off: %s", item.LookupOff)
	}
}

// refusedText names what the evidence would let one do and the permission recheck
// forbids, with the reason, so that it is never read as safe.
func refusedText(t *page, item actions.Item, refused func(verdict.Act) bool) {
	v, why := item.Verdict, item.MaySend.Denial()
	if safe := named(v.Safe, refused); safe != "" {
		t.line("  refused  %s: safe by the evidence, but the permission recheck denies it %s (%s)", safe, t.word("now", "for then"), why)
	}
	if risky := named(v.AtRisk, refused); risky != "" {
		t.line("  refused  %s: at risk by the evidence, and the permission recheck denies it %s (%s)", risky, t.word("now", "for then"), why)
	}
}

// open: nobody has settled or replaced it.
func open(item actions.Item) bool {
	return !item.Intent.State.Final() && !item.Intent.Superseded()
}

// sends: acts after which something may be sent again; they want a valid grant.
func sends(a verdict.Act) bool { return a == verdict.ActReissue || a == verdict.ActRetry }

// byHand: what rests on evidence from outside is never called safe.
func byHand(v verdict.Verdict, a verdict.Act) bool {
	return v.AllowsByHand(a) || v.Kind == verdict.NoLookup && a == verdict.ActDeliver
}

// acts lists the acts that fit, if there are any.
func (t *page) acts(name string, acts []verdict.Act, fits func(verdict.Act) bool) {
	if names := named(acts, fits); names != "" {
		t.line("  %s %s", name, names)
	}
}

func named(acts []verdict.Act, fits func(verdict.Act) bool) string {
	var names []string
	for _, a := range acts {
		if fits(a) {
			names = append(names, string(a))
		}
	}
	return strings.Join(names, ", ")
}

func (t *page) grantText(item actions.Item) string {
	switch g := item.Grant; {
	case item.Intent.GrantID == "":
		return "none"
	case g == nil:
		return item.Intent.GrantID + " (not in this ledger)"
	case !g.RevokedAt.IsNone():
		return g.GrantID + ", revoked " + t.moment(g.RevokedAt, item.Now)
	case !g.ExpiresAt.IsNone():
		return g.GrantID + ", expires " + wording.Instant(g.ExpiresAt, time.UTC)
	default:
		return g.GrantID
	}
}

func historyText(t *page, item actions.Item) {
	for _, a := range item.Attempts {
		outcome := string(a.Outcome)
		if !a.Finished() {
			outcome = "never finished"
		}
		t.row("attempt", a.StartedAt, fmt.Sprintf("number %d, by %s: %s%s", a.N, a.Layer, outcome, inBrackets(a.Cause)))
	}
	for _, l := range item.Lookups {
		outcome := string(l.Outcome)
		if !l.Finished() {
			outcome = "never finished"
		}
		evidence := l.ReadEvidence()
		for _, clause := range wording.Answer(evidence) {
			outcome += ", " + clause
		}
		t.row("lookup", l.StartedAt, strings.TrimSpace(fmt.Sprintf("by %s: %s%s %s", l.Actor, outcome, inBrackets(l.Cause), evidence.Error)))
	}
	for _, d := range item.Decisions {
		t.row("decision", d.At, fmt.Sprintf("by %s: %s. Reason given: %s", d.Operator, decisionWords(d), d.Reason))
	}
}

// row is one line of the history.
func (t *page) row(name string, at ledger.Millis, words string) {
	t.line("  %-14s %s  %s", name, wording.Instant(at, time.UTC), words)
}

func inBrackets(cause string) string {
	if cause == "" {
		return ""
	}
	return " (" + cause + ")"
}

// decisionWords names a decision; one that was refused says what was wanted and why
// it was not done.
func decisionWords(d ledger.Decision) string {
	if d.Kind != ledger.Denied {
		return strings.ReplaceAll(string(d.Kind), "_", " ")
	}
	wanted, code := actions.ReadDenied(d)
	return fmt.Sprintf("refused to %s%s", wanted, inBrackets(code))
}

func (t *page) moment(m, now ledger.Millis) string {
	if m > now {
		return wording.Instant(m, time.UTC) + " (in the future: clock skew)"
	}
	return wording.Instant(m, time.UTC) + " (" + wording.Age(now.Sub(m)) + t.word(" ago)", " before then)")
}

// word is a word about the present, or the one for the past.
func (t *page) word(present, past string) string {
	if t.past {
		return past
	}
	return present
}
