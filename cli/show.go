package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

func (p Program) showCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "show KEY",
		Short: "Show one intent: the verdict, then everything recorded about it",
		Args:  oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer s.close()
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
}

// page collects lines of a text for a person; every foreign piece goes through
// wording.Safe on its way in.
type page struct{ strings.Builder }

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
	i := item.Intent
	t.line("%s  %s", i.OpKey, stateWords(item))
	t.line("")
	verdictText(&t, item)
	t.line("")
	t.field("task", strings.TrimSuffix(i.Task+" / "+i.Stage, " / "))
	t.field("principal", i.Principal)
	t.field("target", strings.TrimSuffix(i.Target+" / "+item.Target.Environment, " / "))
	t.field("payload sha256", i.PayloadSHA256)
	t.field("payload ref", i.PayloadRef)
	t.field("grant", grantText(item))
	t.field("created", moment(i.CreatedAt, item.Now))
	t.field("receipt", i.Receipt)
	t.field("settled by", string(i.SettledBy))
	t.field("supersedes", i.Supersedes)
	t.field("superseded by", i.SupersededBy)
	if !i.CancelRequestedAt.IsNone() {
		t.field("cancel wished", moment(i.CancelRequestedAt, item.Now)+" (undoes nothing)")
	}
	t.field("version", fmt.Sprint(i.Version))
	historyText(&t, item)
	return t.String()
}

func verdictText(t *page, item actions.Item) {
	v := item.Verdict
	t.line("Verdict: %s. %s", string(v.Kind), v.Headline())
	for _, b := range v.Because {
		t.line("  because  %s", b)
	}
	safe := make([]string, 0, len(v.Safe))
	for _, a := range v.Safe {
		safe = append(safe, string(a))
	}
	if len(safe) > 0 {
		t.line("  safe now %s", strings.Join(safe, ", "))
	} else {
		t.line("  safe now nothing but a note")
	}
	if v.NotBefore > item.Now {
		t.line("  wait     a lookup from %s on can prove more (in %s)", wording.Instant(v.NotBefore, time.Local), wording.Wait(v.NotBefore.Sub(item.Now)))
	}
	if v.KeySafeUntil > item.Now {
		t.line("  key      honoured by %s for %s, until %s", item.Intent.Target,
			wording.Duration(v.KeySafeUntil.Sub(item.Now)), wording.Instant(v.KeySafeUntil, time.Local))
	}
	if item.LookupOff != "" {
		t.line("  lookup   off: %s", item.LookupOff)
	}
}

func grantText(item actions.Item) string {
	switch g := item.Grant; {
	case item.Intent.GrantID == "":
		return "none"
	case g == nil:
		return item.Intent.GrantID + " (not in this ledger)"
	case !g.RevokedAt.IsNone():
		return g.GrantID + ", revoked " + moment(g.RevokedAt, item.Now)
	case !g.ExpiresAt.IsNone():
		return g.GrantID + ", expires " + wording.Instant(g.ExpiresAt, time.Local)
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
		t.line("  attempt %-6d %s  %s  %s %s", a.N, wording.Instant(a.StartedAt, time.Local), a.Layer, outcome, a.Cause)
	}
	for _, l := range item.Lookups {
		outcome := string(l.Outcome)
		if !l.Finished() {
			outcome = "never finished"
		}
		t.line("  lookup         %s  by %s  %s %s", wording.Instant(l.StartedAt, time.Local), l.Actor, outcome, l.Cause)
	}
	for _, d := range item.Decisions {
		t.line("  decision       %s  by %s  %s: %s", wording.Instant(d.At, time.Local), d.Operator, string(d.Kind), d.Reason)
	}
}

func moment(m, now ledger.Millis) string {
	if m > now {
		return wording.Instant(m, time.Local) + " (in the future: clock skew)"
	}
	return wording.Instant(m, time.Local) + " (" + wording.Age(now.Sub(m)) + " ago)"
}
