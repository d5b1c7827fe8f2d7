package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"triage/actions"
	"triage/ledger"
)

func theMarks(t *testing.T, d *driver, want ...string) {
	t.Helper()
	if !slices.Equal(d.m.marks.keys, want) {
		t.Errorf("marked %q, want %q", d.m.marks.keys, want)
	}
}

func TestMarksAreShownAndCounted(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {200, 60}} {
		d := drive(t, scene(), size[0], size[1])
		d.press("space", "j", "space")
		d.shows("2 marked", "Marked: task-A/review-1.")
		theMarks(t, d, "task-0/review-9", "task-A/review-1")
		for _, key := range d.m.marks.keys {
			if row := rowOf(t, d, key); !strings.Contains(row, marked+" ") {
				t.Errorf("%d×%d: the row of %s shows no mark: %q", size[0], size[1], key, row)
			}
		}
		if row := rowOf(t, d, "task-B/review-4"); strings.Contains(row, marked) {
			t.Errorf("a row that is not marked shows a mark: %q", row)
		}
		d.press("space")
		d.shows("1 marked", "Unmarked: task-A/review-1.")
		d.press("u")
		d.shows("Unmarked: 1 intent.")
		d.hides("marked  ", "1 marked")
		theMarks(t, d)
	}
}

// rowOf is the queue's line that names a key, with what stands before it.
func rowOf(t *testing.T, d *driver, key string) string {
	t.Helper()
	width, _ := d.m.panes()
	for _, l := range strings.Split(d.screen(), "\n")[2:] {
		if cut := []rune(l); len(cut) > 0 {
			if l = string(cut[:min(width, len(cut))]); strings.Contains(l, key) && !strings.Contains(l, "arked:") {
				return l
			}
		}
	}
	t.Fatalf("no row names %s:\n%s", key, d.screen())
	return ""
}

func TestAMarkFollowsItsKey(t *testing.T) {
	desk := crowd(40)
	d := drive(t, desk, 80, 24)
	d.press("j", "j", "j", "space")
	theMarks(t, d, "task-00003")
	desk.set(func(f *fakeDesk) { // an older one arrives above it
		item := lost()
		item.Intent.OpKey, item.Intent.CreatedAt = "older", ago(9*time.Hour)
		f.items = append(f.items, item)
	})
	d.tick(time.Second)
	d.shows("task-00003")
	if row := rowOf(t, d, "task-00003"); !strings.Contains(row, marked) {
		t.Errorf("the mark stayed behind: %q", row)
	}
	d.press("/")
	d.typed("00004")
	d.press("enter")
	d.shows("1 of 1", "1 marked") // out of sight, and still counted
	d.hides("left the queue")
	d.press("esc", "o", "o") // other lists too
	d.shows("1 marked")
	d.hides("left the queue")
}

func TestAMarkThatLeftTheQueueIsTold(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 120, 36)
	d.press("j", "space", "j", "space", "j")
	desk.set(func(f *fakeDesk) {
		f.items[0].Intent.State, f.items[0].Intent.Version, f.items[0].Intent.UpdatedBy = ledger.Delivered, 4, "agent-1"
	})
	d.tick(time.Second)
	d.shows("task-A/review-1 is marked and has left the queue: DELIVERED, last written by agent-1. Its mark stays; u",
		"2 marked (1 has left the queue)")
	theMarks(t, d, "task-A/review-1", "task-B/review-4")
	reads := desk.reads
	d.tick(time.Second)
	if desk.reads != reads {
		t.Error("it is read again although nothing was written")
	}
	desk.set(func(f *fakeDesk) { f.items[0].Intent.ContradictedAt = ledger.At(noon) }) // and it comes back
	d.tick(time.Second)
	d.hides("(1 has left the queue)")
	d.shows("2 marked ")
}

// A row that only moved in the queue has not left it.
func TestAMarkedRowThatMovesHasNotLeft(t *testing.T) {
	desk := scene()
	d := drive(t, desk, 120, 36)
	d.press("j", "space")
	desk.set(func(f *fakeDesk) { f.items[0].Intent.ContradictedAt = ago(time.Minute) })
	d.tick(time.Second)
	d.shows("1 marked ")
	d.hides("left the queue")
	if row := rowOf(t, d, "task-A/review-1"); !strings.Contains(row, marked) {
		t.Errorf("no mark: %q", row)
	}
	// Beyond the rows at hand nothing is known, and nothing is claimed.
	q := queue{shown: view{filter: ledger.FilterOpen}, more: true, rows: []ledger.QueueRow{{Cursor: ledger.Cursor{Rank: 1, CreatedAt: 5}}}}
	if q.spans(ledger.Cursor{Rank: 1, CreatedAt: 6}) || !q.spans(ledger.Cursor{Rank: 1, CreatedAt: 4}) {
		t.Error("the window is taken for another than it is")
	}
}

func TestManyMarksThatLeftAreCounted(t *testing.T) {
	desk := crowd(60)
	d := drive(t, desk, 80, 24)
	for range 50 {
		d.press("space", "j")
	}
	d.press("G")
	desk.set(func(f *fakeDesk) {
		for i := range 50 {
			f.items[i].Intent.State = ledger.Delivered
		}
	})
	for range 3 { // some at a time
		d.tick(20 * time.Second)
	}
	d.shows("50 marked (50 have left the queue)")
}

func TestReadOnlyHasNoMarksAndNoSweep(t *testing.T) {
	d := drive(t, scene(), 120, 36, func(o *Options) { o.ReadOnly = true })
	d.press("space")
	d.shows("space: mark for a sweep, and unmark is off: marks are for sweeps")
	d.press("L")
	d.shows("is off: the screen was opened with --read-only")
	if d.m.over != nil || len(d.m.marks.keys) > 0 {
		t.Error("something happened all the same")
	}
	didNothing(t, d)
}

func TestMarksSurviveAHostileKey(t *testing.T) {
	desk := scene()
	bad := "\x1b[2J\u202e" + strings.Repeat("界", 90)
	item := hostileItem(bad)
	item.Intent.ContradictedAt, item.LookupOff = ledger.At(noon), ""
	desk.items = []actions.Item{item}
	d := drive(t, desk, 60, 15)
	d.press("space")
	d.shows("1 marked")
	desk.set(func(f *fakeDesk) { f.items[0].Intent.ContradictedAt, f.items[0].Intent.State = 0, ledger.Delivered })
	d.tick(time.Second)
	d.tick(time.Second)
	d.shows("1 marked")
}
