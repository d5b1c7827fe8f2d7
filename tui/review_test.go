package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"triage/ledger"
)

// lookingBack is a screen on which the past of task-A/review-1 is shown.
func lookingBack(t testing.TB, desk *fakeDesk, width, height int, keys ...string) *driver {
	t.Helper()
	d := drive(t, desk, width, height)
	d.selects("task-A/review-1")
	d.press("V")
	d.press(keys...)
	return d
}

func (d *driver) selects(key string) {
	d.t.Helper()
	d.press("o", "o", "o", "o", "o", "o", "o", "o") // all, where the settled ones are too
	for range len(d.desk.items) {
		if d.m.queue.selected == key {
			return
		}
		d.press("j")
	}
	d.t.Fatalf("%s is not in the list", key)
}

func TestGoldenReview(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"60x15", 60, 15}, {"80", 80, 24}, {"120", 120, 40}} {
		for name, keys := range map[string][]string{
			"now": {}, "before": {"left", "left"}, "first-act-off": {"home", "d"}, "journal": {"left", "H"}, "changes": {"left", "left", "m", "end", "w"},
			"all-changes-marked": {"w", "a"}, "opened-from-the-list": {"w", "j", "j", "enter"}, "to-an-instant": {"@"}, "help": {"?"},
		} {
			t.Run(name+"-"+size.name, func(t *testing.T) {
				golden(t, lookingBack(t, reviewed(), size.width, size.height, keys...).screen())
			})
		}
	}
}

// The past is walked through change by change, hour by hour, to its ends and to an
// instant; at each place it says which that is.
func TestTheKeyboardMovesThroughTime(t *testing.T) {
	d := lookingBack(t, reviewed(), 80, 24)
	d.shows("AS IT STOOD at 2026-11-30 22:15:00.000 UTC, 6 of 6 changes", "DELIVERED", "it stood so just now")
	d.press("right")
	d.shows("Nothing has happened to it since", "6 of 6 changes")
	for _, step := range []struct{ key, at, shows string }{
		{"left", "19:45:00.000 UTC, 5 of 6 changes", "bob marked it delivered, receipt rcpt_881"},
		{"left", "19:03:30.000 UTC, 4 of 6 changes", "it became UNKNOWN, written by agent-1"},
		{"left", "19:03:30.000 UTC, 3 of 6 changes", "attempt 1 came back unknown, timeout"},
		{"left", "19:03:00.120 UTC, 2 of 6 changes", "attempt 1 began, written by agent-1"},
		{"left", "19:03:00.000 UTC, 1 of 6 changes", "agent-1 began it"},
		{"left", "19:03:00.000 UTC, 1 of 6 changes", "This is its first change"},
		{"right", "19:03:00.120 UTC, 2 of 6 changes", "29.8 s later"},
		{"]", "20:03:00.120 UTC, 6 of 6 changes", "2026-11-30 19:45:00.005 UTC"},
		{"[", "19:03:00.120 UTC, 2 of 6 changes", "~ PENDING"},
		{"[", "19:03:00.120 UTC, 2 of 6 changes", "had not been begun by then"},
		{"end", "22:15:00.000 UTC, 6 of 6 changes", "✓ DELIVERED"},
		{"]", "22:15:00.000 UTC, 6 of 6 changes", "just now"},
		{"home", "19:03:00.000 UTC, 1 of 6 changes", "agent-1 began it"},
	} {
		d.press(step.key)
		d.shows("AS IT STOOD at 2026-11-30 "+step.at, step.shows)
	}
	d.press("@")
	d.typed("soon")
	d.press("enter")
	d.shows("That is no instant: write 2026-11-30 19:03:30")
	d.send(keyNamed("ctrl+u"))
	d.send(tea.PasteMsg{Content: " 2026-11-30T19:30:00Z\n"})
	d.press("enter")
	d.shows("AS IT STOOD at 2026-11-30 19:30:00.000 UTC, 4 of 6 changes", "? UNKNOWN", "15 m later bob marked it delivered")
	d.press("@")
	d.typed("2027-01-01 00:00:00")
	d.press("enter")
	d.shows("2027-01-01 00:00:00.000 UTC is yet to come.")
	d.press("esc")
	d.shows("AS IT STOOD at 2026-11-30 19:30:00.000 UTC")
}

// Whatever is pressed, the past can't be acted on, and says why; esc leads to the
// present, where the words of the past are gone.
func TestThePastCannotBeActedOn(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
		desk := reviewed()
		d := lookingBack(t, desk, size[0], size[1], "left", "left")
		for _, key := range []string{"l", "L", "d", "n", "r", "x", "a", "S", "D", "A", "t"} {
			d.press(key)
			flat := strings.Join(strings.Fields(d.screen()), " ")
			if !strings.Contains(flat, "is off: this is the past, which nothing can be done to") {
				t.Errorf("%s at %v does not say that it is off:\n%s", key, size, flat)
			}
		}
		if acts := desk.acts(); len(acts) > 0 {
			t.Fatalf("it did %q", acts)
		}
		for _, keys := range [][]string{{"j"}, {"H"}, {"G", "H"}, {"m"}, {"w"}, {"esc"}, {"?"}} {
			d.press(keys...)
			d.shows("PAST")
			d.hides("UNKNOWN   ", " pending", "  live\n")
		}
		d.press("esc", "esc")
		d.shows("live", "Back in the present")
		d.hides("PAST", "AS IT STOOD", "the past")
	}
}

// What changed between two instants: the older mark is where it begins, the rows say who
// did what to which intent and why, and lead to it as it stood once it had happened.
func TestWhatChangedBetweenTwoInstants(t *testing.T) {
	desk := reviewed()
	d := lookingBack(t, desk, 80, 24, "left", "m", "home", "w")
	d.shows("Between 2026-11-30 19:03:00.000 UTC and 2026-11-30 19:45:00.000 UTC", "bob marked it delivered, receipt rcpt_881", "task-A/review-1  at report-inbox  reason: seen in the console",
		"carol wrote a note", "without what senders and lookups wrote; 3 changes")
	d.hides("it became UNKNOWN")
	if asked := desk.reviews.asked[0]; asked.From.Seq != 11 || asked.To.Seq != 31 || !asked.Notable {
		t.Errorf("asked for %+v", asked)
	}
	d.press("enter")
	d.shows("about a grant, not about one intent")
	d.press("a")
	d.shows("it became UNKNOWN, written by agent-1", "5 changes")
	d.press("j", "j", "j", "enter")
	d.shows("task-B/review-4", "AS IT STOOD")
	d.press("esc", "k", "enter")
	d.shows("task-A/review-1", "AS IT STOOD at 2026-11-30 19:45:00.000 UTC, 5 of 6 changes", "? UNKNOWN")
	d.press("esc", "esc") // to the list, and to where that was opened
	d.shows("AS IT STOOD at 2026-11-30 19:03:00.000 UTC, 1 of 6 changes")
	d.press("esc")
	d.shows("live")
}

// A long list is read page by page, and gone back through the same way.
func TestChangesComeInPages(t *testing.T) {
	desk := reviewed()
	desk.reviews.changes = nil
	for n := range 250 {
		desk.reviews.changes = append(desk.reviews.changes, ledger.Change{
			Event: ledger.Event{Seq: int64(1000 - n), At: ago(time.Duration(n) * time.Minute), OpKey: fmt.Sprintf("key-%03d", n), Kind: "note", Actor: "ann"},
		})
	}
	d := lookingBack(t, desk, 80, 24, "w")
	d.shows("100 here, page 1, more further", "key-000")
	for range 99 {
		d.press("j")
	}
	d.shows("page 1", "key-099")
	d.press("j")
	d.shows("page 2", "key-100")
	d.hides("key-099")
	d.press("k")
	d.shows("page 1", "key-099")
	for range 60 {
		d.press("pgdown")
	}
	d.shows("50 here, page 3.", "key-249")
	if n := len(d.m.reviewing().list.changes.Rows); n > changesPage {
		t.Errorf("%d rows are held, want a page at most", n)
	}
	d.press("g")
	d.shows("page 1", "key-000")
}

// Trouble is told as trouble, never as "nothing happened".
func TestThePastThatCannotBeRead(t *testing.T) {
	desk := reviewed()
	desk.reviews.trouble = errDisk
	d := lookingBack(t, desk, 80, 24)
	d.shows("THE PAST: nothing read yet", "It could not be read.")
	d.press("w")
	d.shows("It could not be read.")
	d.hides("Nothing was written", "Nobody decided")
	d.press("esc")
	desk.reviews.trouble = nil
	d.press("end")
	d.shows("6 of 6 changes")
	desk.reviews.trouble = errDisk
	d.press("left")
	d.shows("6 of 6 changes", "It could not be read.")
}

// An answer that comes late belongs to the question before: it is dropped.
func TestALateAnswerAboutThePastIsDropped(t *testing.T) {
	d := lookingBack(t, reviewed(), 80, 24)
	d.hold()
	d.press("home", "end")
	held := d.held
	d.held, d.holding = nil, false
	d.run(held[1])
	d.shows("6 of 6 changes")
	d.run(held[0])
	d.shows("6 of 6 changes")
}

// What happens meanwhile is counted, and the instant that is shown stays.
func TestThePastStaysWhileTheLedgerGoesOn(t *testing.T) {
	desk := reviewed()
	d := lookingBack(t, desk, 80, 24, "left")
	desk.set(func(f *fakeDesk) {
		p := f.reviews.pasts["task-A/review-1"]
		p.events = append(p.events, ledger.Event{Seq: 50, At: ledger.At(noon), OpKey: "task-A/review-1", Kind: "note", Actor: "ann"})
		p.then = append(p.then, p.then[5])
		f.reviews.pasts["task-A/review-1"] = p
	})
	d.tick(time.Second)
	d.shows("AS IT STOOD at 2026-11-30 19:45:00.000 UTC, 5 of 7 changes")
}

// Under --read-only the foot offers the past where acts would stand.
func TestReadOnlyOffersThePast(t *testing.T) {
	d := drive(t, reviewed(), 80, 24, func(o *Options) { o.ReadOnly = true })
	d.shows("READ-ONLY", "V how it stood, what changed")
	d.press("V")
	d.shows("READ-ONLY", "PAST")
}

// Random keys and hostile records: nothing is done, every view fits, no control
// character gets through.
func TestAnyKeysInThePast(t *testing.T) {
	keys := strings.Fields("V left right [ ] home end g G @ m w H j k pgup pgdown space a enter esc q ? d n x / 1 ctrl+u up down")
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SampledFrom([]string{"\x1b]0;x\a\x1b[31m", "\u202e\u2066\u200b", "\x9b2J\xff", strings.Repeat("界", 130), "a\r\nb\tc", "e" + strings.Repeat("\u0301", 40)}).Draw(t, "text")
		desk := reviewed()
		desk.reviews = hostilePast(desk.reviews, bad)
		d := drive(failing{t: t}, desk, 80, 24)
		d.press("V")
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "resize") == 0 {
				d.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 200).Draw(t, "width"), Height: rapid.IntRange(1, 60).Draw(t, "height")})
			}
			d.press(rapid.SampledFrom(keys).Draw(t, "key"))
			d.checkView(t)
			if acts := desk.acts(); len(acts) > 0 {
				t.Fatalf("it did %q", acts)
			}
			if d.quit {
				return
			}
		}
	})
}

func hostilePast(r fakeReviews, bad string) fakeReviews {
	detail := `{"state":["` + "PENDING" + `","\u001b[31m"],"receipt":[null,"\u202e\u009b"],"n":[null,{}],"cause":3,"attempt_id":[1],"until":[null,1e300],"expires_at":[null,-1]}`
	pasts := map[string]fakePast{}
	for key, p := range r.pasts {
		var hostile fakePast
		for n, e := range p.events {
			e.Actor, e.Kind, e.Detail = bad, []string{e.Kind, bad, "claimed", "grant_changed"}[n%4], []string{detail, bad}[n%2]
			hostile.events = append(hostile.events, e)
			hostile.then = append(hostile.then, hostileItem(bad))
		}
		pasts[key] = hostile
	}
	for i := range r.changes {
		c := &r.changes[i]
		c.Actor, c.Reason, c.Target, c.Detail = bad, bad, bad, detail
	}
	r.pasts, r.trouble = pasts, nil
	return r
}

// On a terminal without colour the past is told from the present by words alone.
func TestThePastOnATerminalWithoutColour(t *testing.T) {
	s := start(t, reviewed(), 60, 15, func(o *Options) { o.ReadOnly, o.Environ = true, append(o.Environ, "NO_COLOR=1") })
	s.WaitFor("V how it stood")
	s.Press("V")
	s.WaitFor("PAST")
	s.Press("w")
	s.WaitFor("carol wrote a note")
	s.Press("j", "enter")
	s.WaitFor("AS IT STOOD at 2026-11-30 19:45:00.000 UTC, 5 of 6 changes")
	s.Press("left")
	s.WaitFor("4 of 6 changes")
	s.WaitFor("This is the past: it stood so 3 h 11 m ago.")
	s.Press("esc", "esc", "esc")
	s.WaitFor("Back in the present")
	s.Press("q")
	if err := s.Ended(); err != nil {
		t.Errorf("q: %v", err)
	}
}

// Read aloud, the past is said to be the past at each step, with its instant, and only
// once it is there.
func TestThePastInPlainWords(t *testing.T) {
	l := listen(t, reviewed())
	l.types("filter task-0")
	said := l.types("V", "w", "j", "enter")
	if said == "" {
		t.Fatal("nothing is said")
	}
	said = l.types("left")
	for _, want := range []string{
		"This is the past, as it stood at 2026-11-30 19:03:30.000 UTC, 3 h 11 m ago.", "UNKNOWN 30 s old then", "Change: 4 of 6: it became UNKNOWN, written by agent-1",
		"Judged for that instant", "Keys here, typed as lines: left, right",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "19:45:00.000 UTC, 2 h") {
		t.Errorf("the instant before is read out again:\n%s", said)
	}
	if said = l.types("@", "2026-11-30 19:03:01"); !strings.Contains(said, "as it stood at 2026-11-30 19:03:01.000 UTC") {
		t.Errorf("an instant that was typed: %s", said)
	}
	if said = l.types("d"); !strings.Contains(said, "d: mark delivered is off: this is the past") {
		t.Errorf("an act: %s", said)
	}
	if said = l.types("esc", "esc", "esc"); !strings.Contains(said, "Back in the present") {
		t.Errorf("back: %s", said)
	}
}
