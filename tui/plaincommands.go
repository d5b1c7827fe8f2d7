package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
	"triage/ledger"
)

// command does what a line says: a number, a word of the plain mode, or a key of the
// screen by its letter or its name.
func (p *plain) command(text string) tea.Cmd {
	if !p.m.status.lasts { // as with the next key on the screen
		p.m.status, p.told.status = status{}, ""
	}
	if n, err := strconv.Atoi(text); err == nil {
		return p.choose(n)
	}
	if needle, ok := cutAny(text, "/", "filter "); ok || text == "filter" {
		return p.m.choose(strings.TrimSpace(needle), p.m.queue.filter)
	}
	if say, ok := p.words()[text]; ok {
		say()
		return nil
	}
	for _, b := range p.m.bindings {
		if b.group != groupLater && named(b, text) {
			return p.m.use(b)
		}
	}
	p.say(wording.Fit(wording.Safe(text), 60) + " is no command here. help names them all.")
	return nil
}

// words are the commands of the plain mode that only tell.
func (p *plain) words() map[string]func() {
	return map[string]func(){
		"": p.where, "where": p.where, "list": p.list, "counts": p.counts,
		"open": p.open, "enter": p.open, "history": p.history, "H": p.history,
		"copy": p.values, "y": p.values, "help": p.help, "?": p.help,
		"stop": p.stop, "ctrl+z": func() { p.say("The terminal itself does that: press ctrl+z.") },
	}
}

func cutAny(text string, prefixes ...string) (rest string, ok bool) {
	for _, prefix := range prefixes {
		if rest, ok = strings.CutPrefix(text, prefix); ok {
			return rest, true
		}
	}
	return "", false
}

// named says that a binding goes by a name: its key, what it is called on the screen,
// or what the command is called.
func named(b binding, name string) bool {
	if slices.Contains(b.Keys(), name) {
		return true
	}
	names := []string{b.Help().Desc}
	for _, end := range []string{":", ","} {
		first, _, _ := strings.Cut(b.Help().Desc, end)
		names = append(names, first)
	}
	if b.act != "" {
		names = append(names, string(b.act), actWords[b.act].title, actWords[b.act].short)
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// choose selects the intent that was read out under a number: that very intent, also
// when rows have moved since.
func (p *plain) choose(n int) tea.Cmd {
	q := &p.m.queue
	switch {
	case n < 1 || n > len(p.listed):
		p.say("No row was read out under that number. list reads the rows out.")
		return nil
	case q.find(p.listed[n-1]) < 0:
		p.say(fmt.Sprintf("Number %d was %s, which is not in the list any more. list reads it anew.", n, wording.Safe(p.listed[n-1])))
		return nil
	}
	if by := q.find(p.listed[n-1]) - q.index(); by != 0 {
		return p.m.moveBy(by)
	}
	p.where()
	return nil
}

// where says which intent is selected, and what the evidence comes to.
func (p *plain) where() {
	q := &p.m.queue
	if i := q.index(); i >= 0 {
		p.say(fmt.Sprintf("Selected, %d of %s: %s", q.start.before+i+1, p.length(), p.rowFact(q.rows[i], true)))
	}
	p.told.verdict = ""
}

// length is how many rows there are, as far as they were counted.
func (p *plain) length() string {
	q := &p.m.queue
	n := wording.Number(int64(q.start.before + len(q.rows)))
	if q.more {
		return n + " or more"
	}
	return n
}

// list reads the rows out, from the selected one on.
func (p *plain) list() {
	q := &p.m.queue
	p.say(p.listName() + ", " + p.length() + ".")
	if len(q.rows) == 0 {
		p.sayAll(p.m.nothingLines(plainWidth))
	}
	p.listed = nil
	for i := max(q.index(), 0); i < len(q.rows) && len(p.listed) < plainList; i++ {
		p.listed = append(p.listed, q.rows[i].Intent.OpKey)
		p.say(fmt.Sprintf("%d: %s", len(p.listed), p.rowFact(q.rows[i], true)))
	}
	switch rest := len(q.rows) - max(q.index(), 0) - len(p.listed); {
	case rest > 0 || q.more:
		p.say("More follow. A number selects a row; list goes on from the selected one; g goes to the first.")
	case len(p.listed) > 0:
		p.say("A number selects a row.")
	}
}

func (p *plain) listName() string {
	q := &p.m.queue
	name := "List: " + string(q.filter)
	if q.needle != "" {
		name += ", filtered for " + wording.Safe(q.needle)
	}
	return name
}

// rowFact is one row in words. What changes without anyone's writing, its age and what
// the answer comes to, is left out where only changes are told.
func (p *plain) rowFact(row ledger.QueueRow, aged bool) string {
	m, i := p.m, row.Intent
	_, words, _ := m.theme.stateMark(i, row.Stuck, m.now)
	facts := []string{words}
	if aged {
		facts = append(facts, m.age(i.CreatedAt)+" old")
	}
	facts = append(facts, wording.Safe(i.Target), wording.Safe(i.OpKey))
	if wish := rowWish(row); wish != "" {
		facts = append(facts, wish)
	}
	answer := rowLookup(row)
	if aged {
		answer = m.rowAnswer(row)
	}
	if answer != "" {
		facts = append(facts, answer)
	}
	facts = append(facts, wording.Count(i.Derived.Attempts, "attempt", "attempts"))
	if row.Claim != nil {
		facts = append(facts, "claimed by "+wording.Safe(row.Claim.Operator))
	}
	if m.marks.has(i.OpKey) {
		facts = append(facts, "marked")
	}
	return strings.Join(facts, ", ")
}

// open reads the selected intent out whole.
func (p *plain) open() { p.sayAll(p.m.intentLines(plainWidth)) }

func (p *plain) history() {
	if item := p.m.intent.item; item != nil {
		p.sayAll(p.m.journalLines(*item, plainWidth))
		return
	}
	p.say("No history: " + p.m.noItem() + ".")
}

// values reads out what one wants to copy, each on a line of its own.
func (p *plain) values() {
	item := p.m.intent.item
	if item == nil {
		p.say("Nothing to copy: " + p.m.noItem() + ".")
		return
	}
	p.say("key: " + wording.Safe(item.Intent.OpKey))
	p.say("hash: " + wording.Safe(item.Intent.PayloadSHA256))
	if receipt := item.Intent.Receipt + item.Verdict.Receipt; receipt != "" {
		if item.Intent.Receipt != "" {
			receipt = item.Intent.Receipt
		}
		p.say("receipt: " + wording.Safe(receipt))
	}
}

func (p *plain) stop() {
	if !p.m.sweep.running {
		p.say("No sweep runs.")
		return
	}
	p.m.stopSweep()
	p.say("Stopping the sweep: the question under way is finished and recorded first.")
}

func (p *plain) help() {
	for _, fact := range []string{
		"Words of the plain mode:",
		"list: read the rows out, from the selected one on. A number then selects a row.",
		"where, or an empty line: the selected intent and its verdict.",
		"open: read the selected intent out whole. history: its journal.",
		"copy: its key, hash and receipt, each on a line.",
		"filter TEXT: only rows in which TEXT can be read. filter alone: all rows.",
		"counts: what is in doubt. stop: stop the sweep. help: this.",
		"Keys of the screen, by their letter or their name:",
	} {
		p.say(fact)
	}
	p.sayAll(p.m.keyTable(plainWidth))
}

// steer hands a line on to what lies over the screen, as keys, and reads it out again.
func (p *plain) steer(text string) tea.Cmd {
	over := p.m.over
	if r, ok := over.(*review); ok {
		if cmd, taken := r.hearLine(p.m, text); taken {
			p.told.over = nil
			return cmd
		}
	}
	cmd := over.press(p.m, keyOf(text))
	p.told.over = nil
	return cmd
}

// keyOf is the key that a word names; else the word's first letter.
func keyOf(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"": tea.KeyEnter, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "back": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	for _, r := range name {
		return tea.KeyPressMsg{Code: r, Text: string(r)}
	}
	return tea.KeyPressMsg{}
}
