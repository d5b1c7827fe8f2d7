package drill

import (
	"context"
	"fmt"
	"io"
	"strings"

	"triage/actions/wording"
	"triage/ledger"
)

// maxLineage bounds how many successors of one intent the debrief follows.
const maxLineage = 100

// debriefWidth is the debrief's width in terminal cells: it fits where the screen
// does.
const debriefWidth = 78

// Debrief judges what was done about each delivery: counted at the receiver, read
// in the ledger and held against what was right. What was decided and not sent
// yet is sent first, so that a quick leave isn't taken for a job undone.
func (s *Scene) Debrief(ctx context.Context, out io.Writer) error {
	all, err := s.judgements(ctx)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, debriefText(all))
	return err
}

func (s *Scene) judgements(ctx context.Context) ([]judgement, error) {
	_ = s.courier.round(ctx) // what can't be sent stays open, and is told so
	all := make([]judgement, 0, len(fates))
	for _, f := range fates {
		end, err := s.ending(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, judge(f, end, ledger.WallClock()))
	}
	return all, nil
}

// ending follows a delivery through its successors on both sides.
func (s *Scene) ending(ctx context.Context, f fate) (ending, error) {
	var e ending
	for key := f.OpKey; key != "" && len(e.lineage) < maxLineage; key = e.last().Intent.SupersededBy {
		var at step
		var err error
		if at.History, err = s.world.books.History(ctx, key, ledger.WallClock()); err != nil {
			return ending{}, err
		}
		if at.got, at.found, err = s.Receiver.Get(ctx, key); err != nil {
			return ending{}, err
		}
		e.lineage = append(e.lineage, at)
	}
	var err error
	e.copies, err = s.Receiver.Copies(ctx, contentHash([]byte(f.body)))
	return e, err
}

// debriefText is one line for each delivery, the story of what did not end as it
// should have, and one line that sums up.
func debriefText(all []judgement) string {
	keys := 0
	for _, j := range all {
		keys = max(keys, wording.Width(j.fate.OpKey))
	}
	var t strings.Builder
	t.WriteString("What really happened:   ✓ right   – open or not delivered   ✗ wrong\n\n")
	for _, j := range all {
		hanging(&t, string(j.mark)+" "+wording.Pad(j.fate.OpKey, keys)+"  ", j.words)
		if j.mark != markRight {
			hanging(&t, "    What happened:  ", j.fate.Story)
			hanging(&t, "    What was right: ", j.fate.Right)
		}
	}
	t.WriteString("\n")
	hanging(&t, "", summary(all))
	return t.String()
}

// hanging writes a text whose lines all begin to the right of its label.
func hanging(t *strings.Builder, label, text string) {
	indent := wording.Width(label)
	for _, line := range wording.Wrap(text, debriefWidth-indent) {
		fmt.Fprintf(t, "%s%s\n", label, line)
		label = strings.Repeat(" ", indent)
	}
}

// summary counts, and names what went wrong.
func summary(all []judgement) string {
	settled := 0
	var duplicates, lost, wrong []string
	for _, j := range all {
		if j.settled {
			settled++
		}
		switch {
		case j.duplicate:
			duplicates = append(duplicates, j.fate.OpKey)
		case j.lost:
			lost = append(lost, j.fate.OpKey)
		case j.mark == markWrong:
			wrong = append(wrong, j.fate.OpKey)
		}
	}
	text := fmt.Sprintf("%d of %d settled, ", settled, len(all)) +
		tally("duplicate", "duplicates", duplicates) + tally("lost", "lost", lost)
	if len(wrong) > 0 {
		text += tally("wrong", "wrong", wrong)
	}
	return strings.TrimRight(text, ",; ")
}

// tally is one number of the summary with the keys that it counts. The comma
// joins numbers, a semicolon ends a list of keys.
func tally(one, many string, keys []string) string {
	counted := wording.Count(len(keys), one, many)
	if len(keys) == 0 {
		return counted + ", "
	}
	return counted + ": " + strings.Join(keys, ", ") + "; "
}
