package tui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"triage/actions"
	"triage/ledger"
)

func selected(t *testing.T, d *driver, want string) {
	t.Helper()
	if d.m.queue.selected != want || d.m.intent.key != want {
		t.Errorf("selected %q, shown %q, want %q", d.m.queue.selected, d.m.intent.key, want)
	}
}

func TestTheFirstRowStartsSelected(t *testing.T) {
	selected(t, drive(t, scene(), 80, 24), "task-0/review-9")
	d := drive(t, crowd(0), 80, 24)
	selected(t, d, "")
	d.desk.set(func(f *fakeDesk) { f.items = append(f.items, lost()) })
	d.tick(time.Second)
	selected(t, d, "task-A/review-1") // and the first to come, in an empty queue
}

func TestSelectionFollowsTheKey(t *testing.T) {
	desk := crowd(40)
	d := drive(t, desk, 80, 24)
	for range 12 {
		d.press("j")
	}
	selected(t, d, "task-00012")
	line := d.m.queue.index() - d.m.queue.top
	desk.set(func(f *fakeDesk) {
		for k := range 5 { // older ones arrive above, and one that is contradicted
			item := lost()
			item.Intent.OpKey, item.Intent.CreatedAt = fmt.Sprintf("older-%d", k), ago(9*time.Hour)
			f.items = append(f.items, item)
		}
		f.items = append(f.items, contradicted())
	})
	d.tick(time.Second)
	selected(t, d, "task-00012")
	if d.m.queue.index() != 18 {
		t.Errorf("the row is number %d, want 18", d.m.queue.index())
	}
	if got := d.m.queue.index() - d.m.queue.top; got != line {
		t.Errorf("the selected row moved on the screen from line %d to %d", line, got)
	}
}

func TestASettledIntentStaysUntilOneMovesOn(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 120, 40)
	d.press("j", "j")
	selected(t, d, "task-B/review-4")
	desk.set(func(f *fakeDesk) {
		f.items[1].Intent.State, f.items[1].Intent.Receipt = ledger.Delivered, "rcpt_1"
	})
	d.tick(time.Second)
	selected(t, d, "task-B/review-4")
	d.shows("✓ DELIVERED", "No longer in the queue. It stays shown until you move on.")
	d.tick(20 * time.Second) // and through later readings
	d.shows("✓ DELIVERED")
	d.press("j")
	selected(t, d, "task-C/review-2")
	d.hides("DELIVERED", "task-B/review-4")
}

func TestTheRightPaneNeverShowsAnotherKeysEvidence(t *testing.T) {
	d := drive(t, scene(), 120, 40)
	d.press("j")
	d.shows("Nobody has looked it up since attempt 1 ended.")
	d.hold()
	d.press("j") // its answer is not there yet
	d.shows("task-B/review-4", "Reading …")
	d.hides("Nobody has looked it up")
	d.press("d")
	d.shows("mark delivered is off: this intent is still being read")
	d.press("j") // the first answer comes for a key that is no longer selected
	d.release()
	selected(t, d, "task-C/review-2")
	d.shows("did not find it; its canary was seen")
	d.hides("found other content")
}

func TestOldAnswersAreDropped(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	old := d.m.queue.request(pickFirst)
	fresh := d.m.queue.request(pickFirst)
	d.send(queueRead{request: fresh, rows: []ledger.QueueRow{{Intent: lost().Intent}}, at: ledger.At(noon)})
	d.send(queueRead{request: old, at: ledger.At(noon)})
	if len(d.m.queue.rows) != 1 {
		t.Errorf("an old answer was taken: %d rows", len(d.m.queue.rows))
	}
	d.send(itemRead{key: "task-Z", item: conflict()})
	if d.m.intent.item.Intent.OpKey == "task-B/review-4" {
		t.Error("another key's answer was taken")
	}
}

func TestPagesThroughMoreThanFitsIntoMemory(t *testing.T) {
	desk := crowd(1500)
	d := drive(t, desk, 80, 24)
	d.shows("1 of 1,500")
	for range 1499 {
		d.press("j")
		if n := len(d.m.queue.rows); n > windowRows+1 {
			t.Fatalf("%d rows are held", n)
		}
	}
	selected(t, d, "task-01499")
	d.shows("1,500 of 1,500")
	for range 1499 {
		d.press("k")
	}
	selected(t, d, "task-00000")
	d.shows("1 of 1,500")
	d.press("G")
	selected(t, d, "task-01499")
	d.shows("1,500 of 1,500")
	d.press("k", "pgup")
	selected(t, d, "task-01489")
	d.press("g")
	selected(t, d, "task-00000")
}

func TestNothingIsReadWhereNothingChanged(t *testing.T) {
	d := drive(t, scene(), 80, 24)
	reads := d.desk.reads
	for range 10 {
		d.tick(time.Second)
	}
	if d.desk.reads != reads {
		t.Errorf("the queue was read %d times although nobody had written", d.desk.reads-reads)
	}
	d.tick(restAfter) // time alone turns PENDING stuck
	if d.desk.reads != reads+1 {
		t.Errorf("the queue was read %d times after %v, want once", d.desk.reads-reads, restAfter)
	}
}

func TestNothingIsDrawnWhereNoWordsChanged(t *testing.T) {
	desk := scene()
	desk.items = []actions.Item{conflict()} // 47 m old, nothing counts down
	d := drive(t, desk, 80, 24)
	before := d.m.View().Content
	d.tick(20 * time.Second)
	if d.m.View().Content != before {
		t.Error("the screen changed although no words did")
	}
	d.tick(time.Minute)
	d.shows("48 m")
}

func TestAVerdictIsWorkedOutAnewWhenItsInstantPasses(t *testing.T) {
	desk := scene()
	desk.items[0].Verdict.NotBefore = in(7 * time.Second)
	d := drive(t, desk, 200, 60)
	d.press("j")
	d.shows("Not finding it proves something only from 22:15:07 UTC (in 7 s).")
	desk.mu.Lock() // no write: only time passes
	desk.items[0].Now, desk.items[0].Verdict.Because = in(8*time.Second), []string{"Now it can be proven."}
	desk.mu.Unlock()
	d.tick(8 * time.Second)
	d.shows("Now it can be proven.")
}

func TestFilterAsOneTypes(t *testing.T) {
	d := drive(t, scene(), 120, 40)
	d.press("/")
	d.typed("STUCK")
	d.shows("filter /STUCK", "1 of 1", "invoice-4712")
	d.hides("task-A/review-1")
	selected(t, d, "invoice-4712")
	d.press("ctrl+u")
	d.typed("carol")
	selected(t, d, "周报/第48期")
	d.press("enter") // keeps it; keys act on the list again
	d.shows("filter /carol")
	d.press("j", "x")
	d.shows("x: close is off")
	d.press("esc")
	d.hides("filter /")
	d.shows("6 of 6") // the selection stayed with its key
	d.press("/")
	d.typed("nothing like it")
	d.shows("no row shows that text", "esc clears the filter")
	selected(t, d, "")
	d.press("esc")
	selected(t, d, "task-0/review-9")
}

func TestFilterLooksBeyondTheWindow(t *testing.T) {
	d := drive(t, crowd(3000), 80, 24)
	d.press("/")
	d.typed("02987")
	selected(t, d, "task-02987")
	d.shows("1 of 1")
}

func TestKindsOfIntents(t *testing.T) {
	desk := scene()
	desk.items[0].Intent.State = ledger.Delivered
	d := drive(t, desk, 120, 40)
	for range 6 { // past snoozed, which nothing can be yet
		d.press("o")
		d.hides("snoozed")
	}
	d.shows("delivered  1 of 1", "task-A/review-1")
	for range 3 {
		d.press("o")
	}
	d.shows("open  1 of 5")
}

func TestARowFromTheFutureIsShownAsClockSkew(t *testing.T) {
	desk := scene()
	desk.items[0].Intent.CreatedAt, desk.items[0].SkewAhead = in(3*time.Minute), 3*time.Minute
	d := drive(t, desk, 120, 40)
	d.press("G")
	selected(t, d, "task-A/review-1")
	d.shows("? UNKNOWN  3 m ahead", "Clock skew: this row is dated 3 m in the future.")
	d.hides("clock ahead")
	desk.set(func(f *fakeDesk) { f.items[0].Intent.State = ledger.Pending })
	d.tick(time.Second)
	d.shows("~ 1 clock ahead", "~ PENDING clock ahead  2 m ahead")
	d.press("/")
	d.typed("clock ahead")
	d.shows("1 of 1")
}

// A list that can't be read shows no other list's rows under its title.
func TestAListThatCannotBeReadShowsNoOtherRows(t *testing.T) {
	desk := scene()
	desk.unread = map[ledger.StateFilter]error{
		ledger.FilterUnknown: errors.New(`sql: Scan error on column index 7, name "receipt": converting NULL to string is unsupported`),
	}
	d := drive(t, desk, 120, 40)
	d.press("o")
	d.shows("─ unknown ", "This list (unknown) could not be read, so no rows are shown.", "The ledger gave an answer that cannot be read here.", "o goes on to the next kind")
	d.hides("task-A/review-1", "task-0/review-9", "sql:", "Scan", "NULL")
	d.press("d")
	d.shows("no intent is selected")
	desk.set(func(f *fakeDesk) { f.unread = nil })
	d.tick(time.Second)
	d.shows("unknown  1 of 4", "task-A/review-1")
	d.hides("could not be read")
	desk.set(func(f *fakeDesk) { f.trouble = errors.New("disk I/O error (5386)") }) // its own rows stay, and are called old
	d.tick(time.Second)
	d.shows("task-A/review-1", "! Not live, read 1 s ago", "The disk that holds the ledger reports an error")
}

func TestRowsOfAnotherListAreNotShownWhileOneIsRead(t *testing.T) {
	d := drive(t, scene(), 120, 40)
	d.hold()
	d.press("o")
	d.shows("─ unknown ", "reading …")
	d.hides("task-C/review-2")
	d.release()
	d.shows("unknown  1 of 4", "task-C/review-2")
}

func TestRowsSayWhatTheReceiverAnsweredLast(t *testing.T) {
	desk := scene()
	desk.items[3].Lookups = []ledger.Lookup{{LookupID: "look-9", Outcome: ledger.LookupFailed}}
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		d := drive(t, desk, size[0], size[1])
		d.shows("not asked", "proven absent", "found", "lookup failed")
	}
	d := drive(t, desk, 80, 24)
	d.press("/")
	d.typed("lookup failed")
	selected(t, d, "invoice-4712")
}
