package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"triage/actions/wording"
	"triage/ledger"
)

// announced is what the plain mode has announced, so that it tells of nothing twice and of
// every change once.
type announced struct {
	trouble  string
	counts   []string
	shown    view
	start    windowStart
	rows     map[string]string // by key; nil: nothing was read out yet
	last     ledger.Cursor     // of the last row
	more     bool
	selected string
	verdict  string // key, version and verdict of the intent that was told of
	status   string
	over     overlay
	sweep    int       // questions of the sweep that were told of
	sweptAt  time.Time // when
}

// tell announces, as new lines, what has changed since the last time. While a dialog
// asks, only what concerns it is told; the rest waits.
func (p *plain) tell() {
	if p.m.over != p.told.over {
		p.told.over, p.read = p.m.over, reading{}
	}
	p.tellOver()
	if p.asking != nil {
		return
	}
	p.tellTrouble()
	p.tellRows()
	p.tellSelected()
	p.tellSweep()
	if words := p.m.status.text; words != p.told.status {
		if p.told.status = words; words != "" {
			p.say(words)
		}
	}
}

// tellOver reads out what now lies over the screen. A dialog asks; what is only to be
// read is read out and gone; everything else is steered by lines.
func (p *plain) tellOver() {
	switch over := p.m.over.(type) {
	case nil:
		p.asking = nil
	case *form:
		p.follow(over)
	case *sweepView:
		p.asking = nil
		if p.m.sweep.running {
			p.sayAll(p.m.runningLines(plainWidth))
		} else {
			p.sayAll(p.m.sweepLines(plainWidth))
		}
		_ = over.press(p.m, keyOf("esc"))
		p.told.over = p.m.over
	case *pager:
		p.asking = nil
		p.sayAll(over.text(p.m, plainWidth))
		p.m.over, p.told.over = nil, nil
	case *review:
		p.asking = nil
		if over.busy() { // read out once it is there, not the instant before it
			return
		}
		lines, _ := over.lines(p.m, plainWidth, plainHeight)
		if p.sayNew(lines) {
			p.say("Keys here, typed as lines: left, right, home, end, " + over.hints())
		}
	default:
		p.asking = nil
		lines, _ := over.lines(p.m, plainWidth, plainHeight)
		if p.sayNew(lines) {
			p.say("Keys here, typed as lines: " + over.hints())
		}
	}
}

// plainHeight is how many lines of what lies over the screen are read out at most.
const plainHeight = 500

// reading is what was read out of something that stays, without its numbers: ages and
// waits count by themselves, and nobody wants to hear each second.
type reading map[string]bool

// sayNew writes the facts that were not read out yet, and says whether there were any.
func (p *plain) sayNew(lines []line) (news bool) {
	for _, l := range lines {
		fact := factOf(l)
		bare := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, fact)
		if fact == "" || p.read[bare] {
			continue
		}
		p.read[bare], news = true, true
		p.say(fact)
	}
	return news
}

func (p *plain) tellTrouble() {
	words := ""
	if p.m.live.trouble != nil {
		words = readTrouble(p.m.live.trouble)
	}
	switch words {
	case p.told.trouble:
		return
	case "":
		p.say("Live again.")
	default:
		p.say("Attention: not live. What was told is as of " + p.m.when(p.m.queue.read) + ". " + words)
	}
	p.told.trouble = words
}

// countFacts are what is in doubt, one fact each.
func (p *plain) countFacts() []string {
	c := p.m.queue.counts
	facts := []string{
		"contradicted: " + wording.Number(int64(c.Contradicted)), "UNKNOWN: " + wording.Number(int64(c.Unknown)),
		"stuck PENDING: " + wording.Number(int64(c.Stuck)),
	}
	if c.Ahead > 0 {
		facts = append(facts, "clock ahead: "+wording.Number(int64(c.Ahead)))
	}
	return facts
}

func (p *plain) counts() {
	for _, fact := range p.countFacts() {
		p.say(fact)
	}
	if oldest := p.m.queue.counts.Oldest; !oldest.IsNone() {
		p.say("oldest: " + p.m.age(oldest))
	}
}

// tellRows reads a new list out, and else what came into it, left it or changed in it.
func (p *plain) tellRows() {
	q := &p.m.queue
	if q.read.IsNone() || q.shown != (view{q.filter, q.needle}) {
		return
	}
	facts := p.countFacts()
	fresh := p.told.rows == nil || p.told.shown != q.shown
	for _, fact := range facts {
		if !slices.Contains(p.told.counts, fact) {
			p.say(fact)
		}
	}
	before := p.told
	p.told.counts, p.told.shown, p.told.start, p.told.more = facts, q.shown, q.start, q.more
	p.told.rows = map[string]string{}
	for _, row := range q.rows {
		p.told.rows[row.Intent.OpKey], p.told.last = p.rowFact(row, false), row.Cursor
	}
	switch {
	case fresh:
		p.told.selected = q.selected // it is the first that is read out
		p.list()
	case before.start == q.start:
		p.tellChanges(before)
	}
}

// plainChanges is how many changes are told one by one.
const plainChanges = 5

func (p *plain) tellChanges(before announced) {
	q := &p.m.queue
	var facts []string
	for _, row := range q.rows {
		key := row.Intent.OpKey
		was, known := before.rows[key]
		switch now := p.told.rows[key]; {
		case !known && before.more && byPlace(row.Cursor, before.last) > 0: // read on
		case !known:
			facts = append(facts, "New in the list: "+now)
		case was != now:
			facts = append(facts, "Changed: "+now)
		case key == q.ghost:
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before.rows)) {
		if _, still := p.told.rows[key]; !still && !q.more {
			facts = append(facts, "Left the list: "+wording.Safe(key))
		}
	}
	if len(facts) > plainChanges {
		p.say(fmt.Sprintf("%s in the list. list reads it out.", wording.Count(len(facts), "change", "changes")))
		return
	}
	for _, fact := range facts {
		p.say(fact)
	}
}

// tellSelected says which intent is selected, and what the evidence on it comes to,
// once it was read.
func (p *plain) tellSelected() {
	m := p.m
	if m.queue.selected != p.told.selected {
		if p.told.selected = m.queue.selected; p.told.selected != "" {
			p.where()
		}
	}
	item := m.intent.item
	if item == nil || m.intent.key != m.queue.selected || item.Intent.OpKey != m.intent.key {
		return
	}
	now := fmt.Sprintf("%s %d %s", item.Intent.OpKey, item.Intent.Version, item.Verdict.Kind)
	if now == p.told.verdict {
		return
	}
	p.told.verdict = now
	p.say("Verdict on " + wording.Safe(item.Intent.OpKey) + ": " + m.said(item.Verdict.Headline()) + " (" + string(item.Verdict.Kind) + ")")
	for _, warning := range m.warnings(*item) {
		p.say("Attention: " + warning)
	}
}

// sweepPause is how often the progress of a sweep is told.
const sweepPause = 10 * time.Second

func (p *plain) tellSweep() {
	s, now := &p.m.sweep, p.m.asks.clock()
	if !s.running || s.progress.asked == p.told.sweep || now.Sub(p.told.sweptAt) < sweepPause {
		return
	}
	p.told.sweep, p.told.sweptAt = s.progress.asked, now
	p.say(fmt.Sprintf("Sweep: %s of %s asked. stop stops it.", wording.Number(int64(s.progress.asked)), wording.Number(int64(s.progress.of))))
}
