package worlds

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"triage/actions/wording"
)

// Print writes the report as tables for people.
func (r Report) Print(out io.Writer) error {
	var b bytes.Buffer
	if r.Stopped {
		_, _ = fmt.Fprintf(&b, "Interrupted: these are the figures so far.\n\n")
	}
	r.printRobots(&b)
	r.printLedgers(&b)
	printRows(&b, "WITHOUT", r.LeftOut)
	printRows(&b, "FALSE PROMISE", r.FalsePromises)
	_, _ = fmt.Fprintln(&b, "A row ends as soon as it has shown enough harm, so rows are not to be compared with each other.\nCONTROL is the harm in the same worlds with nothing left out. A row that says “no harm shown” is tested by no world.")
	r.printFailing(&b)
	_, err := out.Write(b.Bytes())
	return err
}

func count(n int) string { return humanize.Comma(int64(n)) }

func long(ms int64) string { return wording.Duration(time.Duration(ms) * time.Millisecond) }

func (r Report) printRobots(b *bytes.Buffer) {
	_, _ = fmt.Fprintf(b, "%s worlds, seed %d; every promise kept to the letter and no further\n\n", count(r.Worlds), r.Seed)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ROBOT\tWORLDS\tDUPLICATES\tLOSSES\tFAILED, BUT DELIVERED\tFALSE PROOFS\tINCIDENTS\tIN DOUBT\tOF THOSE COULD SETTLE\tSETTLED OF WHAT CAN BE\tMEDIAN\tP95")
	for _, x := range r.Robots {
		_, _ = fmt.Fprintf(w, "(%s) %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Name, x.What, count(x.Worlds), count(x.Duplicates), count(x.Losses),
			count(x.FailedDelivered), count(x.FalseProofs), count(x.Incidents), count(x.InDoubt), count(x.CouldSettle), x.share(), long(x.Settle.P50), long(x.Settle.P95))
	}
	_ = w.Flush()
}

// share is what was settled of what can be; nothing was if nothing came into doubt.
func (r RobotRow) share() string {
	if r.Incidents == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*r.SettledShare)
}

func (r Report) printLedgers(b *bytes.Buffer) {
	s := r.LedgerShare
	_, _ = fmt.Fprintf(b, "\n(c) through real ledgers and the real actions: %s worlds, %s duplicates, %s losses, %s failed, but delivered, %s false proofs; %s came out otherwise than in memory.\n",
		count(s.Worlds), count(s.Duplicates), count(s.Losses), count(s.FailedDelivered), count(s.FalseProofs), count(len(s.Differing)))
	if s.Error != "" {
		_, _ = fmt.Fprintf(b, "They ended early: %s\n", wording.Safe(s.Error))
	}
}

func printRows(b *bytes.Buffer, title string, rows []TwistRow) {
	_, _ = fmt.Fprintln(b)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "(c) %s\t\tWORLDS\tDUPLICATES\tLOSSES\tFAILED, BUT DELIVERED\tFALSE PROOFS\tCONTROL\tFIRST SEED\n", title)
	for _, x := range rows {
		seed, note := fmt.Sprint(x.Seed), ""
		if x.Seed == 0 {
			seed = ""
		}
		switch {
		case x.NeedlessDoubt > 0:
			note = fmt.Sprintf("  %s left in doubt, though a receipt was there", count(x.NeedlessDoubt))
		case x.Recorded != 0:
			note = fmt.Sprintf("  no harm in these; the recorded world of seed %d shows it", x.Recorded)
		case !x.Harmful:
			note = "  no harm shown"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s%s\n", x.Name, x.What, count(x.Worlds), count(x.Duplicates), count(x.Losses), count(x.FailedDelivered), count(x.FalseProofs),
			count(x.Control), seed, note)
	}
	_ = w.Flush()
}

func (r Report) printFailing(b *bytes.Buffer) {
	for _, seed := range r.FailingSeeds {
		_, _ = fmt.Fprintf(b, "HARM with true promises: triage drill --worlds 1 --seed %d\n", seed)
	}
	for _, row := range slices.Concat(r.LeftOut, r.FalsePromises) {
		if row.Control > 0 && !row.ControlLies {
			_, _ = fmt.Fprintf(b, "HARM with true promises, in the worlds drawn for %s: seed %d\n", row.Name, row.ControlSeed)
		}
	}
	for _, seed := range r.LedgerShare.Differing {
		_, _ = fmt.Fprintf(b, "Otherwise on a real ledger: triage drill --worlds 1 --seed %d\n", seed)
	}
}
