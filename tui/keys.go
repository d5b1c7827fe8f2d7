package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"triage/actions/verdict"
	"triage/actions/wording"
)

// binding is one key of the screen: what it is, what it does, and why it may be
// off. Help, hints and refusals are all made from these.
type binding struct {
	key.Binding
	group string
	act   verdict.Act // what it decides, "" for a key that decides nothing
	do    func(*Model) tea.Cmd
	off   func(*Model) string // why it does nothing now; "" or no function: it does
}

func bind(group, help, desc string, do func(*Model) tea.Cmd, keys ...string) binding {
	return binding{
		Binding: key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc)),
		group:   group, do: do,
	}
}

// deciding makes a binding for an act, with the reasons that may forbid it.
func deciding(act verdict.Act, do func(*Model) tea.Cmd) binding {
	w := actWords[act]
	b := bind(groupActs, w.key, w.title, do, w.key)
	b.act = act
	b.off = func(m *Model) string { return m.actOff(act) }
	return b
}

// later is a key that a later version will use.
func later(keyName, desc string) binding {
	b := bind(groupLater, keyName, desc, nil, keyName)
	b.off = func(*Model) string { return notInThisVersion }
	return b
}

const notInThisVersion = "not in this version"

// The groups of keys. groups lists them in the order in which help shows them; the
// keys of later versions take one line there.
const (
	groupMove  = "Moving"
	groupLook  = "Looking"
	groupActs  = "Acts"
	groupOther = "Leaving and help"
	groupLater = "Later versions"
)

var groups = []string{groupMove, groupLook, groupActs, groupOther}

// newBindings are all keys of the screen outside dialogs.
func newBindings() []binding {
	return []binding{
		bind(groupMove, "j ↓", "down", by(1), "j", "down"),
		bind(groupMove, "k ↑", "up", by(-1), "k", "up"),
		bind(groupMove, "pgdn", "a page down", byPage(1), "pgdown", "ctrl+f"),
		bind(groupMove, "pgup", "a page up", byPage(-1), "pgup", "ctrl+b"),
		bind(groupMove, "g home", "to the first", (*Model).goFirst, "g", "home"),
		bind(groupMove, "G end", "to the last", (*Model).goLast, "G", "end"),
		bind(groupLook, "enter", "open the intent: the keys above then scroll it", (*Model).openIntent, "enter"),
		bind(groupLook, "esc", "back: close, clear the filter, clear the message", (*Model).back, "esc"),
		bind(groupLook, "/", "filter as you type", (*Model).startFilter, "/"),
		bind(groupLook, "o", "show the next kind: open, unknown, pending, …", (*Model).nextState, "o"),
		bind(groupLook, "V", "review: this intent as it stood at any instant, and what changed between two", (*Model).openReview, "V"),
		bind(groupLook, "H", "history: the journal of this intent, and back", (*Model).toggleJournal, "H"),
		withOff(bind(groupLook, "y", "copy key, hash or receipt", (*Model).openCopy, "y"), (*Model).noItem),
		withOff(bind(groupLook, "space", "mark for a sweep, and unmark", (*Model).toggleMark, "space"), (*Model).markOff),
		withOff(bind(groupLook, "u", "unmark all", (*Model).unmarkAll, "u"), (*Model).noMarks),
		deciding(verdict.ActLookup, (*Model).startLookup),
		withOff(bind(groupActs, "L", "sweep: look up all that are marked, or else all that is uncertain", (*Model).startSweep, "L"), (*Model).sweepOff),
		deciding(verdict.ActDeliver, (*Model).openDeliver),
		deciding(verdict.ActReissue, (*Model).openReissue),
		deciding(verdict.ActRetry, openSheet(verdict.ActRetry)),
		deciding(verdict.ActClose, openSheet(verdict.ActClose)),
		deciding(verdict.ActAbandon, (*Model).openAbandon),
		deciding(verdict.ActSetAside, openSheet(verdict.ActSetAside)),
		deciding(verdict.ActDispute, openSheet(verdict.ActDispute)),
		deciding(verdict.ActAcknowledge, openSheet(verdict.ActAcknowledge)),
		deciding(verdict.ActNote, openSheet(verdict.ActNote)),
		withOff(bind(groupOther, "W", "what the configuration warns of", (*Model).openNotices, "W"), (*Model).noNotices),
		bind(groupOther, "?", "help, and why a key is off", (*Model).openHelp, "?"),
		bind(groupOther, "ctrl+z", "into the background; fg comes back", suspend, "ctrl+z"),
		bind(groupOther, "q", "leave", quit, "q", "ctrl+c"),
		later("c", "claim"),
		later("s", "snooze"),
	}
}

func withOff(b binding, off func(*Model) string) binding {
	b.off = off
	return b
}

func (b binding) reason(m *Model) string {
	if b.off == nil {
		return ""
	}
	return b.off(m)
}

func suspend(*Model) tea.Cmd { return tea.Suspend }

// press finds what a key does on the screen itself.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	if !m.status.lasts {
		m.status = status{}
	}
	for _, b := range m.bindings {
		if !key.Matches(k, b.Binding) {
			continue
		}
		return m.use(b)
	}
	m.status = hint(wording.Fit(wording.Safe(k.String()), 20) + " is no key here; ? lists them.")
	return nil
}

// use does what a key does, or says why it is off.
func (m *Model) use(b binding) tea.Cmd {
	if b.reason(m) != "" {
		m.status = m.offHint(b)
		return nil
	}
	return b.do(m)
}

// offHint says why a key is off. A wait counts down in it, and its end is told.
func (m *Model) offHint(b binding) status {
	about := m.intent.key
	first := b.Help().Key + ": " + b.Help().Desc + " is off: " + b.reason(m)
	s := hint(first)
	s.live = func(m *Model) string {
		switch why := b.reason(m); {
		case m.intent.key != about: // it was said of another intent
			return first
		case why == "":
			return b.Help().Key + ": " + b.Help().Desc + " is on again."
		default:
			return b.Help().Key + ": " + b.Help().Desc + " is off: " + why
		}
	}
	return s
}

// laterKeys names the keys that later versions will use.
func laterKeys() string {
	var names []string
	for _, b := range newBindings() {
		if b.group == groupLater {
			names = append(names, b.Help().Key)
		}
	}
	return strings.Join(names, ", ")
}
