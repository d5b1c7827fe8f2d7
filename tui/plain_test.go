package tui

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"triage/actions"
	"triage/ledger"
	"triage/tui/screentest"
)

// listener hears the plain mode: lines in, lines out.
type listener struct {
	*driver
	plain *plain
	out   bytes.Buffer
}

func listen(t testing.TB, desk *fakeDesk, change ...func(*Options)) *listener {
	t.Helper()
	l := &listener{driver: drive(t, desk, 0, 0, change...)}
	l.m = New(t.Context(), l.m.options) // one that nobody has listened to yet
	l.m.asks.timer = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	l.plain = newPlain(l.m, strings.NewReader(""), &l.out, "")
	l.face = l.plain
	l.plain.next = nil // the test types
	l.plain.Init()
	l.run(l.m.Init())
	return l
}

// types types a line after a pause, and returns what is said then.
func (l *listener) types(lines ...string) string {
	l.t.Helper()
	l.out.Reset()
	for _, text := range lines {
		l.clock.pass(quietGap)
		l.line(text)
	}
	return l.out.String()
}

// line types a line at once. The reading of the next one is left out.
func (l *listener) line(text string) {
	l.t.Helper()
	_, cmd := l.plain.Update(lineTyped{text: text, at: l.clock.Now()})
	l.run(cmd)
}

func heard(t testing.TB, said string, facts ...string) {
	t.Helper()
	for _, fact := range facts {
		if !strings.Contains("\n"+said, "\n"+fact+"\n") {
			t.Errorf("nothing says %q:\n%s", fact, said)
		}
	}
}

func TestPlainBeginning(t *testing.T) {
	l := listen(t, scene())
	heard(t, l.out.String(), "triage, ledger /srv/agents/ledger.db", "contradicted: 1", "UNKNOWN: 4", "stuck PENDING: 1", "List: open, 6.",
		"1: FAILED contradicted, 4 d 2 h old, report-inbox, task-0/review-9, found, 1 attempt",
		"Verdict on task-0/review-9: Recorded as FAILED by an operator, but: delivered: a receipt proves it. (delivered)")
	heard(t, l.types("2"), "Selected, 2 of 6: UNKNOWN, 3 h 12 m old, report-inbox, task-A/review-1, not asked, 1 attempt",
		"Verdict on task-A/review-1: Nobody knows yet: no lookup has come back since it was last sent. (never_looked_up)")
	heard(t, l.types("j"), "Selected, 3 of 6: UNKNOWN, 47 m old, report-inbox, task-B/review-4, unproven find, 1 attempt")
	heard(t, l.types("k", "open"), "Because: Nobody has looked it up since attempt 1 ended.", "sha256: "+sha, "Not known: Whether it was delivered.", "Safe now: l look up: ask the receiver under the original key; reads only")
	heard(t, l.types("copy"), "key: task-A/review-1", "hash: "+sha)
	heard(t, l.types("d?"), "d? is no command here. help names them all.")
	heard(t, l.types("filter billing"), "List: open, filtered for billing, 1.")
	heard(t, l.types("filter"), "List: open, 6.")
	heard(t, l.types("9"), "No row was read out under that number. list reads the rows out.")
	heard(t, l.types("help"), "/: filter as you type", "t: note", "Moving")
	heard(t, l.types("close"), "x: close is off: this receiver cannot be asked")
}

// Every act goes through the dialog of the screen, and to the desk as from there.
func TestPlainActs(t *testing.T) {
	for _, c := range []struct {
		row   string // as it is read out at the beginning
		lines []string
		did   string
	}{
		{"2", []string{"l"}, "lookup task-A/review-1"},
		{"2", []string{"d", "rcpt_7", "seen there", "ticket 9", "mark delivered 9f86"}, "deliver task-A/review-1 receipt=rcpt_7 reason=seen there evidence=ticket 9"},
		{"1", []string{"A", "told the customer", "Acknowledge 9f86"}, "acknowledge task-0/review-9 reason=told the customer"},
		{"1", []string{"dispute", "not theirs", "dispute 9f86"}, "dispute task-0/review-9 receipt=rcpt_881 reason=not theirs"},
		{"4", []string{"x", "cancelled", "close 9f86"}, "close task-C/review-2 reason=cancelled"},
		{"4", []string{"retry", "needed", "allow one more attempt  9f86"}, "retry task-C/review-2 reason=needed"},
		{"5", []string{"a", "1", "host 7 is down", "abandon 9f86"}, "abandon invoice-4712 reason=host 7 is down killed=true"},
		{"3", []string{"set-aside", "hopeless", "set aside 9f86"}, "set-aside task-B/review-4 reason=hopeless"},
		{"2", []string{"note", "asked billing", "write the note 9f86"}, "note task-A/review-1 reason=asked billing"},
		{"4", []string{"n", "go on 9f86", "go on 9f86", "needed", "make the new intent 9f86"}, "reissue task-C/review-2 reason=needed accept="},
		{"2", []string{"n", "go on 9f86", "go on 9f86", "needed", phrase, "make the new intent 9f86"}, "reissue task-A/review-1 reason=needed accept=" + phrase},
	} {
		t.Run(c.did, func(t *testing.T) {
			l := listen(t, scene())
			l.types(c.row)
			for i, text := range c.lines {
				if acts := l.desk.acts(); len(acts) > 0 {
					t.Fatalf("before line %d the desk was asked to %q", i, acts)
				}
				l.types(text)
			}
			if got := l.desk.acts(); !reflect.DeepEqual(got, []string{c.did}) {
				t.Errorf("the desk was asked to %q, not %q; last said:\n%s", got, c.did, l.out.String())
			}
			if l.plain.asking != nil || !strings.Contains(l.out.String(), "Done: ") {
				t.Errorf("what came of it is not said:\n%s", l.out.String())
			}
		})
	}
}

func TestPlainDialogPinsAndAsks(t *testing.T) {
	l := listen(t, scene())
	l.types("4")
	heard(t, l.types("x"), "Close as not delivered", "key: task-C/review-2", "sha256: "+sha, "as seen: at report-inbox (production), version 3, verdict absent",
		"Question: Reason. Why it is not to be delivered any more. Goes on record under your name.", "An empty line cancels.")
	heard(t, l.types("cancelled"), "Cancel is the default: an empty line does nothing.", "To go through with it, type: close 9f86")
	heard(t, l.types("yes"), "Close as not delivered: cancelled, nothing was done.")
	for _, lines := range [][]string{{"x", ""}, {"x", "esc"}, {"x", "why", "esc"}, {"x", "why", ""}, {"x", "why", "close"}, {"x", "why", "close 9f87"}} {
		if said := l.types(lines...); !strings.Contains(said, "cancelled, nothing was done.") || l.plain.asking != nil {
			t.Errorf("%q: %s", lines, said)
		}
	}
	didNothing(t, l.driver)
}

// What was pasted, and what a held key repeats, comes too soon to count.
func TestPlainPasteConfirmsNothing(t *testing.T) {
	l := listen(t, scene())
	l.types("4", "x")
	l.out.Reset()
	for range 3 {
		for _, text := range []string{"why", "close 9f86", "close 9f86", ""} {
			l.line(text)
		}
	}
	heard(t, l.out.String(), "That line came too soon after the question, and was left out.")
	if l.plain.asking == nil || l.plain.asking.at != 0 {
		t.Errorf("the dialog went on: %+v", l.plain.asking)
	}
	l.types("why")
	l.line("close 9f86")
	l.line("close 9f86")
	didNothing(t, l.driver)
	heard(t, l.types("close 9f86"), "Writing to the ledger …")
	if got := l.desk.acts(); len(got) != 1 {
		t.Errorf("the desk was asked to %q", got)
	}
}

// An intent that moved while its dialog asks can be decided no more; a refusal is read
// out, and what was typed stays.
func TestPlainMovedAndRefused(t *testing.T) {
	desk := scene()
	l := listen(t, desk)
	l.types("2", "d", "rcpt_7", "sure")
	desk.set(func(f *fakeDesk) { f.items[0].Intent.State, f.items[0].Intent.Version = ledger.Delivered, 4 })
	l.out.Reset()
	l.tick(time.Second)
	if said := l.out.String(); !strings.Contains(said, "! This intent changed while the dialog was open: version 3 became 4") {
		t.Errorf("nothing says that it moved:\n%s", said)
	}
	if said := l.types("", "mark delivered 9f86"); !strings.Contains(said, "It changed after you had opened this.") {
		t.Errorf("said:\n%s", said)
	}
	didNothing(t, l.driver)
	l.types("esc")

	desk = scene()
	desk.answers["note"] = func(string) (actions.Done, error) {
		return actions.Done{}, &actions.Refusal{Kind: actions.Changed, Code: "claimed", What: "carol is working on it.", Means: "Nothing was done.", Do: "Talk to her."}
	}
	l = listen(t, desk)
	l.types("2", "t", "a word")
	heard(t, l.types("write the note 9f86"), "Refused. carol is working on it. Nothing was done. Talk to her. (claimed)", "Filled in: a word. An empty line keeps it, esc cancels.")
	l.types("", "write the note 9f86")
	if got := desk.acts(); !reflect.DeepEqual(got, []string{"note task-A/review-1 reason=a word", "note task-A/review-1 reason=a word"}) {
		t.Errorf("the desk was asked to %q", got)
	}
}

// What changes is said once, as new lines.
func TestPlainAnnouncesChanges(t *testing.T) {
	desk := scene()
	l := listen(t, desk)
	l.out.Reset()
	l.tick(time.Second)
	if said := l.out.String(); said != "" {
		t.Errorf("nothing has changed, and it says:\n%s", said)
	}
	desk.set(func(f *fakeDesk) {
		item := lost()
		item.Intent.OpKey = "task-new"
		f.items = append(f.items, item)
		f.items[1].Claim = claimed().Claim
	})
	l.tick(time.Second)
	heard(t, l.out.String(), "UNKNOWN: 5", "New in the list: UNKNOWN, report-inbox, task-new, not asked, 1 attempt",
		"Changed: UNKNOWN, report-inbox, task-B/review-4, unproven find, 1 attempt, claimed by carol")
	desk.set(func(f *fakeDesk) { f.items[0].Intent.State = ledger.Delivered })
	l.out.Reset()
	l.tick(time.Second)
	heard(t, l.out.String(), "UNKNOWN: 4", "Left the list: task-A/review-1")
	desk.set(func(f *fakeDesk) { f.trouble = errors.New("disk I/O error") })
	l.out.Reset()
	l.tick(time.Second)
	l.tick(time.Second)
	if said := l.out.String(); strings.Count(said, "Attention: not live.") != 1 {
		t.Errorf("said:\n%s", said)
	}
	desk.set(func(f *fakeDesk) { f.trouble = nil })
	l.out.Reset()
	l.tick(time.Second)
	heard(t, l.out.String(), "Live again.")
}

func TestPlainSweep(t *testing.T) {
	l := listen(t, scene())
	heard(t, l.types("L"), "Sweep 5 intents at 2 targets, counted 22:15:00 UTC", "To go through with it, type: look up 5 intents")
	heard(t, l.types("look up 5 intents"), "The sweep has ended: 5 of 5 asked, 5 not conclusive. L shows the report.")
	heard(t, l.types("L"), "Done: 5 of 5 asked.", "5: not conclusive: nothing is proven yet")
	if got := l.desk.acts(); len(got) != 6 {
		t.Errorf("the desk was asked to %q", got)
	}
	heard(t, l.types("stop"), "No sweep runs.")
}

// Nothing is written but text, whatever stands in the ledger.
func TestPlainWritesTextOnly(t *testing.T) {
	desk := scene()
	bad := "\x1b]0;owned\a\x1b[2J\x9b31m\u202e\u200b\r\b\x00\n界"
	desk.items = append(desk.items, hostileItem(bad))
	l := listen(t, desk, func(o *Options) { o.LedgerName, o.Notices = bad, []string{bad} })
	said := l.out.String()
	for _, text := range []string{"G", "open", "H", "copy", "help", "W", "V", "esc", "esc", "d", bad, bad, bad, bad, "t", bad, "esc", "filter " + bad, bad} {
		said += l.types(text)
	}
	for _, r := range said {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) || r == unicode.ReplacementChar {
			t.Fatalf("%U was written:\n%q", r, said)
		}
	}
	if !strings.Contains(said, `\x1b]0;owned\x07`) {
		t.Error("the text in the ledger is not shown at all")
	}
	didNothing(t, l.driver)
}

// The whole program with TERM=dumb: no escape is ever written, and the end of the
// input leaves.
func TestPlainProgram(t *testing.T) {
	desk := scene()
	s := screentest.Start(t, 100, 50, func(in io.Reader, out io.Writer, w, h int) error {
		return Run(t.Context(), Options{
			Acts: desk, LedgerName: "ledger.db", Now: func() time.Time { return noon }, Tick: time.Hour, Quiet: time.Nanosecond,
			Input: in, Output: out, Width: w, Height: h, Environ: []string{"TERM=dumb", "LANG=C.UTF-8"},
		})
	})
	s.WaitFor("TERM is dumb: this terminal shows lines of text only. This is the plain mode of triage.")
	s.WaitFor("Verdict on task-0/review-9")
	s.Type("2\n")
	s.WaitFor("Verdict on task-A/review-1")
	s.Type("l\n")
	s.WaitFor("Done: lookup.")
	s.Type("q\n")
	if err := s.Ended(); err != nil {
		t.Errorf("q: %v", err)
	}
	if bytes.ContainsRune(s.Raw(), '\x1b') {
		t.Errorf("an escape was written: %q", s.Raw())
	}
	if got := desk.acts(); !reflect.DeepEqual(got, []string{"lookup task-A/review-1"}) {
		t.Errorf("the desk was asked to %q", got)
	}
}
