package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/tui/screentest"
)

// breaking is a desk of which one part panics.
type breaking struct {
	*fakeDesk
	part string
}

func (b breaking) at(part string) {
	if b.part == part {
		panic(errors.New("secret-token"))
	}
}

func (b breaking) Item(ctx context.Context, key string) (actions.Item, error) {
	b.at("reading an intent")
	return b.fakeDesk.Item(ctx, key)
}

func (b breaking) Changed(ctx context.Context) (bool, error) {
	b.at("following the ledger")
	return b.fakeDesk.Changed(ctx)
}

func (b breaking) Lookup(ctx context.Context, key string) (actions.Done, error) {
	done, err := b.fakeDesk.Lookup(ctx, key)
	b.at("a lookup")
	return done, err
}

func (b breaking) Sweep(ctx context.Context, plan actions.SweepPlan, tell func(actions.SweepStep)) (actions.SweepReport, error) {
	b.at("a sweep")
	return b.fakeDesk.Sweep(ctx, plan, tell)
}

// trap is what lies over the screen and panics when it is drawn, or at a key.
type trap struct{ *pager }

func (trap) press(*Model, tea.KeyPressMsg) tea.Cmd { var p *pager; p.top++; return nil }

type trapdoor struct{ trap }

func (trapdoor) lines(*Model, int, int) ([]line, *tea.Position) { panic("secret-token") }

// A panic, wherever it is, leaves the terminal as it was, says how the acts stand, and
// leaves a report without anything that is nobody else's business.
func TestAPanicAnywhere(t *testing.T) {
	const nothing = "Nothing was under way."
	const db = "triage --db /srv/agents/ledger.db "
	for _, c := range []struct {
		name  string
		over  overlay
		part  string
		keys  []string
		says  string // about the acts
		where string // in the report
	}{
		{"update", trap{&pager{text: (*Model).noticeLines}}, "", []string{"x"}, nothing, "taking in a tea.KeyPressMsg"},
		{"view", trapdoor{}, "", nil, nothing, "drawing"},
		{"a command", nil, "reading an intent", nil, nothing, "a command that followed from taking in a tui.queueRead"},
		{"the follower", nil, "following the ledger", nil, nothing, "a command that followed from the start"},
		{"an act", nil, "a lookup", []string{"l"}, "The lookup of task-0/review-9 broke off. It may have been recorded, or not: look with `" + db + "show task-0/review-9`", "tea.KeyPressMsg"},
		{"a sweep", nil, "a sweep", []string{"L", "tab", "enter"}, "The question that the sweep is asking broke off. It may have been recorded, or not: look with `" + db + "list`", "tea.KeyPressMsg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "reports")
			s := breakable(t, breaking{scene(), c.part}, dir, func(m *Model) { m.over = c.over })
			for _, key := range c.keys {
				s.WaitFor(map[string]string{"x": "esc back", "l": "Safe now", "L": "Safe now", "tab": "Look up 5 intents", "enter": "[▶ Look up"}[key])
				s.Press(key)
			}
			err := s.Ended()
			var broken *Broken
			if !errors.As(err, &broken) {
				t.Fatalf("it ended with %v", err)
			}
			restored(t, s)
			for _, want := range []string{c.says, "The terminal has been restored.", broken.Report, "`" + db + "list`"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
			report := reportOf(t, dir)
			for _, want := range []string{"while " + c.where, "screen: 80×24", `TERM="xterm-256color"`, "panic_test.go", "panic: "} {
				if !strings.Contains(report, want) && !strings.Contains(report, strings.TrimPrefix(want, "while ")) {
					t.Errorf("the report lacks %q:\n%s", want, report)
				}
			}
			for _, secret := range []string{"secret-token", "task-0", sha} {
				if strings.Contains(report+err.Error(), secret) && secret != "task-0" || strings.Contains(report, secret) {
					t.Errorf("%q got out:\n%v\n%s", secret, err, report)
				}
			}
		})
	}
}

// breakable runs the screen on a model that was changed.
func breakable(t *testing.T, desk Acts, reports string, change func(*Model)) *screentest.Screen {
	t.Helper()
	return screentest.Start(t, 80, 24, func(in io.Reader, out io.Writer, w, h int) error {
		o := Options{
			Acts: desk, LedgerName: "/srv/agents/ledger.db", Zone: time.UTC, Tick: time.Hour, Quiet: time.Nanosecond, ReportDir: reports,
			Input: in, Output: out, Width: w, Height: h, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8", "API_KEY=secret-token"},
		}
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		work := newWork(ctx)
		m := newModel(ctx, o, work)
		change(m)
		return o.run(stop, m, work, programOptions(ctx, o))
	})
}

func restored(t *testing.T, s *screentest.Screen) {
	t.Helper()
	if s.OnAltScreen() || s.CursorHidden() || s.PasteBracketed() {
		t.Errorf("alternate screen %v, cursor hidden %v, bracketed paste %v", s.OnAltScreen(), s.CursorHidden(), s.PasteBracketed())
	}
}

func reportOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d reports, %v", len(files), err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the report's mode is %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What ran while the screen broke is finished first, and told.
func TestAPanicWaitsForWhatIsUnderWay(t *testing.T) {
	desk, asked, answer := scene(), make(chan struct{}), make(chan struct{})
	desk.answers["lookup"] = func(string) (actions.Done, error) { close(asked); <-answer; return actions.Done{Text: "Found."}, nil }
	s := breakable(t, desk, t.TempDir(), func(m *Model) {
		m.bindings = append(m.bindings, bind(groupOther, "z", "break", func(*Model) tea.Cmd { panic("z") }, "z"))
	})
	s.WaitFor("1 of 6")
	s.Press("l")
	<-asked
	s.Press("z")
	s.WaitFor("Waiting for the lookup of task-0/review-9 to finish")
	restored(t, s)
	close(answer)
	err := s.Ended()
	if want := "The lookup of task-0/review-9 had ended, and what came of it was not shown any more: look with `triage --db /srv/agents/ledger.db show task-0/review-9`"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it ended with %v", err)
	}
}

// Where no report can be written that is said too, and nothing else fails.
func TestAPanicWithoutAPlaceForTheReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := breakable(t, breaking{scene(), "reading an intent"}, file, func(*Model) {})
	err := s.Ended()
	var broken *Broken
	if !errors.As(err, &broken) || broken.Report != "" || !strings.Contains(err.Error(), "No report could be written: ") {
		t.Errorf("it ended with %v", err)
	}
	restored(t, s)
}

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		"task-A/review-1": "task-A/review-1", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$(rm x)": "'$(rm x)'", "a\nb": `'a\nb'`,
	} {
		if got := argument(in); got != want {
			t.Errorf("%q: %s, not %s", in, got, want)
		}
	}
}
