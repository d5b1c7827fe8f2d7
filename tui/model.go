package tui

import (
	"context"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
	"triage/ledger"
)

// Options are what the screen is given.
type Options struct {
	Acts       Acts
	LedgerName string // shown at the top; a path as the user gave it
	ReadOnly   bool
	Notices    []string // what the configuration should tell before work begins

	// The terminal. Nothing here means the process's own.
	Input         io.Reader
	Output        io.Writer
	Width, Height int      // for an Output that is no terminal
	Environ       []string // of the terminal's session; nil: the process's
	Plain         bool     // lines of text instead of a screen, as with TERM=dumb
	ReportDir     string   // where a report goes if the screen breaks; "": the user's cache directory

	Zone  *time.Location   // in which instants are shown; nil: UTC, as in the ledger
	Now   func() time.Time // nil: the machine's clock
	Tick  time.Duration    // how often the ledger is asked for changes; 0: a second
	Quiet time.Duration    // how long input must rest before a dialog listens; 0: 300 ms
}

func (o Options) filled() Options {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tick <= 0 {
		o.Tick = time.Second
	}
	if o.Quiet <= 0 {
		o.Quiet = quietGap
	}
	return o
}

// Model is the whole screen. It holds no lock, no transaction and no file; what
// it shows is what was read last.
type Model struct {
	options  Options
	asks     asks
	bindings []binding

	width, height int
	theme         theme
	dumb          bool
	now           ledger.Millis

	live  live
	queue queue
	marks marks

	verdicts map[string]rowVerdict // of the rows in the list, by key
	judging  bool                  // some are being read

	intent  intent
	typing  *field // the filter while it is being typed
	status  status
	over    overlay // nil: nothing lies over the screen
	dialogs int     // dialogs opened so far
	reviews int     // readings of the past so far
	past    bool    // this is a copy that draws an intent as it stood: now is that instant
	sweep   sweep
	lookups map[string]ledger.Millis
}

// New makes the screen. ctx ends its reading; acts that are under way when the
// screen is left go on (Run waits for them).
func New(ctx context.Context, o Options) *Model {
	return newModel(ctx, o, newWork(ctx))
}

func newModel(ctx context.Context, o Options, w *work) *Model {
	o = o.filled()
	m := &Model{
		options:  o,
		asks:     asks{acts: o.Acts, ctx: ctx, clock: o.Now, timer: tea.Tick, work: w},
		bindings: newBindings(),
		dumb:     wording.ASCII() || env(o.Environ, "TERM") == "dumb",
		queue:    newQueue(),
		lookups:  map[string]ledger.Millis{},
	}
	m.theme = newTheme(backgroundUnknown, m.dumb)
	m.now = ledger.At(o.Now())
	if len(o.Notices) > 0 {
		m.status = trouble("The configuration: "+wording.Safe(strings.Join(o.Notices, " "))+" (W shows this again.)", 0)
	}
	return m
}

// Init reads the queue and starts the clock.
func (m *Model) Init() tea.Cmd {
	// The check comes first: whatever is written after it is noticed by the next.
	reading := tea.Sequence(m.asks.checkChanges, m.asks.readQueue(m.queue.first(pickFirst)))
	return tea.Batch(tea.RequestBackgroundColor, reading, m.asks.tick(m.options.Tick))
}

// Update takes in one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = ledger.At(m.asks.clock())
	cmd := m.take(msg)
	m.layout()
	return m, tea.Batch(cmd, m.readVerdicts())
}

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		bg := backgroundLight
		if msg.IsDark() {
			bg = backgroundDark
		}
		m.theme = newTheme(bg, m.dumb)
	case tea.KeyPressMsg:
		return m.hearKey(msg)
	case tea.PasteMsg:
		return m.hearPaste(msg.Content)
	case tea.ResumeMsg:
		return m.refresh()
	case ticked:
		return m.onTick()
	case changesChecked:
		return m.onChanges(msg)
	case queueRead:
		return m.onQueue(msg)
	case itemRead:
		return m.onItem(msg)
	case lookupEnded:
		return m.onLookup(msg)
	case actEnded:
		return m.onAct(msg)
	case sweepPlanned:
		m.onSweepPlanned(msg)
	case sweepMoved:
		return m.onSweepMoved(msg)
	case sweepEnded:
		return m.onSweepEnded(msg)
	case concernRead:
		if msg.err == nil {
			m.outdate(msg.item)
		}
	case verdictsRead:
		m.onVerdicts(msg)
	case marksRead:
		m.onMarks(msg)
	case reviewRead, changesRead:
		m.onPast(msg)
	case permissionRechecked:
		m.onRecheck(msg)
	}
	return nil
}

// hearKey gives a key to whatever has the floor.
func (m *Model) hearKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case k.String() == "ctrl+c":
		return tea.Quit
	case k.String() == "ctrl+z":
		return tea.Suspend
	case m.tooSmall():
		if k.String() == "q" { // as the screen says, whatever lies under it
			return tea.Quit
		}
		return nil
	case m.over != nil:
		return m.over.press(m, k)
	case m.typing != nil:
		return m.typeFilter(k)
	}
	return m.press(k)
}

// hearPaste gives pasted text to whatever has the floor. It never presses a key.
func (m *Model) hearPaste(content string) tea.Cmd {
	switch {
	case m.tooSmall():
	case m.over != nil:
		m.over.paste(m, content)
	case m.typing != nil:
		m.status = hint(m.typing.paste(content))
		return m.choose(m.typing.value(), m.queue.filter)
	default:
		m.status = hint("A paste does nothing here. / starts a filter to paste into.")
	}
	return nil
}
