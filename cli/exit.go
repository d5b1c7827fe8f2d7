package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/config"
	"triage/actions/wording"
	"triage/ledger"
)

// Exit codes (design §8).
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
	exitChanged = 4
)

// usageError is a command line that can't be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(err error) error { return &usageError{err} }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// failedError ends a command with exit code 1 after it has printed everything.
type failedError struct{ text string }

func (e *failedError) Error() string { return e.text }

func exitCode(err error) int {
	var refusal *actions.Refusal
	var bad *usageError
	var configuration *config.Error
	var sweep *sweepError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &sweep):
		return sweep.exitCode()
	case errors.As(err, &refusal):
		return map[actions.RefusalKind]int{
			actions.Denied: exitRefused, actions.Changed: exitChanged, actions.Failed: exitFailed, actions.Unusable: exitUsage,
		}[refusal.Kind]
	case errors.As(err, &bad), errors.As(err, &configuration),
		errors.Is(err, ledger.ErrNotALedger), errors.Is(err, ledger.ErrNewerSchema), errors.Is(err, ledger.ErrOlderSchema),
		errors.Is(err, ledger.ErrReadOnly):
		return exitUsage
	}
	return exitFailed
}

// printError writes an error for a person: what happened, what it means for the
// delivery, what to do now.
func printError(w io.Writer, err error) {
	var refusal *actions.Refusal
	var quiet *failedError
	switch {
	case errors.As(err, &refusal):
		_, _ = fmt.Fprintf(w, "triage: %s: %s\n", wording.Safe(refusal.Code), wording.Safe(refusal.What))
		for _, line := range []string{refusal.Means, refusal.Do} {
			if line != "" {
				_, _ = fmt.Fprintf(w, "  %s\n", wording.Safe(line))
			}
		}
	case errors.As(err, &quiet):
		_, _ = fmt.Fprintf(w, "triage: %s\n", wording.Safe(quiet.text))
	case errors.Is(err, syscall.EPIPE): // whoever read this has left: nobody is there to be told
	case errors.Is(err, context.Canceled):
		_, _ = fmt.Fprintln(w, "triage: interrupted. What was begun is finished or undone; nothing is half done.")
	default:
		_, _ = fmt.Fprintf(w, "triage: %s\n", wording.SafeBlock(err.Error()))
	}
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q is not a command of triage; see `triage --help`", args[0])
	}
	return nil
}

func oneKey(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s wants exactly one KEY; see `triage %s --help`", cmd.Name(), cmd.Name())
	}
	return nil
}

func someKeys(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s wants at least one KEY; see `triage %s --help`", cmd.Name(), cmd.Name())
	}
	return nil
}
