package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
)

// questions are an open dialog of the screen, asked line by line: what it pins and
// says, then its fields, then the word that confirms. Cancel is the default: an empty
// line, or any other than the word, does nothing. A line that comes before the
// question could have been heard counts for nothing, so that neither what was pasted
// nor a held key goes through the questions.
type questions struct {
	form  *form
	title string // of the step that is asked
	at    int    // the field that is asked for; behind the last one: the word
	asked time.Time
	waits bool // it is being written
}

// follow begins with a dialog, goes on with its next step, and tells what is new in it.
func (p *plain) follow(f *form) {
	q := p.asking
	if q == nil || q.form != f {
		q = &questions{form: f}
		p.asking = q
	}
	news := p.tellForm()
	switch {
	case q.title != f.title: // another step
		q.title, q.at = f.title, 0
		p.ask()
	case q.waits && !f.running: // it was refused
		q.waits, q.at = false, 0
		p.ask()
	case news && !f.running:
		p.ask()
	}
}

// tellForm says what stands in the dialog and was not said yet.
func (p *plain) tellForm() bool {
	f, m := p.asking.form, p.m
	lines := f.head(m, plainWidth)
	if h, own := f.subject.(headed); own {
		lines = h.head(m, f, plainWidth)
	}
	lines = append(lines, f.body(m, plainWidth)...)
	if a, ok := f.subject.(asker); ok {
		lines = append(lines, a.asks(m, plainWidth)...)
	}
	return p.sayNew(lines)
}

// ask puts the question that is due.
func (p *plain) ask() {
	q, f := p.asking, p.asking.form
	q.asked = p.m.asks.clock()
	if q.at >= len(f.fields) {
		p.say("Cancel is the default: an empty line does nothing.")
		p.say("To go through with it, type: " + word(f))
		return
	}
	in := &f.fields[q.at]
	p.say("Question: " + in.label + ". " + in.help)
	for i, choice := range in.choices {
		p.say(fmt.Sprintf("%d: %s", i+1, wording.Safe(choice)))
	}
	switch value := in.value(); {
	case value != "":
		p.say("Filled in: " + wording.Safe(value) + ". An empty line keeps it, esc cancels.")
	case in.required != "":
		p.say("An empty line cancels.")
	default:
		p.say("An empty line leaves it out, esc cancels.")
	}
}

// word is what has to be typed to confirm: what the button says, and the beginning of
// the hash that is pinned, so that no other text holds it by chance.
func word(f *form) string {
	words := strings.ToLower(f.confirm)
	const digits = 4
	if hash := f.seen.PayloadSHA256; len(hash) > digits && strings.Trim(hash[:digits], "0123456789abcdef") == "" {
		words += " " + hash[:digits]
	}
	return wording.Safe(words)
}

// answer takes a line as the answer to the question that is open.
func (p *plain) answer(text string, at time.Time) tea.Cmd {
	q, f := p.asking, p.asking.form
	early := at.Sub(q.asked) < p.m.options.Quiet
	switch {
	case strings.EqualFold(text, "esc"):
		p.m.closeForm(f)
		return nil
	case f.running:
		p.say("It is still being written. esc leaves; it goes on.")
		return nil
	case early:
		q.asked = at
		p.say("That line came too soon after the question, and was left out.")
		return nil
	case q.at < len(f.fields):
		return p.fill(&f.fields[q.at], text)
	case !strings.EqualFold(strings.Join(strings.Fields(text), " "), word(f)):
		p.m.closeForm(f)
		return nil
	}
	return p.confirm()
}

// confirm presses the confirming button.
func (p *plain) confirm() tea.Cmd {
	q, f := p.asking, p.asking.form
	f.hint, f.problem = "", ""
	cmd := f.tryConfirm(p.m)
	switch {
	case f.running:
		q.waits = true
		p.say("Writing to the ledger …")
	case f.hint != "":
		p.say(f.hint)
		q.at = 0
		p.ask()
	}
	return cmd
}

// fill puts a line into a field and goes on to the next question.
func (p *plain) fill(in *field, text string) tea.Cmd {
	q, f := p.asking, p.asking.form
	switch {
	case text == "" && in.value() == "" && in.required != "":
		p.m.closeForm(f)
		return nil
	case text == "":
	case len(in.choices) > 0:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(in.choices) {
			p.say("Type one of the numbers.")
			p.ask()
			return nil
		}
		in.chosen = n - 1
	default:
		in.input.SetValue("")
		for _, r := range text {
			in.press(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		if in.value() != text {
			p.say("Invisible characters, or its end, were left out: " + wording.Safe(in.value()))
		}
	}
	var cmd tea.Cmd
	if e, ok := f.subject.(editor); ok {
		cmd = e.edited(p.m, f)
	}
	q.at++
	p.ask()
	return cmd
}
