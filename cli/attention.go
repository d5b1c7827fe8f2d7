package cli

import (
	"context"

	"github.com/spf13/cobra"

	"triage/actions"
)

func (p Program) setAsideCommand(f *flags) *cobra.Command {
	cmd := p.reasonCommand(f, "set-aside KEY --reason T", "Take an open intent out of the queue; its state stays, and sweeps go on asking",
		"why nothing more can be found out, and who knows of it", (*actions.Desk).SetAside)
	cmd.Long = `Take an open intent out of the queue; its state stays, and sweeps go on asking where it was ever sent. It is the way out for
conflicts, and for receivers that can never prove anything. It can still be settled, and it comes
back by itself if evidence contradicts what was decided about it.`
	return cmd
}

func (p Program) acknowledgeCommand(f *flags) *cobra.Command {
	cmd := p.reasonCommand(f, "acknowledge KEY --reason T", "Say that a contradiction was dealt with; it leaves the top of the queue",
		"what was done about it", (*actions.Desk).Acknowledge)
	cmd.Long = `Say that a contradiction was dealt with; the intent leaves the top of the queue. Where a new intent has
taken its place, that one may be sent again from then on: if this one was delivered after all, that is
a duplicate. Look at the new intent first, and close it if it is not to be sent.`
	return cmd
}

func (p Program) disputeCommand(f *flags) *cobra.Command {
	var a actFlags
	var receipt string
	cmd := &cobra.Command{
		Use:   "dispute KEY --reason T [--receipt R]",
		Short: "Take back a wrong receipt; the intent is contradicted until somebody acknowledges that",
		Long: `Take back a wrong receipt; the intent is contradicted until somebody acknowledges that. DELIVERED stays
DELIVERED. What names the receipt proves nothing any more, and only a lookup that begins from then
on can prove that it was not delivered.`,
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.decide(f, cmd, args[0], a.version, func(ctx context.Context, d *actions.Desk, seen actions.Seen) (actions.Done, error) {
				return d.Dispute(ctx, actions.DisputeRequest{Request: request(args, seen, a), Receipt: receipt})
			})
		},
	}
	a.add(cmd, "how you know that it is wrong")
	cmd.Flags().StringVar(&receipt, "receipt", "", "the receipt that is wrong; without it, the one that the intent holds")
	return cmd
}
