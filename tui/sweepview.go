package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// sweepView shows a sweep while it runs, and then what it came to.
type sweepView struct {
	pager
	quiet quiet
	ended bool // there is nothing to stop any more
}

func (m *Model) openSweepView() {
	m.over = &sweepView{pager: pager{text: (*Model).sweepLines}, quiet: newQuiet(m.asks.clock(), m.options.Quiet)}
}

func (v *sweepView) press(m *Model, k tea.KeyPressMsg) tea.Cmd {
	listening, _ := v.quiet.heard(m.asks.clock())
	switch name := k.String(); {
	case name == "esc":
	case !listening:
		return nil // the Enter that confirmed it may still be held
	case name == "s":
		m.stopSweep()
		return nil
	case name == "L" && !m.sweep.running:
		m.sweep.seen = true
		return m.openSweep()
	}
	cmd := v.pager.press(m, k)
	if m.over == nil {
		m.sweep.seen = !m.sweep.running
		if m.sweep.running {
			m.status = hint("The sweep goes on. L shows it again.")
		}
	}
	return cmd
}

func (v *sweepView) paste(m *Model, _ string) { v.quiet.heard(m.asks.clock()) }

func (v *sweepView) lines(m *Model, width, height int) ([]line, *tea.Position) {
	v.title, v.ended = "Sweep", !m.sweep.running
	switch s := m.sweep; {
	case s.stopping:
		v.title += ", stopping"
	case s.running:
		v.title += ", under way"
	case s.err != nil:
		v.title += ", broken off"
	case s.report.Asked < s.report.Of:
		v.title += ", stopped"
	default:
		v.title += ", done"
	}
	return v.pager.lines(m, width, height)
}

func (v *sweepView) hints() string {
	if v.ended {
		return "esc back · L another sweep · j/k scroll"
	}
	return "s stop after this question · esc back, it goes on · j/k scroll"
}

// sweepLines are all that is to be said about the sweep: contradictions first.
func (m *Model) sweepLines(width int) []line {
	s := &m.sweep
	out := m.contradictionLines(s.progress.contradicted, width)
	if s.running {
		out = append(out, m.runningLines(width)...)
	} else {
		out = append(out, m.endedLines(width)...)
	}
	out = append(out, nil)
	out = append(out, m.tallyLines(width)...)
	if n := len(s.plan.Skipped); n > 0 {
		out = append(out, nil)
		out = append(out, m.skippedLines(s.plan.Skipped, width)...)
	}
	return out
}

// contradictionLines name what a sweep found against what had been decided.
func (m *Model) contradictionLines(keys []string, width int) []line {
	if len(keys) == 0 {
		return nil
	}
	t := m.theme
	out := wrapped("! "+wording.Count(len(keys), "decision is", "decisions are")+" contradicted by what was found. They stand first in the queue now:", width, t.danger)
	for _, key := range keys {
		out = append(out, labelled("  !", 4, t.danger, wrapped(wording.Safe(key), width-4, t.strong))...)
	}
	return append(out, nil)
}

func (m *Model) runningLines(width int) []line {
	t := m.theme
	s := &m.sweep
	p := s.progress
	out := []line{m.progressBar(p, min(width, 60))}
	out = append(out, wrapped(fmt.Sprintf("%s of %s asked. Every answer goes on record as it comes; nothing is sent.",
		wording.Number(int64(p.asked)), wording.Number(int64(p.of))), width, t.plain)...)
	switch {
	case s.stopping:
		out = append(out, wrapped("Stopping: the question under way is finished and recorded first.", width, t.warn)...)
	default:
		for _, wait := range p.waiting(m.now) {
			out = append(out, wrapped("Waiting for "+m.waitingWords(wait)+".", width, t.warn)...)
		}
	}
	if p.last != nil {
		out = append(out, labelled("last", labelWidth, t.muted, wrapped(m.stepWords(*p.last), width-labelWidth, t.plain))...)
	}
	return out
}

// waitingWords say whom a sweep waits for, until when and how long still.
func (m *Model) waitingWords(w sweepWait) string {
	return wording.Safe(w.target) + " until " + m.when(wholeSecond(w.until)) + ", " + wording.Wait(w.until.Sub(m.now)) + " more"
}

func (m *Model) progressBar(p sweepProgress, width int) line {
	done := 0
	if p.of > 0 {
		done = width * p.asked / p.of
	}
	return line{{strings.Repeat(m.theme.glyphs.span, done), m.theme.accent}, {strings.Repeat(m.theme.glyphs.open, width-done), m.theme.muted}}
}

// stepWords say what one question came to.
func (m *Model) stepWords(step actions.SweepStep) string {
	about := wording.FitMiddle(wording.Safe(step.Item.OpKey), 40) + ": "
	if step.Err != nil {
		return about + m.said(refusalText(step.Err))
	}
	return about + m.said(step.Done.Text)
}

func (m *Model) endedLines(width int) []line {
	t := m.theme
	s := &m.sweep
	var out []line
	asked := fmt.Sprintf("%s of %s asked.", wording.Number(int64(s.report.Asked)), wording.Number(int64(s.report.Of)))
	switch {
	case s.err != nil:
		cause, remedy := plainCause(s.err)
		out = append(out, wrapped("! It broke off. "+cause+". "+strings.TrimPrefix(remedy, "It is tried again every second."), width, t.danger)...)
		out = append(out, wrapped("What had been answered by then is in the ledger.", width, t.plain)...)
	case s.report.Asked < s.report.Of:
		out = append(out, wrapped("Stopped: "+asked+" Their answers are in the ledger.", width, t.strong)...)
	default:
		out = append(out, wrapped("Done: "+asked, width, t.strong)...)
	}
	if n := s.report.Meanwhile; n > 0 {
		out = append(out, wrapped("Somebody else had asked about "+wording.Count(n, "intent", "intents")+" since it was counted; what they learnt was taken.", width, t.plain)...)
	}
	if words := m.resumeWords(); words != "" {
		out = append(out, wrapped(words, width, t.plain)...)
	}
	return out
}

// resumeWords say how a sweep that did not get to its end goes on.
func (m *Model) resumeWords() string {
	switch s := &m.sweep; {
	case s.back > 0:
		return "What was not asked, or could not be, is marked again: L goes on with it."
	case !s.resumable().IsNone():
		return "L goes on with the rest: it leaves out what has been asked since " + m.when(s.resumable()) + "."
	}
	return ""
}

// tally is the counts of a sweep, in the order in which they matter.
func (s *sweep) tally() []tallied {
	r := s.report
	if s.running || s.err != nil {
		r = s.progress.counts
	}
	return []tallied{
		{r.Contradicted, "contradicted", "what was decided is wrong"},
		{r.Conflicts, "conflicting", "something was found that is not provably this delivery"},
		{r.Delivered, "delivered", "the receiver has it"},
		{r.Absent, "proven absent", "the receiver does not have it"},
		{r.Refused, "refused", "the receiver refused it for good"},
		{r.Inconclusive, "not conclusive", "nothing is proven yet"},
		{r.Failed, "failed", "the lookup failed: that tells nothing"},
	}
}

type tallied struct {
	n           int
	name, means string
}

func (m *Model) tallyLines(width int) []line {
	t := m.theme
	const countCells, nameCells = 7, 16
	var out []line
	for i, c := range m.sweep.tally() {
		style := t.plain
		if c.n > 0 && i < 2 {
			style = t.danger
		}
		head := line{{wording.Pad(fmt.Sprintf("%5s", wording.Number(int64(c.n))), countCells), style}, {wording.Pad(c.name, nameCells), style}}
		out = append(out, append(head, span{wording.Fit(c.means, width-countCells-nameCells), t.muted}))
	}
	return out
}

// sweepResult says at the foot what a sweep came to.
func (m *Model) sweepResult() status {
	s := &m.sweep
	words := "The sweep has ended: " + m.sweepCounts() + ". L shows the report."
	if s.err != nil {
		cause, _ := plainCause(s.err)
		return trouble("The sweep broke off: "+cause+". L shows how far it came.", m.now)
	}
	if s.report.Contradicted > 0 {
		return trouble(words, m.now)
	}
	return result(words, m.now)
}

// sweepCounts are the counts that are not zero, in one line.
func (m *Model) sweepCounts() string {
	parts := []string{fmt.Sprintf("%s of %s asked", wording.Number(int64(m.sweep.report.Asked)), wording.Number(int64(m.sweep.report.Of)))}
	for _, c := range m.sweep.tally() {
		if c.n > 0 {
			parts = append(parts, wording.Number(int64(c.n))+" "+c.name)
		}
	}
	return strings.Join(parts, ", ")
}

// activityShown: what lies over a low screen needs every line, and where the sweep
// itself is shown no line has to tell of it.
func (m *Model) activityShown() bool {
	_, watched := m.over.(*sweepView)
	return !watched && (m.over == nil || m.height >= lowHeight)
}

// activityLine tells of a sweep that runs or has ended unseen, and of the marks; nil
// where there is neither.
func (m *Model) activityLine(width int) line {
	t := m.theme
	s := &m.sweep
	var left line
	right := text("L shows it", t.accent)
	switch {
	case s.running:
		left = line{{fmt.Sprintf("Sweep: %s of %s asked", wording.Number(int64(s.progress.asked)), wording.Number(int64(s.progress.of))), t.strong}}
		if n := len(s.progress.contradicted); n > 0 {
			left = append(left, span{fmt.Sprintf(", ! %d contradicted", n), t.danger})
		}
		if s.stopping {
			left = append(left, span{", stopping", t.warn})
		} else if waits := s.progress.waiting(m.now); len(waits) > 0 {
			words := ", waiting for " + m.waitingWords(waits[0])
			if len(waits) > 1 {
				words += fmt.Sprintf(" and for %d more", len(waits)-1)
			}
			left = append(left, span{words, t.warn})
		}
	case s.n > 0 && !s.seen:
		left = line{{"Sweep ended: " + m.sweepCounts(), t.strong}}
	case len(m.marks.keys) > 0:
		right = text("L looks them up  u unmarks all", t.accent)
	}
	if words := m.markedWords(); words != "" {
		if len(left) > 0 {
			words = "  " + t.glyphs.dot + " " + words
		}
		left = append(left, span{words, t.warn})
	}
	if len(left) == 0 {
		return nil
	}
	if room := width - right.width() - 2; left.width() > room {
		left = left.cut(room)
	}
	return both(left, right, width)
}

// skippedLines say what a sweep leaves out, and why.
func (m *Model) skippedLines(skipped []actions.SweepSkip, width int) []line {
	t := m.theme
	type group struct{ target, why string }
	keys := map[group][]string{}
	var order []group
	for _, skip := range skipped {
		g := group{skip.Target, skip.Why}
		if keys[g] == nil {
			order = append(order, g)
		}
		keys[g] = append(keys[g], skip.OpKey)
	}
	out := wrapped("Left out: "+wording.Count(len(skipped), "intent", "intents"), width, t.strong)
	for _, g := range order {
		words := m.said(strings.TrimSuffix(g.why, ".")) + ": "
		if g.target != "" {
			words = wording.Safe(g.target) + ": " + words
		}
		out = append(out, labelled("  "+t.glyphs.dot, 4, t.muted, wrapped(words+someKeys(keys[g]), width-4, t.plain))...)
	}
	return out
}

// someKeys are the first of several keys, and how many more there are.
func someKeys(keys []string) string {
	const most = 5
	safe := make([]string, min(len(keys), most))
	for i := range safe {
		safe[i] = wording.FitMiddle(wording.Safe(keys[i]), 60)
	}
	words := strings.Join(safe, ", ")
	if rest := len(keys) - len(safe); rest > 0 {
		words += fmt.Sprintf(" and %s more", wording.Number(int64(rest)))
	}
	return words
}

// whyWords say why a sweep asks about an intent.
var whyWords = map[actions.SweepWhy]string{
	actions.SweepContradicted: "contradicted",
	actions.SweepUnknown:      string(ledger.Unknown),
	actions.SweepStuck:        "stuck " + string(ledger.Pending),
	actions.SweepAhead:        "with a clock ahead",
	actions.SweepSetAside:     "set aside",
	actions.SweepSnoozed:      "snoozed",
	actions.SweepClosed:       "closed as not delivered",
	actions.SweepReplaced:     "replaced by a new intent",
	actions.SweepMarkedByHand: "marked delivered by hand",
	actions.SweepChosen:       "chosen by key",
}

var whyOrder = []actions.SweepWhy{
	actions.SweepContradicted, actions.SweepUnknown, actions.SweepStuck, actions.SweepAhead, actions.SweepSetAside, actions.SweepSnoozed,
	actions.SweepClosed, actions.SweepReplaced, actions.SweepMarkedByHand, actions.SweepChosen,
}

// whyCounts count the items of a plan by why they are asked about.
func whyCounts(items []actions.SweepItem) string {
	counts := map[actions.SweepWhy]int{}
	for _, item := range items {
		counts[item.Why]++
	}
	var parts []string
	for _, why := range whyOrder {
		if n := counts[why]; n > 0 {
			parts = append(parts, wording.Number(int64(n))+" "+whyWords[why])
		}
		delete(counts, why)
	}
	other := 0
	for _, n := range counts {
		other += n
	}
	if other > 0 {
		parts = append(parts, wording.Number(int64(other))+" for another reason")
	}
	return wording.List(slices.Clip(parts))
}
