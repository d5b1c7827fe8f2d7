package tui

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
)

// guard stands between Bubble Tea and the screen. What panics in the screen, or in a
// command that it started, ends the program by the way in which q ends it, so that
// the terminal is restored, and is told in plain words afterwards (Broken).
type guard struct {
	screen        tea.Model
	work          *work
	quit          func() // ends the program; may be called from anywhere, and never waits
	width, height int

	mu    sync.Mutex
	crash *crash // the first one; what follows from it tells nothing
}

// crash is a panic that was caught.
type crash struct {
	where string // what the screen was doing
	value any
	stack []byte
}

func newGuard(screen tea.Model, w *work) *guard { return &guard{screen: screen, work: w} }

// broken is the panic that was caught, nil for none.
func (g *guard) broken() *crash {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.crash
}

// catch is deferred around whatever may panic.
func (g *guard) catch(where string) {
	value := recover()
	if value == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.crash == nil {
		g.crash = &crash{where: where, value: value, stack: debug.Stack()}
		if defect, ok := value.(actions.Defect); ok {
			g.crash.value, g.crash.stack = defect.Value, append(defect.At, g.crash.stack...)
		}
		g.quit()
	}
}

// Init starts the screen.
func (g *guard) Init() (cmd tea.Cmd) {
	defer g.catch("the start")
	return g.watched(g.screen.Init(), "the start")
}

// Update hands a message on, until something has broken.
func (g *guard) Update(msg tea.Msg) (self tea.Model, cmd tea.Cmd) {
	self = g
	if g.broken() != nil {
		return self, nil
	}
	where := fmt.Sprintf("taking in a %T", msg)
	defer g.catch(where)
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		g.width, g.height = size.Width, size.Height
	}
	g.screen, cmd = g.screen.Update(msg)
	g.work.shown(msg)
	return self, g.watched(cmd, where)
}

// View draws the screen. Once something has broken it is empty, and still the
// alternate one, so that leaving restores what was there before.
func (g *guard) View() (view tea.View) {
	view.AltScreen = true
	if g.broken() != nil {
		return view
	}
	defer g.catch("drawing")
	return g.screen.View()
}

// watched is a command whose panics are caught, and those of the commands that it
// turns out to be made of.
func (g *guard) watched(cmd tea.Cmd, where string) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.catch("a command that followed from " + where)
		msg = cmd()
		several := reflect.ValueOf(msg) // a tea.BatchMsg, or what tea.Sequence makes, which has no name outside
		if several.Kind() != reflect.Slice || several.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
			return msg
		}
		out := reflect.MakeSlice(several.Type(), several.Len(), several.Len())
		for i := range several.Len() {
			one, _ := several.Index(i).Interface().(tea.Cmd)
			out.Index(i).Set(reflect.ValueOf(g.watched(one, where)))
		}
		return out.Interface()
	}
}
