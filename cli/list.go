package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

const listPage = 500

func (p Program) listCommand(f *flags) *cobra.Command {
	var state string
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the queue: contradicted, UNKNOWN, stuck PENDING, each oldest first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := stateFilter(state)
			if err != nil {
				return err
			}
			if limit < 0 {
				return usagef("--limit %d is less than nothing; 0 lists all", limit)
			}
			s, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer s.close()
			if f.json {
				return listJSON(cmd.Context(), p.Out, s.desk, filter, limit)
			}
			return listText(cmd.Context(), p.Out, s.desk, filter, limit)
		},
	}
	cmd.Flags().StringVar(&state, "state", string(ledger.FilterOpen), "which intents: "+stateNames())
	cmd.Flags().IntVar(&limit, "limit", 0, "stop after so many rows; 0 lists all")
	return cmd
}

func stateNames() string {
	names := make([]string, 0, len(ledger.StateFilters))
	for _, s := range ledger.StateFilters {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func stateFilter(name string) (ledger.StateFilter, error) {
	for _, s := range ledger.StateFilters {
		if string(s) == name {
			return s, nil
		}
	}
	return "", usagef("--state %q is not known; it takes %s", name, stateNames())
}

// eachRow reads the queue page by page, so that memory does not grow with it.
func eachRow(ctx context.Context, d *actions.Desk, filter ledger.StateFilter, limit int, f func(ledger.QueueRow) error) (int, error) {
	var after *ledger.Cursor
	n := 0
	for {
		size := listPage
		if limit > 0 {
			size = min(size, limit-n)
		}
		rows, err := d.Queue(ctx, filter, after, size)
		if err != nil {
			return n, err
		}
		for _, row := range rows {
			if err := f(row); err != nil {
				return n, err
			}
			n++
		}
		if len(rows) < size || limit > 0 && n >= limit {
			return n, nil
		}
		after = &rows[len(rows)-1].Cursor
	}
}

func listJSON(ctx context.Context, w io.Writer, d *actions.Desk, filter ledger.StateFilter, limit int) error {
	separator := "["
	n, err := eachRow(ctx, d, filter, limit, func(row ledger.QueueRow) error {
		item, err := d.Item(ctx, row.Intent.OpKey)
		if err != nil {
			return err
		}
		raw, err := marshalSafe(listForm(item))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n%s", separator, raw)
		separator = ","
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = fmt.Fprintln(w, "[]")
		return err
	}
	_, err = fmt.Fprintln(w, "\n]")
	return err
}

func listText(ctx context.Context, w io.Writer, d *actions.Desk, filter ledger.StateFilter, limit int) error {
	counts, err := d.Counts(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, countsLine(counts, d.Clock())); err != nil {
		return err
	}
	if missing := d.Config.NotRead(); missing != "" {
		if _, err := fmt.Fprintln(w, missing+" Nothing can be looked up or proven without it."); err != nil {
			return err
		}
	}
	first := true
	n, err := eachRow(ctx, d, filter, limit, func(row ledger.QueueRow) error {
		item, err := d.Item(ctx, row.Intent.OpKey)
		if err != nil {
			return err
		}
		if first {
			first = false
			if _, err := fmt.Fprintf(w, "\n%-22s %-9s %-20s %-16s %s\n", "STATE", "AGE", "VERDICT", "TARGET", "KEY"); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintln(w, listLine(item))
		return err
	})
	if err == nil && n == 0 {
		_, err = fmt.Fprintf(w, "Nothing to show for --state %s.\n", filter)
	}
	return err
}

func countsLine(c ledger.Counts, now ledger.Millis) string {
	line := fmt.Sprintf("%d UNKNOWN, %d stuck PENDING, %d contradicted", c.Unknown, c.Stuck, c.Contradicted)
	if c.Ahead > 0 {
		line += fmt.Sprintf(", %d PENDING with a clock ahead", c.Ahead)
	}
	if c.Snoozed > 0 {
		line += fmt.Sprintf(", %d snoozed", c.Snoozed)
	}
	if !c.Oldest.IsNone() {
		line += "; the oldest is " + wording.Age(now.Sub(c.Oldest)) + " old"
	}
	return line + "."
}

func listLine(item actions.Item) string {
	line := fmt.Sprintf("%s %s %s %s %s",
		wording.Pad(stateWords(item), 22), wording.Pad(wording.Age(item.Now.Sub(item.Intent.CreatedAt)), 9),
		wording.Pad(string(item.Verdict.Kind), 20), wording.Pad(wording.Safe(item.Intent.Target), 16),
		wording.Safe(item.Intent.OpKey))
	if !item.Intent.CancelRequestedAt.IsNone() && open(item) {
		line += "  (cancel wished)"
	}
	if item.Retry != "" && item.RetryUntil >= item.Now {
		line += "  (retry allowed)"
	}
	if item.Claim != nil {
		line += "  (claimed by " + wording.Safe(item.Claim.Operator) + ")"
	}
	return line
}

// stateWords are the state as the ledger spells it, and what is special about it.
func stateWords(item actions.Item) string {
	i := item.Intent
	words := string(i.State)
	switch {
	case i.Contradicted():
		words += " contradicted"
	case i.Superseded():
		words += " superseded"
	case !i.Derived.SetAsideAt.IsNone() && !i.State.Final():
		words += " set aside"
	case item.Stuck:
		words += " stuck"
	}
	if item.SkewAhead > 0 {
		words += " (clock ahead)"
	}
	return words
}
