package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"triage/actions/lookup"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// A deadline has to lie strictly before first start + R − T − S − K; one that nobody can
// work out is no deadline that is early enough.
func TestWhenABudgetEndsTooLate(t *testing.T) {
	const budget, endless = "for longer than the key is safe", "nobody can say for how long that is safe"
	timeless := strings.Replace(sound, "attempt_timeout: 30s, ", "", 1)
	for name, tc := range map[string]struct {
		config string
		after  ledger.Millis // of the latest start
		want   string
	}{
		"a millisecond before":         {sound, -1, ""},
		"at the instant":               {sound, 0, budget},
		"after it":                     {sound, 1, budget},
		"without attempt_timeout":      {timeless, -3_600_000, endless},
		"without a promise of the key": {strings.Replace(sound, "same_key: returns_original, ", "", 1), 0, "the configuration does not"},
	} {
		h := healthy()
		latest, _ := func() (ledger.Millis, string) {
			c, _ := configured(t, sound)
			return c.Targets["inbox"].Promises.LatestStart(h.Attempts[0].StartedAt)
		}()
		h.Intent.MaxAttempts, h.Intent.DeadlineAt = 5, latest+tc.after
		c, text := configured(t, tc.config)
		told := strings.Join(question(t, Review(Input{Config: c, Text: text, Sample: recorded(h)}), "inbox", 5).Because, "\n")
		for _, words := range []string{budget, endless, "the configuration does not"} {
			if strings.Contains(told, words) != (words == tc.want) {
				t.Errorf("%s: it says\n%s\nwant %q and no other of these", name, told, tc.want)
			}
		}
	}
}

// Who is asked by content is not asked for a key that nobody used: it would find.
func TestAReceiverAskedByContentIsLeftAlone(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"n":1,"receipt":"rcpt-7731"}`)
	}))
	defer s.Close()
	c, _ := configured(t, strings.ReplaceAll(`
lookup:
  http: { url: "ADDR/find?sha={payload_sha256}", found: .body.n > 0, not_found: .body.n == 0, receipt: .body.receipt }
promises: { lookup_by: content, attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 24h }`, "ADDR", s.URL))
	other := healthy().Intent
	a := Ask(context.Background(), c.Targets["inbox"], "triage-doctor-1", &other, 0, lookup.For)
	if a.Key != "" || asked != 0 || !strings.Contains(a.sentence(), "asked by content") {
		t.Errorf("asked %d times; %s", asked, a.sentence())
	}
}

// A password that was written out is found however its connection string spells it.
func TestAPasswordWrittenOutIsFound(t *testing.T) {
	for _, settings := range []string{
		`sql: { postgres: "host=db.invalid user=reader password=hunter2secret dbname=inbox", query: "SELECT op_key FROM d WHERE op_key = :op_key" }`,
		`sql: { postgres: "postgres://reader:p%40ssw0rd-4711@db.invalid/inbox", query: "SELECT op_key FROM d WHERE op_key = :op_key" }`,
		`sql: { postgres: "postgres://reader@db.invalid/inbox?password=hunter2secret", query: "SELECT op_key FROM d WHERE op_key = :op_key" }`,
		`http: { url: "https://inbox.invalid/{op_key}", found: .status == 200, proxy: "http://s3cr3tproxytoken@proxy.invalid:3128" }`,
	} {
		c, text := configured(t, "\nlookup:\n  "+settings)
		f := question(t, Review(Input{Config: c, Text: text}), "inbox", 9)
		if f.Answer != Gap || !slices.Contains(f.Harms, Leak) {
			t.Errorf("%s: %v %v %v", settings, f.Answer, f.Harms, f.Because)
		}
	}
	c, _ := configured(t, "\nlookup:\n  http: { url: \"https://inbox.invalid/{op_key}\", found: .status == 200, proxy: \"http://s3cr3tproxytoken@proxy.invalid:3128\" }")
	if !slices.Contains(c.Targets["inbox"].Lookup.HTTP.Secrets, "s3cr3tproxytoken") {
		t.Errorf("a token before the proxy's host is no secret: %q", c.Targets["inbox"].Lookup.HTTP.Secrets)
	}
}

// A receiver that asked for quiet is left alone, whether or not the sample has its intents.
func TestQuietIsKeptForEveryTarget(t *testing.T) {
	ctx, path := t.Context(), t.TempDir()+"/ledger.db"
	if _, err := sqlite.Init(ctx, path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	now := ledger.WallClock()
	if _, err := db.Begin(ctx, ledger.NewIntent{OpKey: "quiet", Task: "t", Principal: "p", Target: "shy", PayloadSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	l, err := db.StartLookup(ctx, ledger.Lookup{OpKey: "quiet", StartedAt: now, Actor: "ann", Connector: "http"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(ledger.Evidence{RetryAt: now + 600_000})
	if err != nil {
		t.Fatal(err)
	}
	l.FinishedAt, l.Outcome, l.Cause, l.Evidence = now, ledger.LookupFailed, "rate_limited", string(raw)
	if err := db.Act(ctx, func(tx ledger.Tx) error { return tx.FinishLookup(l) }); err != nil {
		t.Fatal(err)
	}
	for n := range maxNewest {
		if _, err := db.Begin(ctx, ledger.NewIntent{OpKey: fmt.Sprintf("k%d", n), Task: "t", Principal: "p", Target: "inbox", PayloadSHA256: hash}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Gather(ctx, db, []string{"inbox", "shy"}, ledger.StuckRule{}, now)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Intents["shy"]) != 0 || s.Held["shy"] != now+600_000 || !s.Held["inbox"].IsNone() {
		t.Errorf("%d of its intents are in the sample, held %v", len(s.Intents["shy"]), s.Held)
	}
}
