package tui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// form is the frame of every dialog that decides something. It pins what the
// operator saw, keeps the focus on Cancel, and obeys no key before input has
// rested.
type form struct {
	id      int // counted up, so that a late answer finds its own dialog or none
	subject decision
	title   string
	seen    actions.Seen
	key     string
	place   string // target and environment
	confirm string // what the confirming button says

	quiet   quiet
	fields  []field
	focus   int // 0 is Cancel, then the fields, then the confirming button
	top     int // first line of the text
	page    int // lines of text on the screen
	hint    string
	problem string // why confirming did not work, in whole
	moved   string // what has changed since the dialog opened
	running bool   // confirmed, and no answer yet
	anyhow  bool   // goes with whatever became of the intent meanwhile
}

// decision is what a dialog decides.
type decision interface {
	// content says what is decided and on which evidence.
	content(m *Model, width int) []line
	// blocked is why it cannot be confirmed now, "" if it can.
	blocked() string
	// confirmed is what the confirming button does.
	confirmed(m *Model, f *form) tea.Cmd
}

func (m *Model) openForm(title, confirm string, subject decision, fields ...field) *form {
	m.dialogs++
	item := m.intent.item
	f := &form{
		id: m.dialogs, subject: subject, title: title, confirm: confirm,
		seen: item.Seen(), key: item.Intent.OpKey, fields: fields,
		place: place(*item), quiet: newQuiet(m.asks.clock(), m.options.Quiet),
	}
	m.over = f
	return f
}

// place names a target with its environment.
func place(item actions.Item) string {
	name := wording.Safe(item.Intent.Target)
	if item.Target.Environment != "" {
		name += " (" + wording.Safe(item.Target.Environment) + ")"
	}
	return name
}

// onConfirm is the focus of the confirming button.
func (f *form) onConfirm() int { return len(f.fields) + 1 }

// focused is the field that has the focus, nil when a button has it.
func (f *form) focused() *field {
	if f.focus >= 1 && f.focus <= len(f.fields) {
		return &f.fields[f.focus-1]
	}
	return nil
}

func (f *form) press(m *Model, k tea.KeyPressMsg) tea.Cmd {
	listening, rested := f.quiet.heard(m.asks.clock())
	name := k.String()
	if name == "esc" {
		m.closeForm(f)
		return nil
	}
	if f.fit(m, m.width, m.overHeight()).tooLow() {
		return nil // nothing is decided that cannot be seen
	}
	if f.hint = ""; !listening {
		f.hint = "Keys count once you pause for a moment."
		return nil
	}
	if f.running {
		return nil
	}
	switch name {
	case "tab", "down":
		f.turn(1)
	case "shift+tab", "up":
		f.turn(-1)
	case "pgdown":
		f.top += max(f.page-2, 1)
	case "pgup":
		f.top = max(f.top-max(f.page-2, 1), 0)
	case "enter":
		return f.enter(m, rested && !k.IsRepeat)
	default:
		f.edit(k)
		if e, ok := f.subject.(editor); ok {
			return e.edited(m, f)
		}
	}
	return nil
}

// editor is a decision that depends on what is filled in.
type editor interface {
	edited(m *Model, f *form) tea.Cmd
}

func (f *form) turn(by int) {
	n := len(f.fields) + 2
	f.focus = (f.focus + by + n) % n
}

func (f *form) edit(k tea.KeyPressMsg) {
	if in := f.focused(); in != nil {
		in.press(k)
		return
	}
	switch name := k.String(); {
	case name == "left" || name == "right":
		f.focus = f.onConfirm() - f.focus
	case len(f.fields) > 0 && k.Text != "" && f.focus == 0:
		f.hint = "Cancel has the focus: that key was typed into nothing. tab goes to the fields."
	case len(f.fields) > 0 && k.Text != "":
		f.hint = fmt.Sprintf("“%s” has the focus: what came after the last tab was typed into nothing. shift+tab goes back to the fields; read them before you confirm.", f.confirm)
	}
}

// enter presses a button. In a field it goes on to the next, but never onto the
// confirming button: only tab does that.
func (f *form) enter(m *Model, rested bool) tea.Cmd {
	switch {
	case f.focus == 0:
		m.closeForm(f)
	case f.focus < len(f.fields):
		f.focus++
	case f.focus == len(f.fields):
		f.hint = fmt.Sprintf("Enter confirms nothing here: tab goes to “%s”.", f.confirm)
	case !rested:
		f.hint = "That Enter came too soon after another key to count. Press it again."
	default:
		return f.tryConfirm(m)
	}
	return nil
}

func (f *form) tryConfirm(m *Model) tea.Cmd {
	if f.moved != "" {
		f.hint = "It changed after you had opened this. Leave (esc) and look again."
		return nil
	}
	if why := f.subject.blocked(); why != "" {
		f.hint = why
		return nil
	}
	for i := range f.fields {
		if in := &f.fields[i]; in.required != "" && in.value() == "" {
			f.hint = in.required
			return nil
		}
	}
	return f.subject.confirmed(m, f)
}

// perform sends off what was confirmed.
func (f *form) perform(m *Model, name verdict.Act, do doing) tea.Cmd {
	f.running, f.problem = true, ""
	return m.asks.perform(act{id: f.id, name: name, key: f.key, do: do})
}

func (f *form) request(reason string) actions.Request {
	return actions.Request{OpKey: f.key, Seen: f.seen, Reason: reason}
}

// again waits for rest anew and puts the focus back on Cancel: for a next step,
// and after a refusal.
func (f *form) again(m *Model) {
	f.focus, f.top, f.hint = 0, 0, ""
	f.quiet = newQuiet(m.asks.clock(), m.options.Quiet)
}

// refused shows why it did not happen. What was typed stays.
func (f *form) refused(m *Model, err error) {
	f.running = false
	f.problem = m.said(refusalText(err))
	if refusal := (*actions.Refusal)(nil); errors.As(err, &refusal) {
		f.problem = "Refused. " + f.problem
	}
	f.again(m)
}

func (f *form) paste(m *Model, content string) {
	listening, _ := f.quiet.heard(m.asks.clock())
	switch in := f.focused(); {
	case !listening:
		f.hint = "That paste came before you could have read this, and was dropped."
	case in == nil || f.running:
		f.hint = "That paste went nowhere: tab to a field first."
	default:
		f.hint = in.paste(content)
	}
}

// notice compares the intent as it is now with what was pinned.
func (f *form) notice(item actions.Item) {
	if now := item.Seen(); !f.running && !f.anyhow && now != f.seen {
		f.moved = whatMoved(f.seen, now, item)
	}
}

func whatMoved(then, now actions.Seen, item actions.Item) string {
	var changes []string
	if then.Version != now.Version {
		changes = append(changes, fmt.Sprintf("version %d became %d, last written by %s; its state is %s",
			then.Version, now.Version, writer(item.Intent.UpdatedBy), wording.Safe(string(item.Intent.State))))
	}
	if then.Verdict != now.Verdict {
		changes = append(changes, fmt.Sprintf("the verdict %s became %s", then.Verdict, now.Verdict))
	}
	if then.PayloadSHA256 != now.PayloadSHA256 {
		changes = append(changes, "the payload hash is another")
	}
	return "This intent changed while the dialog was open: " + strings.Join(changes, "; ") +
		". Nothing can be confirmed here any more. Leave (esc) and look again."
}

func (m *Model) closeForm(f *form) {
	m.over = nil
	name, _, _ := strings.Cut(f.title, ", step ")
	if f.running {
		m.status = hint(name + " is still being written; its result will be shown here.")
		return
	}
	m.status = hint(name + ": cancelled, nothing was done.")
}
