package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"go.uber.org/goleak"

	"triage/actions"
	"triage/tui/screentest"
)

// Bubble Tea lets its timers and its reader run out by themselves.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).readLoop"),
	)
}

// stage is the whole program on an emulated terminal.
type stage struct {
	*screentest.Screen
	desk  *fakeDesk
	clock *fakeClock
}

func start(t *testing.T, desk *fakeDesk, width, height int, change ...func(*Options)) stage {
	t.Helper()
	clock := &fakeClock{now: noon}
	s := screentest.Start(t, width, height, func(in io.Reader, out io.Writer, w, h int) error {
		o := Options{
			Acts: desk, LedgerName: "/srv/agents/ledger.db", Zone: time.UTC, Now: clock.Now, Tick: 5 * time.Millisecond,
			Input: in, Output: out, Width: w, Height: h, Environ: []string{"TERM=xterm-256color", "TTY_FORCE=1"},
		}
		for _, c := range change {
			c(&o)
		}
		return Run(context.Background(), o)
	})
	return stage{Screen: s, desk: desk, clock: clock}
}

// calmly presses a key after a pause, and waits for what it brings.
func (s stage) calmly(key, shows string) {
	s.clock.pass(quietGap)
	s.Press(key)
	s.WaitFor(shows)
}

func TestTheWholeScreen(t *testing.T) {
	s := start(t, scene(), 80, 24)
	s.WaitFor("1 of 6")
	if !s.OnAltScreen() {
		t.Error("the screen is not the alternate one")
	}
	s.Press("j")
	s.WaitFor("Nobody has looked it up")
	s.Press("enter")
	s.WaitFor("opened, esc back")
	s.Press("G")
	s.WaitFor(sha)
	s.Press("esc", "/")
	s.Type("4712")
	s.WaitFor("filter /4712")
	s.WaitFor("1 of 1")
	s.Press("esc")
	s.WaitFor("5 of 6")
	s.Press("q")
	if err := s.Ended(); err != nil {
		t.Errorf("q: %v", err)
	}
	if s.OnAltScreen() {
		t.Error("the alternate screen was not left")
	}
}

func TestItFollowsTheLedger(t *testing.T) {
	s := start(t, scene(), 80, 24)
	s.WaitFor("1 of 6")
	s.Press("j", "j")
	s.WaitFor("3 of 6")
	s.desk.set(func(f *fakeDesk) {
		item := lost()
		item.Intent.OpKey, item.Intent.CreatedAt = "task-new", ago(5*time.Hour)
		f.items = append(f.items, item)
	})
	s.WaitFor("task-new")
	s.WaitFor("4 of 7") // the same intent, one further down
	s.WaitFor("Other content was found")
	s.desk.set(func(f *fakeDesk) { f.trouble = errors.New("disk I/O error") })
	s.WaitFor("! STALE")
	s.WaitFor("! Not live, read 0 s ago, at 22:15:00 UTC. The disk that holds the ledger")
	s.desk.set(func(f *fakeDesk) { f.trouble = nil })
	s.WaitGone("STALE")
}

func TestAWholeDecision(t *testing.T) {
	desk := scene()
	desk.answers["note"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Code: "claimed", Kind: actions.Changed, What: "carol is working on it.", Means: "Nothing was done.", Do: "Talk to her."}
	}
	s := start(t, desk, 80, 24)
	s.WaitFor("1 of 6")
	s.Press("j")
	s.WaitFor("Nobody has looked it up")
	s.Press("t", "tab", "tab", "enter", "enter") // typing ahead
	s.WaitFor("Keys count once you pause for a moment.")
	s.Paste("\r\r")
	s.WaitFor("That paste came before you could have read this")
	s.calmly("tab", "▌Note")
	s.Type("asked the ")
	s.Paste("\nreceiver\r\n")
	s.WaitFor("asked the receiver")
	s.calmly("tab", "[▶ Write the note ]")
	s.Paste("\r\n\r\n")
	s.WaitFor("That paste went nowhere")
	if acts := desk.acts(); len(acts) > 0 {
		t.Fatalf("the desk was asked to %q", acts)
	}
	s.calmly("enter", "Refused. carol is working on it. Nothing was done. Talk to her. (claimed)")
	s.calmly("enter", "cancelled, nothing was done") // Cancel has the focus again
}

func TestItFitsAnotherSize(t *testing.T) {
	s := start(t, scene(), 80, 24)
	s.WaitFor("1 of 6")
	s.Resize(200, 60)
	s.WaitFor("task-0/review-9          1 try    found")
	s.Resize(40, 10)
	s.WaitFor("This window is too small: 40×10.")
	s.Resize(120, 40)
	s.WaitFor("Identity")
}

func TestNothingForeignReachesTheTerminalRaw(t *testing.T) {
	desk := scene()
	bad := "\x1b]0;owned\a\x1b[2J\x9b31m\u009b1m\u202e\u2066\u200b\r\b\x00" + strings.Repeat("界", 60) + "\u2028"
	desk.items = []actions.Item{hostileItem(bad)}
	s := start(t, desk, 80, 24, func(o *Options) { o.LedgerName, o.Notices = bad, []string{bad} })
	s.WaitFor(`\x1b]0;owned\x07\x1b[2J\x9b31m\u009b1m\u202e`)
	for _, key := range []string{"enter", "H", "esc", "esc", "?", "esc", "W", "esc", "d"} {
		s.Press(key)
	}
	s.WaitFor("Mark delivered")
	for y, row := range s.Cells() {
		cells := 0
		for _, c := range row {
			cells += c.Width
			for _, r := range c.Content {
				if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
					t.Errorf("line %d holds %U", y, r)
				}
			}
		}
		if cells > 80 {
			t.Errorf("line %d takes %d cells", y, cells)
		}
	}
	for _, raw := range []string{"owned\a", "\x1b[2J\x9b", "\u202e", "\u2066", "\u009b", "\x9b31m"} {
		if strings.Contains(string(s.Raw()), raw) {
			t.Errorf("%q was written to the terminal", raw)
		}
	}
}

func coloured(s stage) (foregrounds, bold int) {
	for _, row := range s.Cells() {
		for _, c := range row {
			if c.Style.Fg != nil || c.Style.Bg != nil {
				foregrounds++
			}
			if c.Style.Attrs&uv.AttrBold != 0 {
				bold++
			}
		}
	}
	return foregrounds, bold
}

func TestColoursAndTheirAbsence(t *testing.T) {
	for _, c := range []struct {
		name, env string
		colours   bool
	}{{"colour", "COLORTERM=truecolor", true}, {"NO_COLOR", "NO_COLOR=yes", false}} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, scene(), 80, 24, func(o *Options) { o.Environ = append(o.Environ, c.env) })
			s.WaitFor("1 of 6")
			if colours, bold := coloured(s); colours > 0 != c.colours || bold == 0 {
				t.Errorf("%d coloured cells and %d bold ones", colours, bold)
			}
		})
	}
}

func TestLeavingWaitsForWhatIsUnderWay(t *testing.T) {
	desk, answer := scene(), make(chan struct{})
	desk.answers["lookup"] = func(string) (actions.Done, error) { <-answer; return actions.Done{Text: "Found."}, nil }
	s := start(t, desk, 80, 24)
	s.WaitFor("1 of 6")
	s.Press("l")
	s.WaitFor("Looking up report-inbox")
	s.Press("q")
	s.WaitFor("Waiting for the lookup of task-0/review-9 to finish")
	close(answer)
	s.WaitFor("Done.")
	if err := s.Ended(); err != nil {
		t.Error(err)
	}
}

func TestALineThatDropsRestoresTheTerminal(t *testing.T) {
	s := start(t, scene(), 80, 24)
	s.WaitFor("1 of 6")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := s.Ended(); err != nil || s.OnAltScreen() {
		t.Errorf("error %v, still on the alternate screen: %v", err, s.OnAltScreen())
	}
}

func TestTheEndOfTheContextIsNoError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := screentest.Start(t, 80, 24, func(in io.Reader, out io.Writer, w, h int) error {
		return Run(ctx, Options{Acts: scene(), Input: in, Output: out, Width: w, Height: h, Environ: []string{"TERM=xterm"}})
	})
	s.WaitFor("of 6")
	cancel()
	if err := s.Ended(); err != nil || s.OnAltScreen() {
		t.Errorf("error %v, still on the alternate screen: %v", err, s.OnAltScreen())
	}
}

func TestWithoutATerminal(t *testing.T) {
	stdin := os.Stdin
	os.Stdin, _ = os.Open(os.DevNull)
	defer func() { os.Stdin = stdin }()
	if err := Run(context.Background(), Options{Acts: scene()}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("error %v", err)
	}
}

func TestPicture(t *testing.T) {
	s := start(t, scene(), 80, 24)
	s.WaitFor("1 of 6")
	svg := s.SVG("the queue & one intent")
	for _, want := range []string{"<title>the queue &amp; one intent</title>", ">contradicted<", "monospace", `font-weight="bold"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if strings.Count(svg, "<svg") != 1 || !strings.HasSuffix(svg, "</svg>\n") {
		t.Error("the picture is not whole")
	}
}
