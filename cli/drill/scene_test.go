package drill

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"triage/actions/verdict"
	"triage/ledger"
)

func buildScene(t *testing.T, dir string) *Scene {
	t.Helper()
	s, err := Build(t.Context(), dir, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestASceneIsWhatItsStoriesTell(t *testing.T) {
	t.Parallel()
	s := buildScene(t, "")
	if len(s.Items) != len(fates) {
		t.Fatalf("%d items, want %d", len(s.Items), len(fates))
	}
	for _, c := range []struct {
		key      string
		state    ledger.State
		cause    string // of the one attempt; "": it never finished
		receiver string // what the receiver has under the key: its state, or other content
		revoked  bool
	}{
		{deadSender, ledger.Pending, "", "delivered", false},
		{acmeReport, ledger.Unknown, "connection_reset", "delivered", false},
		{globexReport, ledger.Unknown, "timeout", "delivered", false},
		{initechReport, ledger.Unknown, "connection_reset", "", false},
		{umbrellaReport, ledger.Unknown, "timeout", "", false},
		{refusedInvoice, ledger.Unknown, "connection_reset", "refused", false},
		{changedContent, ledger.Unknown, "connection_reset", "other content", false},
		{revokedGrant, ledger.Unknown, "connection_reset", "", true},
		{lateContract, ledger.Unknown, "connection_reset", "delivered", false},
		{chatReminder, ledger.Unknown, "connection_reset", "", false},
	} {
		h := historyOf(t, s.world.books, c.key)
		if h.Intent.State != c.state || len(h.Attempts) != 1 || h.Attempts[0].Cause != c.cause {
			t.Errorf("%s is %s with attempts %+v, want %s and one with cause %q", c.key, h.Intent.State, h.Attempts, c.state, c.cause)
		}
		if h.Grant == nil || h.Grant.RevokedAt.IsNone() == c.revoked {
			t.Errorf("%s: grant %+v, want one, revoked: %v", c.key, h.Grant, c.revoked)
		}
		d, found, err := s.Receiver.Get(t.Context(), c.key)
		got := d.State
		if found && d.SHA256 != h.Intent.PayloadSHA256 {
			got = "other content"
		}
		if err != nil || got != c.receiver {
			t.Errorf("%s: the receiver has %q (%v), want %q", c.key, got, err, c.receiver)
		}
	}
	rule := ledger.StuckRule{Default: stuckAfter}
	if dead := historyOf(t, s.world.books, deadSender).Intent; !rule.Stuck(dead, ledger.WallClock()) {
		t.Errorf("%s is not stuck yet", deadSender)
	}
}

// Every lookup can prove what it is to prove as soon as the scene is built.
func TestTheFirstLookupLeadsToTheRightMove(t *testing.T) {
	t.Parallel()
	s := buildScene(t, "")
	desk, err := s.world.desk()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]verdict.Kind{
		deadSender:     verdict.Delivered,
		acmeReport:     verdict.Delivered,
		globexReport:   verdict.Delivered,
		initechReport:  verdict.Absent,
		umbrellaReport: verdict.Absent,
		refusedInvoice: verdict.Refused,
		changedContent: verdict.PayloadConflict,
		revokedGrant:   verdict.Absent,
		lateContract:   verdict.AbsenceInconclusive,
	} {
		done, err := desk.Lookup(t.Context(), key)
		if err != nil || done.Item.Verdict.Kind != want {
			t.Errorf("%s: %s (%v), want %s; because %q", key, done.Item.Verdict.Kind, err, want, done.Item.Verdict.Because)
		}
	}
	reminder, err := desk.Item(t.Context(), chatReminder)
	if err != nil || reminder.Verdict.Kind != verdict.NoLookup {
		t.Errorf("%s: %s (%v), want %s", chatReminder, reminder.Verdict.Kind, err, verdict.NoLookup)
	}
	// The late one can be settled at the instant that its verdict names.
	late, err := desk.Item(t.Context(), lateContract)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := s.Receiver.Get(t.Context(), lateContract)
	if err != nil || late.Verdict.NotBefore < d.ShownAt {
		t.Errorf("look again from %d, but it is shown from %d (%v)", late.Verdict.NotBefore, d.ShownAt, err)
	}
}

func TestTheConfigurationIsTrueOfTheWorld(t *testing.T) {
	t.Parallel()
	w, err := openWorld(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.close() })
	desk, err := w.desk()
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range desk.Config.Targets {
		if limit := target.Promises.AttemptTimeout; limit == nil || *limit <= senderTimeout {
			t.Errorf("%s promises that no attempt takes longer than %v; senders wait for %v", name, limit, senderTimeout)
		}
		if name != chatTarget && (target.Lookup == nil || len(target.Lookup.Missing) > 0) {
			t.Errorf("%s can't be looked up: %+v", name, target.Lookup)
		}
	}
	for name, target := range desk.Config.Targets { // whom to hand things over to
		if target.Contact == "" || target.Runbook == "" {
			t.Errorf("%s names the contact %q and the runbook %q", name, target.Contact, target.Runbook)
		}
	}
	if got := desk.Config.Target(inboxTarget).Contact; got != inboxContact {
		t.Errorf("the story names %s, the configuration %s", inboxContact, got)
	}
	if got := desk.Config.Stuck.After(inboxTarget); got != stuckAfter {
		t.Errorf("stuck_after is %v, want %v", got, stuckAfter)
	}
	if lag := desk.Config.Target(archiveTarget).Promises.LookupLag; lag == nil || *lag < archiveLag {
		t.Errorf("the archive promises a lag of %v and has %v", lag, archiveLag)
	}
}

func TestAKeptSceneKeepsItsFiles(t *testing.T) {
	t.Parallel()
	kept := filepath.Join(t.TempDir(), "fire drill #1")
	s, err := Build(t.Context(), kept, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	token, _ := s.Getenv(TokenVariable)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ledgerFile, receiverFile, configFile, tokenFile} {
		if _, err := os.Stat(filepath.Join(kept, name)); err != nil {
			t.Error(err)
		}
	}
	info, err := os.Stat(s.ConfigPath)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the configuration has mode %v (%v), want 0600", info.Mode().Perm(), err)
	}
	config, err := os.ReadFile(s.ConfigPath)
	if err != nil || strings.Contains(string(config), token) {
		t.Errorf("the configuration holds the token itself (%v)", err)
	}
	if _, err := Build(t.Context(), kept, io.Discard); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a second drill in the same directory: %v, want a refusal", err)
	}
}
