package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/ledger"
)

func (p Program) lookupCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "lookup KEY…",
		Short: "Ask the receiver under the original key what became of it",
		Long: `Ask the receiver under the original key what became of it. Reads only; an intent becomes
DELIVERED only if the receiver shows the same key, the same payload hash and a receipt.
With --json one KEY prints an object, several print an array.`,
		Args: someKeys,
		RunE: func(cmd *cobra.Command, keys []string) error {
			s, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer s.close()
			return p.lookups(cmd, f, s.desk, keys)
		},
	}
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
	trouble []error
}

func (e *sweepError) Error() string {
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
