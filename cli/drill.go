package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"triage/cli/drill"
)

func (p Program) drillCommand(f *flags) *cobra.Command {
	var dir, output string
	var experiment bool
	var sim simulation
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "The fire drill: real deliveries that lost their answer, to practise on",
		Long: `Start a real receiver on loopback that commits and then cuts the connection, and senders that
really time out, and open the screen on the ledger that results. Without a terminal the same job
is played through as commands. Nothing outside the drill's own directory is touched.

With --worlds N random incidents are simulated in virtual time instead, and an oracle that knows
the truth counts duplicates and losses (docs/worlds.md). --worlds 1 --seed S tells the world of a
seed as a timeline. The exit code is 1 if following the verdict did harm although every promise held.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.db != "" || f.config != "" || f.readOnly:
				return usagef("drill makes a ledger and a configuration of its own; leave out --db, --config and --read-only")
			case sim.asked(cmd):
				if experiment || dir != "" || output != "" {
					return usagef("--worlds goes without --experiment, --output and --dir")
				}
				return p.simulate(cmd.Context(), sim, f.json)
			case f.json:
				return usagef("drill plays for a person; for figures use --experiment --output FILE, or --worlds N --json")
			case experiment && dir != "":
				return usagef("--dir goes with the drill, not with --experiment, whose databases go when it ends")
			}
			if experiment {
				return drill.Experiment(cmd.Context(), p.Out, output)
			}
			if output != "" {
				return usagef("--output goes with --experiment")
			}
			return p.drill(cmd.Context(), dir, f.plain)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "keep the drill's files in this `directory`; without it they go when the drill ends")
	cmd.Flags().BoolVar(&experiment, "experiment", false, "measure what each way of trying again costs, and print the table")
	cmd.Flags().StringVar(&output, "output", "", "with --experiment: write the results to this JSON `file` too")
	sim.flags(cmd)
	return cmd
}

func (p Program) drill(ctx context.Context, dir string, plain bool) (err error) {
	scene, err := drill.Build(ctx, dir, p.Err)
	if err != nil {
		return err
	}
	defer func() {
		if closed := scene.Close(); err == nil {
			err = closed
		}
	}()
	inside := p
	inside.Getenv = scene.Getenv
	if p.HasTerminal != nil && p.HasTerminal() {
		if err := inside.screen(ctx, &flags{db: scene.LedgerPath, config: scene.ConfigPath, plain: plain}); err != nil {
			return err
		}
		return p.afterwards(ctx, scene, dir)
	}
	inside.Err = p.Out // so that a refusal stands below the command that met it
	return drill.Walk(ctx, scene, func(args ...string) int {
		return inside.Run(ctx, append([]string{"--db", scene.LedgerPath, "--config", scene.ConfigPath}, args...))
	}, p.Out)
}

// afterwards tells what really happened, once the screen is closed.
func (p Program) afterwards(ctx context.Context, scene *drill.Scene, dir string) error {
	if err := scene.Debrief(context.WithoutCancel(ctx), p.Out); err != nil {
		return err
	}
	if dir == "" {
		return nil
	}
	_, err := fmt.Fprintf(p.Out, "\nThe files are kept in %s; the receiver has stopped. To look again:\n  %s\n  triage --db %s --config %s\n",
		scene.Dir, scene.Export(), scene.LedgerPath, scene.ConfigPath)
	return err
}
