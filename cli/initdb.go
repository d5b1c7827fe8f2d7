package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"triage/actions/wording"
	"triage/ledger/sqlite"
)

func (p Program) initCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make a new ledger, or bring an older one to this schema",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.db == "" {
				return usagef("--db is missing: name the ledger to make, as in `triage --db ledger.db init`")
			}
			if f.readOnly {
				return usagef("init writes, and --read-only forbids that. Nothing was done")
			}
			m, err := sqlite.Init(cmd.Context(), f.db)
			if err != nil {
				return err
			}
			if f.json {
				return printJSON(p.Out, map[string]any{"path": m.Path, "schema_from": m.From, "schema": m.To})
			}
			text := fmt.Sprintf("Made the ledger %s, schema version %d.", wording.Safe(m.Path), m.To)
			switch {
			case m.From == m.To:
				text = fmt.Sprintf("%s is a ledger with schema version %d already. Nothing was changed.", wording.Safe(m.Path), m.To)
			case m.From > 0:
				text = fmt.Sprintf("Brought the ledger %s from schema version %d to %d.", wording.Safe(m.Path), m.From, m.To)
			}
			_, err = fmt.Fprintln(p.Out, text)
			return err
		},
	}
}
