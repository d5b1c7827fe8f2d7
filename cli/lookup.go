package cli

import (
	"errors"
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
		if cmd.Context().Err() != nil {
			trouble = append(trouble, cmd.Context().Err())
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
	return worst(trouble, len(keys))
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

// worst keeps the first refusal, whose exit code says more than a plain failure.
func worst(trouble []error, asked int) error {
	var refusal *actions.Refusal
	for _, err := range trouble {
		if errors.As(err, &refusal) {
			return err
		}
	}
	return &failedError{fmt.Sprintf("%d of %d lookups gave nothing usable", len(trouble), asked)}
}
