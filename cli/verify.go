package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"triage/actions/wording"
	"triage/ledger"
)

func (p Program) verifyCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check the whole ledger: the file, the journal, the decision chain",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			looking := *f // it reads only, and opens what nobody should write to
			looking.readOnly = true
			s, err := p.open(cmd.Context(), &looking)
			if err != nil {
				return err
			}
			defer s.close()
			report, err := s.ledger.Verify(cmd.Context())
			if err != nil {
				return err
			}
			report.Findings = orEmpty(report.Findings)
			if f.json {
				err = printJSON(p.Out, struct {
					OK bool `json:"ok"`
					ledger.VerifyReport
				}{len(report.Findings) == 0, report})
			} else {
				err = p.printReport(report)
			}
			if err == nil && len(report.Findings) > 0 {
				err = &failedError{fmt.Sprintf("verify found %s. Trust no decision that rests on what it names until someone has looked",
					wording.Count(len(report.Findings), "thing wrong", "things wrong"))}
			}
			return err
		},
	}
}

func (p Program) printReport(r ledger.VerifyReport) error {
	for _, found := range r.Findings {
		where := found.Check
		if found.OpKey != "" {
			where += " " + found.OpKey
		}
		if _, err := fmt.Fprintf(p.Out, "WRONG  %s: %s\n", wording.Safe(where), wording.Safe(found.Detail)); err != nil {
			return err
		}
	}
	if len(r.Findings) > 0 {
		return nil
	}
	_, err := fmt.Fprintf(p.Out, "All in order: %s, %s, %s of the journal.\nHead of the decision chain: %s\n",
		wording.Count(int(r.Intents), "intent", "intents"), wording.Count(int(r.Decisions), "decision", "decisions"),
		wording.Count(int(r.Events), "event", "events"), r.Head)
	return err
}
