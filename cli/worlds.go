package cli

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"triage/cli/drill/worlds"
)

// simulation are the flags of `triage drill --worlds`.
type simulation struct {
	worlds, ledgerEvery, rows int
	seed                      uint64
	without                   string
}

func (s *simulation) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&s.worlds, "worlds", 0, "simulate `N` random incidents; 1: tell one as a timeline")
	cmd.Flags().Uint64Var(&s.seed, "seed", 1, "with --worlds: the `seed` that everything is drawn from")
	cmd.Flags().IntVar(&s.ledgerEvery, "ledger-every", 90, "with --worlds: play one world in `N` through a real ledger as well")
	cmd.Flags().IntVar(&s.rows, "rows", 0, "with --worlds: at most `N` worlds for each row of the second table (default: as many as --worlds, up to 20,000)")
	cmd.Flags().StringVar(&s.without, "without", "", "with --worlds 1: leave out what this `row` of the second table leaves out")
}

// asked says that one of the flags was given.
func (s *simulation) asked(cmd *cobra.Command) bool {
	for _, name := range []string{"worlds", "seed", "ledger-every", "rows", "without"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

func (p Program) simulate(ctx context.Context, s simulation, asJSON bool) error {
	switch {
	case s.worlds < 1:
		return usagef("give --worlds a number of worlds, 1 or more")
	case s.ledgerEvery < 1 || s.rows < 0:
		return usagef("--ledger-every wants 1 or more, and --rows 0 or more")
	case s.without != "" && (s.worlds != 1 || asJSON):
		return usagef("--without goes with --worlds 1 and tells a timeline")
	case s.worlds == 1 && !asJSON:
		return p.replay(s)
	}
	report := worlds.Simulate(ctx, worlds.Options{Worlds: s.worlds, Seed: s.seed, LedgerEvery: s.ledgerEvery, Rows: s.rows}, p.Err)
	if err := printReport(p.Out, report, asJSON); err != nil {
		return err
	}
	switch {
	case report.Harm():
		return &failedError{"following the verdict did harm, or a ledger disagreed; the seeds are above. Nothing real was touched"}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return nil
}

func (p Program) replay(s simulation) error {
	harm, err := worlds.Replay(s.seed, s.without, p.Out)
	switch {
	case err != nil:
		return usage(err)
	case harm && s.without == "":
		return &failedError{"following the verdict did harm in this world. Nothing real was touched"}
	}
	return nil
}

func printReport(out io.Writer, report worlds.Report, asJSON bool) error {
	if !asJSON {
		return report.Print(out)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
