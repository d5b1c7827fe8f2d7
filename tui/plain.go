package tui

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
	"triage/ledger"
)

// plain is the screen as lines of text: for screen readers, and for terminals that
// can do nothing else. It writes one fact a line and nothing but text: no frames, no
// cursor addressing, no colours. The model beneath it is the screen's own, so that
// what it says, offers and pins is the same; its dialogs are asked line by line
// (questions). It hears whole lines, which the terminal itself lets one edit.
type plain struct {
	m      *Model
	in     *bufio.Reader
	next   tea.Cmd // waits for the next line
	out    io.Writer
	why    string     // said first: why there is no screen
	told   announced  // what was announced
	listed []string   // keys by the numbers under which they were read out last
	asking *questions // an open dialog; nil: commands are awaited
	read   reading    // what lies over the screen, as far as it was read out
}

// plainWidth is where a fact breaks at last: far beyond what anybody writes.
const plainWidth = 2000

// plainList is how many rows are read out at once.
const plainList = 20

func newPlain(m *Model, in io.Reader, out io.Writer, why string) *plain {
	m.queue.resize(plainList) // what a page is
	m.theme.glyphs = glyphs{} // nothing is drawn: the words say it
	p := &plain{m: m, in: bufio.NewReader(in), out: out, why: why}
	p.next = p.readLine
	return p
}

// dumb says why a terminal gets lines of text although nobody asked for them; ""
// where it can show a screen.
func dumb(environ []string) string {
	switch env(environ, "TERM") {
	case "":
		return "TERM is not set, so nobody knows what this terminal can show."
	case "dumb":
		return "TERM is dumb: this terminal shows lines of text only."
	}
	return ""
}

// plainly wraps a model in lines of text where that is asked for or all that the
// terminal can do.
func (o Options) plainly(m *Model) (screen tea.Model, lines bool) {
	why := dumb(o.Environ)
	if !o.Plain && why == "" {
		return m, false
	}
	in, out := o.Input, o.Output
	if in == nil {
		in = os.Stdin
	}
	if out == nil {
		out = os.Stdout
	}
	return newPlain(m, in, out, why), true
}

// lineTyped: a line was typed and ended with Enter.
type lineTyped struct {
	text string
	at   time.Time
}

// inputEnded: there is nobody to type any more.
type inputEnded struct{}

// Init says where one is, and begins to read.
func (p *plain) Init() tea.Cmd {
	if p.why != "" {
		p.say(p.why + " This is the plain mode of triage.")
	}
	for _, fact := range []string{
		"triage, ledger " + wording.Safe(p.m.options.LedgerName),
		"Type a command and Enter. help names them all, list reads the queue out, q leaves.",
	} {
		p.say(fact)
	}
	if p.m.options.ReadOnly {
		p.say("READ-ONLY: nothing can be written.")
	}
	return tea.Batch(p.m.Init(), p.next)
}

// readLine waits for the next line.
func (p *plain) readLine() tea.Msg {
	text, err := p.in.ReadString('\n')
	if err != nil && (text == "" || !errors.Is(err, io.EOF)) {
		return inputEnded{}
	}
	return lineTyped{text: strings.TrimRight(text, "\r\n"), at: p.m.asks.clock()}
}

// Update takes in one message, and announces what it changed.
func (p *plain) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg, tea.KeyPressMsg, tea.PasteMsg:
		return p, nil // lines have no size, and keys come as lines
	case inputEnded:
		p.say("The input has ended, so triage leaves.")
		return p, tea.Quit
	case lineTyped:
		p.m.now = ledger.At(p.m.asks.clock())
		cmd := p.hear(msg)
		p.tell()
		return p, tea.Batch(cmd, p.next)
	}
	_, cmd := p.m.Update(msg)
	p.tell()
	return p, cmd
}

// View is empty: nothing is drawn.
func (*plain) View() tea.View { return tea.View{} }

// hear gives a line to whatever has the floor.
func (p *plain) hear(l lineTyped) tea.Cmd {
	text := strings.TrimSpace(l.text)
	switch {
	case p.asking != nil:
		return p.answer(text, l.at)
	case p.m.over != nil:
		return p.steer(text)
	}
	return p.command(text)
}

// say writes one fact as a line.
func (p *plain) say(fact string) {
	if wording.ASCII() {
		fact = wording.InASCII(fact)
	}
	_, _ = io.WriteString(p.out, fact+"\n")
}

// sayAll writes the facts in some lines of the screen.
func (p *plain) sayAll(lines []line) {
	for _, l := range lines {
		if fact := factOf(l); fact != "" {
			p.say(fact)
		}
	}
}

// factOf is a line of the screen as it is read out, with a colon behind a label; "" for
// one that says nothing. What stands in it is never changed: it may be somebody's key.
func factOf(l line) string {
	if len(l) == 2 && l[0].text == spaces(4) && strings.Trim(l[1].text, "L ") == "" { // lookups on the axis of attempts
		return ""
	}
	var parts []string
	for i, s := range l {
		words := strings.TrimSpace(s.text)
		if words == "" {
			continue
		}
		if i < len(l)-1 && isLabel(s.text) && !strings.HasSuffix(words, ":") {
			words += ":"
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, " ")
}

// isLabel says that a piece of a line stands before what it names, as columns do.
func isLabel(s string) bool {
	return strings.HasSuffix(s, "  ") || strings.HasPrefix(s, "  ") && strings.HasSuffix(s, " ")
}
