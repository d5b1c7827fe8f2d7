package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"triage/cli"
	"triage/ledger"
	"triage/ledger/sqlite"
	"triage/tui"
	"triage/tui/screentest"
)

// drillScreen is `triage drill` as a person sees it: the whole program on an
// emulated terminal, with the real receiver, senders, ledger and screen.
type drillScreen struct {
	*screentest.Screen
	t      *testing.T
	ledger string
	after  *bytes.Buffer // what is printed once the screen is closed
}

func startDrill(t *testing.T, width, height int) drillScreen {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "drill")
	d := drillScreen{t: t, ledger: filepath.Join(dir, "ledger.db"), after: &bytes.Buffer{}}
	d.Screen = screentest.Start(t, width, height, func(in io.Reader, out io.Writer, w, h int) error {
		p := cli.Program{
			Out: d.after, Err: io.Discard, Getenv: os.LookupEnv, HasTerminal: func() bool { return true },
			Screen: func(ctx context.Context, r cli.ScreenRequest) error {
				return tui.Run(ctx, tui.Options{
					Acts: r.Acts, LedgerName: "ledger.db", ReadOnly: r.ReadOnly, Notices: r.Notices, Zone: time.UTC,
					Quiet: time.Nanosecond, // the test presses one key after another, and means each
					Input: in, Output: out, Width: w, Height: h, Environ: []string{"TERM=xterm-256color", "TTY_FORCE=1"},
				})
			},
		}
		if code := p.Run(context.Background(), []string{"drill", "--dir", dir}); code != 0 {
			t.Errorf("the drill ended with exit code %d", code)
		}
		return nil
	})
	d.WaitFor("weekly-report-acme")
	return d
}

// WaitFor waits for words, wherever the screen breaks its lines between them.
func (d drillScreen) WaitFor(words string) {
	d.t.Helper()
	d.WaitUntil(words, func(screen string) bool {
		return strings.Contains(strings.Join(strings.Fields(screen), " "), words)
	})
}

// choose brings one intent to the front, by filtering for its key.
func (d drillScreen) choose(key string) {
	d.t.Helper()
	d.Press("/")
	d.Type(key)
	d.Press("enter")
	d.WaitFor("1 of 1")
	d.waitRead(key)
}

// waitRead waits until an intent has been read and stands on the right: before
// that, its keys are off.
func (d drillScreen) waitRead(key string) {
	d.t.Helper()
	d.WaitUntil(key+" to be read and to stand on the right", func(screen string) bool {
		words := strings.Join(strings.Fields(screen), " ")
		return strings.Contains(words, "│ "+key) && strings.Contains(words, "Because") && !strings.Contains(words, "Reading …")
	})
}

// lookUp asks about the chosen intent and waits for the verdict that follows.
func (d drillScreen) lookUp(verdict string) {
	d.t.Helper()
	d.Press("l")
	d.WaitFor(verdict)
}

func (d drillScreen) leaveFilter() {
	d.t.Helper()
	d.Press("esc")
	d.WaitUntil("the whole queue", func(screen string) bool { return !strings.Contains(screen, "1 of 1") })
}

// reissue goes through the ceremony of a new intent. The phrase is typed where one
// is owed.
func (d drillScreen) reissue(phrase string) {
	d.t.Helper()
	d.Press("n")
	d.WaitFor("New intent, step 1")
	d.Press("tab", "enter")
	d.WaitFor("New intent, step 2")
	d.WaitFor("validity")
	d.Press("tab", "enter")
	d.WaitFor("New intent, step 3")
	d.Press("tab")
	d.Type("the receiver never got it")
	d.Press("tab")
	if phrase != "" {
		d.WaitFor(phrase)
		d.Type(phrase)
		d.Press("tab")
	}
	d.Press("enter")
	d.WaitFor("takes its place and waits for a sender")
}

// decide opens a dialog with one reason field and confirms it.
func (d drillScreen) decide(key, title, reason, says string) {
	d.t.Helper()
	d.Press(key)
	d.WaitFor(title)
	d.Press("tab")
	d.Type(reason)
	d.Press("tab", "enter")
	d.WaitFor(says)
}

// The operator settles each delivery of the drill from the screen alone, or leaves
// it for the right reason.
func TestTheDrillIsSettledFromTheScreen(t *testing.T) {
	t.Parallel()
	d := startDrill(t, 120, 40)
	d.Press("j", "j")
	d.waitRead("weekly-report-initech")
	d.lookUp("(absent)")
	if *updateDocs { // the picture in the README is this very screen
		picture := []byte(d.SVG("triage: a delivery that is proven absent"))
		if err := os.WriteFile(filepath.Join("..", "docs", "screen.svg"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"weekly-report-acme", "weekly-report-globex", "invoice-4712"} {
		d.choose(key)
		d.lookUp("(delivered)")
		d.leaveFilter()
	}
	for _, key := range []string{"weekly-report-initech", "weekly-report-umbrella"} {
		d.choose(key)
		d.lookUp("(absent)")
		d.reissue("")
		d.leaveFilter()
	}

	d.choose("invoice-4711")
	d.lookUp("(refused)")
	d.decide("x", "Close", "the invoice had been paid", "Closed as not delivered")
	d.leaveFilter()

	// Changed content under the old key: nothing can be done from here, and the keys
	// say why.
	d.choose("price-list-q4")
	d.lookUp("(payload_conflict)")
	for _, key := range []string{"d", "n", "x"} {
		d.Press(key)
		d.WaitFor(" is off: ")
		d.Press("esc")
	}
	d.decide("t", "note", "handed over to billing", "The note is written down")
	d.leaveFilter()

	// A revoked grant: proven absent, and still nobody may deliver it.
	d.choose("access-review-november")
	d.lookUp("(absent)")
	d.WaitFor("A new intent and a retry would be refused")
	for _, key := range []string{"n", "r"} {
		d.Press(key)
		d.WaitFor(" is off: the grant was revoked at")
		d.Press("esc")
	}
	d.decide("t", "note", "asked for a new grant", "The note is written down")
	d.leaveFilter()

	// Not found too early is no absence.
	d.choose("contract-hooli-2291")
	d.lookUp("(absence_inconclusive)")
	d.leaveFilter()

	// Nobody can be asked: a new intent at an accepted risk, with the phrase.
	d.choose("standup-reminder")
	d.reissue("I accept that the team reads the same reminder twice")
	d.Press("q")
	if err := d.Ended(); err != nil {
		t.Fatal(err)
	}
	checkSettled(t, d.ledger)
	if got := d.after.String(); !strings.Contains(got, "0 duplicates, 0 lost") {
		t.Errorf("afterwards:\n%s", got)
	}
}

func checkSettled(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for key, want := range map[string]struct {
		state      ledger.State
		by         ledger.SettledBy
		superseded bool
	}{
		"weekly-report-acme":     {ledger.Delivered, ledger.ByLookup, false},
		"weekly-report-globex":   {ledger.Delivered, ledger.ByLookup, false},
		"invoice-4712":           {ledger.Delivered, ledger.ByLookup, false},
		"weekly-report-initech":  {ledger.Unknown, "", true},
		"weekly-report-umbrella": {ledger.Unknown, "", true},
		"invoice-4711":           {ledger.Failed, ledger.ByOperator, false},
		"price-list-q4":          {ledger.Unknown, "", false},
		"access-review-november": {ledger.Unknown, "", false},
		"contract-hooli-2291":    {ledger.Unknown, "", false},
		"standup-reminder":       {ledger.Unknown, "", true},
	} {
		i, err := db.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if i.State != want.state || i.SettledBy != want.by || i.Superseded() != want.superseded {
			t.Errorf("%s: %s by %q, superseded by %q; want %+v", key, i.State, i.SettledBy, i.SupersededBy, want)
		}
	}
	report, err := db.Verify(t.Context())
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("verify: %+v, %v", report.Findings, err)
	}
}
