package worlds

import (
	"fmt"
	"io"
	"strings"
)

// Names lists the rows of the second table, which Replay takes.
func Names() []string {
	var names []string
	for _, t := range append(append([]*twist{}, leftOut...), falsePromises...) {
		names = append(names, t.name)
	}
	return names
}

func twistNamed(name string) (*twist, bool) {
	for _, t := range append(append([]*twist{}, leftOut...), falsePromises...) {
		if t.name == name {
			return t, true
		}
	}
	return nil, name == ""
}

// Replay plays the world of a seed with robot (c) and prints its timeline: what really
// happened beside what each party saw. Without names a row of the second table; "" is
// none. It reports whether harm was done.
func Replay(seed uint64, without string, out io.Writer) (harm bool, err error) {
	t, ok := twistNamed(without)
	if !ok {
		return false, fmt.Errorf("no row of the second table is named %q; there are %s", without, strings.Join(Names(), ", "))
	}
	var log []string
	w := newWorld(seed, letter{}, t)
	w.log = &log
	w.books = newMemory(w)
	w.play()
	j := w.judgeWorld()
	lines := append(w.describe(), "")
	lines = append(lines, log...)
	lines = append(lines, "", j.sentence())
	_, err = io.WriteString(out, strings.Join(lines, "\n")+"\n")
	return j.harm() > 0, err
}

// describe tells the nature of a world.
func (w *world) describe() []string {
	n, p := &w.nature, w.nature.terms.Promises
	promise := func(name string, known bool, ms int64) string {
		if !known {
			return fmt.Sprintf("%s: not promised (really %s)", name, strings.TrimSpace(w.moment(ms)))
		}
		return fmt.Sprintf("%s: %s", name, strings.TrimSpace(w.moment(ms)))
	}
	lines := []string{
		fmt.Sprintf("World of seed %d. Times are true ones, since the world began; verdicts speak in their own clocks, from 2150 on.", n.seed),
		"  " + strings.Join([]string{promise("attempt_timeout", p.AttemptTimeout != nil, n.T), promise("settles_within", p.SettlesWithin != nil, n.S),
			promise("lookup_lag", p.LookupLag != nil, n.G)}, ", "),
		"  " + strings.Join([]string{promise("key_retention", p.KeyRetention != nil, n.R), promise("lookup_retention", p.LookupRetention != nil || p.KeyRetention != nil, n.LR),
			promise("clock_skew", true, n.K)}, ", "),
		fmt.Sprintf("  same_key: %q, absence_is_proof: %t, found_is_final: %t, refusal_is_final: %t, canary: %q, lookup_by: %s", p.SameKey, p.AbsenceIsProof, p.FoundIsFinal, p.RefusalIsFinal, p.Canary, p.LookupBy),
	}
	if n.since >= 0 {
		lines = append(lines, fmt.Sprintf("  all of this only since %s", strings.TrimSpace(w.moment(n.since))))
	}
	if w.twist != nil {
		lines = append(lines, "  without: "+w.twist.what)
	}
	for _, t := range n.troubles {
		lines = append(lines, fmt.Sprintf("  from %s to %s lookups meet: %s", strings.TrimSpace(w.moment(t.from)), strings.TrimSpace(w.moment(t.to)), t.kind))
	}
	clocks := append([]*clock{w.receiverClock}, w.senders...)
	for _, o := range w.operators {
		clocks = append(clocks, o.clock)
	}
	for _, c := range clocks {
		line := fmt.Sprintf("  clock of %s: %+d ms", c.name, c.ahead)
		if c.setAt >= 0 {
			line += fmt.Sprintf(", from %s on %+d ms", strings.TrimSpace(w.moment(c.setAt)), c.thereon)
		}
		lines = append(lines, line)
	}
	return lines
}

// sentence is the oracle's word.
func (j judgement) sentence() string {
	if j.harm() == 0 {
		return fmt.Sprintf("The oracle: no harm. %d deliveries, %d came into doubt, %d still are.", j.Lines, j.Incidents, j.InDoubt)
	}
	return fmt.Sprintf("The oracle: HARM. %d duplicates, %d recorded as delivered and never were, %d given up although wanted, %d recorded as failed and delivered.",
		j.Duplicates, j.FalseDone, j.Dropped, j.OverEffect)
}
