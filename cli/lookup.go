package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

func (p Program) lookupCommand(f *flags) *cobra.Command {
	var sweep sweepFlags
	cmd := &cobra.Command{
		Use:   "lookup KEY…|--all",
		Short: "Ask the receiver under the original key what became of it",
		Long: `Ask the receiver under the original key what became of it. Reads only; an intent becomes
DELIVERED only if the receiver shows the same key, the same payload hash and a receipt.
With --json one KEY prints an object, several print an array.

With --all it sweeps: it asks about everything in the queue, about what was set aside or snoozed,
and about what was closed, replaced or marked delivered by hand within the time in which its
receiver promises that it can be found (lookup_retention, else key_retention, from the first
attempt on; where neither is promised, what is settled is left alone). Receivers are asked side by
side, each at its own rate, and a sweep waits for as long as a receiver asks not to be asked. Each
answer is written down as it comes. What happens is told on stderr, what came of it all on stdout;
with --json stdout gets the array and stderr the rest. An interrupt stops it before the next
question. Evidence that contradicts a decision is named first.`,
		Args: sweep.check,
		RunE: func(cmd *cobra.Command, keys []string) error {
			s, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer s.close()
			if sweep.all {
				return p.sweep(cmd.Context(), f, s.desk, &sweep)
			}
			return p.lookups(cmd, f, s.desk, keys)
		},
	}
	sweep.add(cmd)
	return cmd
}

func (p Program) lookups(cmd *cobra.Command, f *flags, desk *actions.Desk, keys []string) error {
	var all []doneJSON
	var trouble []error
	for _, key := range keys {
		if err := cmd.Context().Err(); err != nil {
			trouble = append(trouble, err)
			break
		}
		done, err := desk.Lookup(cmd.Context(), key)
		if err != nil {
			trouble = append(trouble, err)
			if len(keys) > 1 {
				printError(p.Err, err)
			}
			continue
		}
		if done.Lookup.Outcome == ledger.LookupFailed {
			trouble = append(trouble, &failedError{fmt.Sprintf("the receiver gave nothing usable for %s", key)})
		}
		all = append(all, doneForm(done))
		if !f.json {
			if err := p.printDone(f, done); err != nil {
				return err
			}
		}
	}
	if f.json {
		if err := printLookups(p, keys, all); err != nil {
			return err
		}
	}
	switch {
	case len(trouble) == 0:
		return nil
	case len(keys) == 1:
		return trouble[0]
	}
	return &sweepError{asked: len(keys), trouble: trouble}
}

// sweepError ends several lookups of which some gave nothing. Each was told when it
// happened; the exit code is that of the gravest.
type sweepError struct {
	asked   int
	of      int // more than asked: it was stopped
	trouble []error
	skipped int // nobody can be asked about these
}

func (e *sweepError) Error() string {
	if e.skipped > 0 && len(e.trouble) == 0 && e.asked == e.of {
		return fmt.Sprintf("%s could not be asked about", wording.Count(e.skipped, "intent", "intents"))
	}
	if e.asked < e.of {
		return fmt.Sprintf("interrupted after %d of %d lookups, %d of which gave nothing usable", e.asked, e.of, len(e.trouble))
	}
	return fmt.Sprintf("%d of %d lookups gave nothing usable", len(e.trouble), e.asked)
}

func (e *sweepError) exitCode() int {
	code := exitFailed
	for _, err := range e.trouble {
		code = max(code, exitCode(err))
	}
	return code
}

func printLookups(p Program, keys []string, all []doneJSON) error {
	if len(keys) > 1 {
		return printJSON(p.Out, orEmpty(all))
	}
	if len(all) == 1 {
		return printJSON(p.Out, all[0])
	}
	return nil
}
