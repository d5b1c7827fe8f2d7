package tui

import (
	"fmt"

	"triage/actions"
	"triage/ledger"
)

// intent is the pane on the right: everything about the selected key. It never
// shows one key's evidence under another.
type intent struct {
	key     string        // what the pane is about
	item    *actions.Item // nil until it was read
	trouble error         // why the last reading failed

	asked   string // key that is being read, "" for none
	again   bool   // something has changed since that was asked
	journal bool   // the journal instead of the intent
	focused bool   // j and k scroll here
	wide    bool   // H opened it, where there is no room beside the queue
	top     int    // first line on the screen
	height  int    // lines on the screen
	lines   []line // what there is to show
}

// turn makes another key the pane's subject.
func (p *intent) turn(key string) {
	if key == p.key {
		return
	}
	p.key, p.item, p.trouble, p.top = key, nil, nil, 0
}

// take takes in what was read. It returns false for another key's answer.
func (p *intent) take(a itemRead) bool {
	if p.asked == a.key {
		p.asked = ""
	}
	if a.key != p.key {
		return false
	}
	p.trouble = a.err
	if a.err == nil {
		p.item = &a.item
	}
	return true
}

// aged says that what is shown has to be read again at now.
func (p *intent) aged(now ledger.Millis) bool {
	if p.item == nil {
		return p.key != "" && p.trouble != nil
	}
	v := p.item.Verdict
	return due(p.item.Now, now) || passed(p.item.Now, now, v.NotBefore, v.SafeUntil, v.KeySafeUntil, v.RetryUntil, p.item.HeldUntil)
}

// scroll moves the text by so many lines.
func (p *intent) scroll(by int) { p.top = min(max(p.top+by, 0), p.bottom()) }

// place says how many lines lie out of sight.
func (p *intent) place() string {
	above, below := p.top, p.bottom()-p.top
	switch {
	case above > 0 && below > 0:
		return fmt.Sprintf("%d lines above, %d below", above, below)
	case above > 0:
		return fmt.Sprintf("%d lines above", above)
	case below > 0:
		return fmt.Sprintf("%d more lines", below)
	}
	return ""
}

// bottom is the last line that may stand first.
func (p *intent) bottom() int { return max(len(p.lines)-p.height, 0) }

// show takes what there is to show and keeps the place in it.
func (p *intent) show(lines []line, height int) {
	p.lines, p.height = lines, max(height, 1)
	p.scroll(0)
}
