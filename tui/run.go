package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	xterm "github.com/charmbracelet/x/term"

	"triage/actions/wording"
)

// ErrNoTerminal says that there is no terminal to show a screen on.
var ErrNoTerminal = errors.New("the screen needs a terminal, and this is none; `triage list` and `triage show KEY` print the same as text, with --json for programs")

// Run shows the screen until it is left, then waits for acts that are still
// under way. Leaving is no error: q, ctrl+c, SIGTERM, SIGHUP, a terminal that goes
// away and the end of ctx all restore the terminal and return nil. A panic inside is
// returned as *Broken, with the terminal restored.
func Run(ctx context.Context, o Options) error {
	if o.Input == nil && o.Output == nil && (!xterm.IsTerminal(os.Stdin.Fd()) || !xterm.IsTerminal(os.Stdout.Fd())) {
		return ErrNoTerminal
	}
	if o.Environ == nil { // the process's own terminal; its locale is the process's
		wording.SetASCII(!wording.Locale(os.Getenv))
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	w := newWork(ctx)
	defer w.abort()
	screen, lines := o.plainly(newModel(reading, o, w))
	options := programOptions(reading, o)
	if lines {
		options = append(options, tea.WithoutRenderer(), tea.WithInput(nil))
	}
	return o.run(stop, screen, w, options)
}

// run shows a screen until it is left. stop ends its reading.
func (o Options) run(stop func(), screen tea.Model, w *work, options []tea.ProgramOption) error {
	g := newGuard(screen, w)
	p := tea.NewProgram(g, options...)
	g.quit = func() { go p.Quit() }
	defer onHangup(p)()
	err := g.runs(p)
	stop()
	if err = leaving(err); err != nil && g.broken() == nil {
		return err
	}
	out := o.Output
	if out == nil {
		out = os.Stdout
	}
	unfinished := w.finish(out)
	if c := g.broken(); c != nil {
		return o.filled().brokenBy(c, g, unfinished)
	}
	return unfinished
}

// runs is the program's Run, with a panic in Bubble Tea itself caught too.
func (g *guard) runs(p *tea.Program) (err error) {
	defer func() {
		if g.broken() != nil {
			p.Kill() // does nothing where the terminal was restored on the way out
		}
	}()
	defer g.catch("Bubble Tea's own loop")
	_, err = p.Run()
	return err
}

// framesPerSecond is how often the terminal may be drawn to, and how often the
// process wakes while nothing happens.
const framesPerSecond = 30

func programOptions(ctx context.Context, o Options) []tea.ProgramOption {
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithFPS(framesPerSecond),
		tea.WithoutCatchPanics(), // guard catches them
		tea.WithFilter(oneWidth),
	}
	if o.Environ != nil {
		options = append(options, tea.WithEnvironment(o.Environ))
	}
	if env(o.Environ, "NO_COLOR") != "" { // any value counts, "yes" too (no-color.org)
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	if o.Width > 0 && o.Height > 0 {
		options = append(options, tea.WithWindowSize(o.Width, o.Height))
	}
	return options
}

// oneWidth keeps the renderer counting cells as the layout does (wording.Width): by
// code points, as terminals do unless they are asked for anything else (mode 2027).
func oneWidth(_ tea.Model, msg tea.Msg) tea.Msg {
	if report, ok := msg.(tea.ModeReportMsg); ok && report.Mode == ansi.ModeUnicodeCore {
		return nil
	}
	return msg
}

// onHangup leaves properly when the terminal's line drops: otherwise a terminal
// that is still there (tmux) would be left in raw mode.
func onHangup(p *tea.Program) (stop func()) {
	hangup, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		select {
		case <-hangup:
			p.Quit()
		case <-done:
		}
	}()
	return func() {
		signal.Stop(hangup)
		close(done)
	}
}

// leaving turns the ways to leave into no error.
func leaving(err error) error {
	switch {
	case errors.Is(err, tea.ErrInterrupted), errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, syscall.EIO), errors.Is(err, io.EOF): // the terminal went away
		return nil
	}
	return err
}

// patience is how long an act that was told to stop may take to do so.
const patience = 2 * time.Second

// finish waits for acts that are under way: their results belong in the ledger.
// ctrl+c stops the waiting, and tells what may be left unfinished. A line that drops
// does not: nobody chose that, and it is told more than once.
func (w *work) finish(out io.Writer) error {
	names, idle := w.leave()
	if len(names) == 0 {
		return nil
	}
	what := strings.Join(names, ", ")
	fmt.Fprintf(out, "Waiting for %s to finish, so that what came of it is in the ledger. ctrl+c leaves at once.\n", what)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	select {
	case <-idle:
		fmt.Fprintln(out, "Done.")
		return nil
	case <-ctx.Done():
	}
	w.abort()
	select {
	case <-idle:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("left before %s had finished; the ledger shows it as begun, and what came of it is not recorded. Look the intent up again", what)
	}
}

// env is a variable of an environment; nil is the process's own.
func env(environ []string, name string) string {
	if environ == nil {
		return os.Getenv(name)
	}
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
