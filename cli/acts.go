package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// decide runs one deciding act on one key. The act is pinned to what this command
// read at its start, or to the version that a script saw (--version).
func (p Program) decide(f *flags, cmd *cobra.Command, key string, version int64,
	act func(context.Context, *actions.Desk, actions.Seen) (actions.Done, error),
) error {
	s, err := p.open(cmd.Context(), f)
	if err != nil {
		return err
	}
	defer s.close()
	item, err := s.desk.Item(cmd.Context(), key)
	if err != nil {
		return err
	}
	seen := item.Seen()
	if cmd.Flags().Changed("version") {
		if version < 1 {
			return usagef("--version %d is no version: versions count from 1. Nothing was done", version)
		}
		seen = actions.Seen{Version: version}
	}
	done, err := act(cmd.Context(), s.desk, seen)
	if err != nil {
		return err
	}
	if err := p.printDone(f, done); err != nil {
		return fmt.Errorf("it was done (%s), but could not be printed: %w", done.Text, err)
	}
	return nil
}

func (p Program) printDone(f *flags, done actions.Done) error {
	if f.json {
		return printJSON(p.Out, doneForm(done))
	}
	_, err := fmt.Fprintf(p.Out, "%s: %s\n", wording.Safe(done.Item.Intent.OpKey), wording.Safe(done.Text))
	return err
}

// actFlags are those of every deciding command.
type actFlags struct {
	reason  string
	version int64
}

func (a *actFlags) add(cmd *cobra.Command, why string) {
	cmd.Flags().StringVar(&a.reason, "reason", "", why)
	cmd.Flags().Int64Var(&a.version, "version", 0, "act only if the intent is still at this `version`; else what the command reads at its start is pinned")
	must(cmd, "reason")
}

// must marks a flag required; without it the command line is a usage error.
func must(cmd *cobra.Command, name string) {
	check := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed(name) {
			return usagef("%s wants --%s; see `triage %s --help`. Nothing was done", cmd.Name(), name, cmd.Name())
		}
		if check != nil {
			return check(cmd, args)
		}
		return nil
	}
}

func (p Program) deliverCommand(f *flags) *cobra.Command {
	var a actFlags
	var receipt, evidence string
	cmd := &cobra.Command{
		Use:   "deliver KEY --receipt R --reason T",
		Short: "Mark an intent delivered, with the receiver's receipt",
		Args:  oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.decide(f, cmd, args[0], a.version, func(ctx context.Context, d *actions.Desk, seen actions.Seen) (actions.Done, error) {
				return d.Deliver(ctx, actions.DeliverRequest{Request: request(args, seen, a), Receipt: receipt, Evidence: evidence})
			})
		},
	}
	a.add(cmd, "why you are sure")
	cmd.Flags().StringVar(&receipt, "receipt", "", "the receiver's own id for the delivery")
	cmd.Flags().StringVar(&evidence, "evidence", "", "where you saw it")
	must(cmd, "receipt")
	return cmd
}

func (p Program) reissueCommand(f *flags) *cobra.Command {
	var a actFlags
	var phrase, deadline string
	cmd := &cobra.Command{
		Use:   "reissue KEY --reason T",
		Short: "Make a new intent with a fresh key, after permissions are rechecked",
		Args:  oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			until, err := parseDeadline(deadline)
			if err != nil {
				return err
			}
			return p.decide(f, cmd, args[0], a.version, func(ctx context.Context, d *actions.Desk, seen actions.Seen) (actions.Done, error) {
				return d.Reissue(ctx, actions.ReissueRequest{Request: request(args, seen, a), AcceptDuplicate: phrase, DeadlineAt: until})
			})
		},
	}
	a.add(cmd, "why it is to be delivered anew")
	cmd.Flags().StringVar(&phrase, "accept-duplicate", "", "the `phrase` that accepts a possible duplicate, where it is owed; a refusal says which")
	cmd.Flags().StringVar(&deadline, "deadline", "", "no attempt of the new intent may start after this `time` (RFC 3339)")
	return cmd
}

func parseDeadline(text string) (ledger.Millis, error) {
	if text == "" {
		return 0, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, usagef("--deadline %q is not a time as in 2026-11-30T22:00:00Z. Nothing was done", text)
	}
	at := ledger.At(t)
	if at.IsNone() {
		return 0, usagef("--deadline %q has passed. Nothing was done", text)
	}
	return at, nil
}

func (p Program) retryCommand(f *flags) *cobra.Command {
	return p.reasonCommand(f, "retry KEY --reason T", "Let a sender try once more under the same key, where absence is proven",
		"why it is to be tried again", (*actions.Desk).Retry)
}

func (p Program) closeCommand(f *flags) *cobra.Command {
	return p.reasonCommand(f, "close KEY --reason T", "Close an intent as not delivered, where that is proven",
		"why it is not to be delivered any more", (*actions.Desk).Close)
}

func (p Program) noteCommand(f *flags) *cobra.Command {
	return p.reasonCommand(f, "note KEY --reason T", "Write down what others should know; nothing else changes",
		"the note", (*actions.Desk).Note)
}

// reasonCommand is a command for an act that wants nothing but a reason.
func (p Program) reasonCommand(f *flags, use, short, why string,
	act func(*actions.Desk, context.Context, actions.Request) (actions.Done, error),
) *cobra.Command {
	var a actFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.decide(f, cmd, args[0], a.version, func(ctx context.Context, d *actions.Desk, seen actions.Seen) (actions.Done, error) {
				return act(d, ctx, request(args, seen, a))
			})
		},
	}
	a.add(cmd, why)
	return cmd
}

func (p Program) abandonCommand(f *flags) *cobra.Command {
	var a actFlags
	var killed bool
	cmd := &cobra.Command{
		Use:   "abandon KEY --reason T [--sender-killed]",
		Short: "Give up an attempt that never finished; the intent becomes UNKNOWN",
		Long: `Give up an attempt that never finished; the intent becomes UNKNOWN. With --sender-killed you
state that its sender was killed and can send nothing more, and --reason says how you know: the
attempt then counts as ended now. Without it the attempt counts as ended only at its start +
attempt_timeout. The statement can be added later, by the same command.`,
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.decide(f, cmd, args[0], a.version, func(ctx context.Context, d *actions.Desk, seen actions.Seen) (actions.Done, error) {
				return d.Abandon(ctx, actions.AbandonRequest{Request: request(args, seen, a), SenderKilled: killed})
			})
		},
	}
	a.add(cmd, "what became of the sender, and how you know")
	cmd.Flags().BoolVar(&killed, "sender-killed", false, "you state that the sender was killed and can send nothing more")
	return cmd
}

func request(args []string, seen actions.Seen, a actFlags) actions.Request {
	return actions.Request{OpKey: args[0], Seen: seen, Reason: a.reason}
}
