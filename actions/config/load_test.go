package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// whole is the example of the design, every line of it.
const whole = `stuck_after: 5m
targets:
  report-inbox:
    environment: production
    console: https://inbox.internal/ui/{op_key}          # shown, never opened by itself
    runbook: https://wiki.internal/runbooks/inbox
    contact: "#inbox-oncall"
    duplicate_means: the customer gets the weekly report twice
    stuck_after: 90s
    accounts: { agent-1: acct_17 }
    lookup:
      http:
        url: https://inbox.internal/deliveries/{op_key}
        headers: { Authorization: "Bearer ${INBOX_TOKEN}" }
        found: .status == 200
        not_found: .status == 404
        key: .body.op_key
        receipt: .body.receipt
        payload_sha256: .body.sha256
        owner: .body.account
      timeout: 4s
      rate: 30/m
    promises: { attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 1d12h, absence_is_proof: true, found_is_final: true, refusal_is_final: true, same_key: returns_original, canary: probe-1, since: 2026-01-02T03:04:05+01:00 }
`

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, text string, getenv func(string) (string, bool)) *Config {
	t.Helper()
	c, err := Load(write(t, text), getenv)
	if err != nil {
		t.Fatalf("%v, in\n%s", err, text)
	}
	return c
}

func TestLoadTheWholeExample(t *testing.T) {
	path := write(t, whole)
	c, err := Load(path, env("INBOX_TOKEN", "tok-4711"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(whole))
	if c.Path != path || c.Hash != hex.EncodeToString(sum[:]) {
		t.Errorf("path %q, hash %q", c.Path, c.Hash)
	}
	if got := c.Stuck.After("report-inbox"); got != 90*time.Second {
		t.Errorf("stuck after %s at report-inbox", got)
	}
	if got := c.Stuck.After("other"); got != 5*time.Minute {
		t.Errorf("stuck after %s elsewhere", got)
	}
	d := func(d time.Duration) *time.Duration { return &d }
	want := Target{
		Name: "report-inbox", Environment: "production", Console: "https://inbox.internal/ui/{op_key}",
		Runbook: "https://wiki.internal/runbooks/inbox", Contact: "#inbox-oncall",
		DuplicateMeans: "the customer gets the weekly report twice", Accounts: map[string]string{"agent-1": "acct_17"},
		Lookup: &Lookup{
			HTTP: &HTTP{
				URL:     "https://inbox.internal/deliveries/{op_key}",
				Headers: map[string]string{"Authorization": "Bearer tok-4711"},
				Mapping: Mapping{
					Found: ".status == 200", NotFound: ".status == 404", Key: ".body.op_key", Receipt: ".body.receipt",
					PayloadSHA256: ".body.sha256", Owner: ".body.account",
				},
				Secrets: []string{"tok-4711"},
			},
			Timeout: 4 * time.Second, Rate: Rate{30, time.Minute},
		},
		Promises: verdict.Promises{
			AttemptTimeout: d(30 * time.Second), SettlesWithin: d(2 * time.Minute), LookupLag: d(30 * time.Second), KeyRetention: d(36 * time.Hour),
			AbsenceIsProof: true, FoundIsFinal: true, RefusalIsFinal: true, LookupBy: verdict.ByKey, SameKey: verdict.ReturnsOriginal,
			Receipt: verdict.OwnReceipt, Since: ledger.Millis(1767319445000), Canary: "probe-1",
		},
	}
	got := c.Target("report-inbox")
	if !reflect.DeepEqual(got.Lookup.HTTP, want.Lookup.HTTP) {
		t.Errorf("http %#v", *got.Lookup.HTTP)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNoConfigurationIsFine(t *testing.T) {
	for name, path := range map[string]string{"no file": "", "empty": write(t, ""), "comments": write(t, "# nothing yet\n"), "dashes": write(t, "---\n"), "nothing": write(t, "null\n"), "no keys": write(t, "{}\n")} {
		c, err := Load(path, env())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(c.Targets) != 0 || c.Stuck.Default != ledger.DefaultStuckAfter || c.Path != path {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestDefaults(t *testing.T) {
	c := load(t, "targets: {a: {lookup: {http: {url: 'http://h/{op_key}', found: .status == 200}}}, b: {contact: x}}\n", env())
	l := c.Target("a").Lookup
	if l.Timeout != 5*time.Second || l.Rate != (Rate{5, time.Second}) {
		t.Errorf("timeout %s, rate %v", l.Timeout, l.Rate)
	}
	b := c.Target("b")
	if b.Lookup != nil || b.Promises.LookupBy != verdict.ByKey || b.Promises.Receipt != verdict.OwnReceipt || b.Promises.SameKey != "" || b.Promises.KeyRetention != nil {
		t.Errorf("%+v", b)
	}
}

func TestFileThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ path, what string }{
		{filepath.Join(dir, "missing.yaml"), "no such configuration file"},
		{dir, "is a directory"},
		{write(t, strings.Repeat("# filler\n", MaxFileBytes/9+1)), "more than 1048576 bytes"},
	} {
		_, err := Load(c.path, env())
		var e *Error
		if !errors.As(err, &e) || e.Path != c.path || !strings.Contains(e.What, c.what) || e.Mend == "" {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	inDir := func() (string, error) { return dir, nil }
	path := filepath.Join(dir, "triage", "config.yaml")
	check := func(name, wantPath string, wantOK bool, flag string, getenv func(string) (string, bool), conf func() (string, error)) {
		t.Helper()
		if got, ok := Find(flag, getenv, conf); got != wantPath || ok != wantOK {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
	t.Chdir(dir) // a file in the working directory must change nothing
	if err := os.WriteFile("config.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check("none", "", false, "", env(), inDir)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check("flag first", "gone.yaml", true, "gone.yaml", env(PathVariable, "/x.yaml"), inDir)
	check("variable next", "/x.yaml", true, "", env(PathVariable, "/x.yaml"), inDir)
	check("empty variable", path, true, "", env(PathVariable, ""), inDir)
	check("directory last", path, true, "", env(), inDir)
	check("no directory", "", false, "", env(), func() (string, error) { return "", errors.New("no home") })
	check("relative directory", "", false, "", env(), func() (string, error) { return ".", nil })
}

// A forgotten file and a name spelt otherwise are told from a receiver without a lookup.
func TestWhyATargetIsUnknown(t *testing.T) {
	some := &Config{Path: "c.yaml", Targets: map[string]Target{"report-inbox": {Name: "report-inbox"}, "billing": {Name: "billing"}}}
	for _, tc := range []struct {
		config     *Config
		name, want string
	}{
		{nil, "report-inbox", "No configuration was read: name the file with --config or $TRIAGE_CONFIG."},
		{&Config{}, "report-inbox", "No configuration was read: name the file with --config or $TRIAGE_CONFIG."},
		{&Config{Path: "c.yaml"}, "report-inbox", "The configuration c.yaml has no targets."},
		{some, "Report-Inbox", "The configuration knows report-inbox, which is spelt otherwise."},
		{some, "report-inboks", "The configuration knows no target of that name; it knows billing, report-inbox."},
		{some, "billing", ""},
	} {
		if got := tc.config.Target(tc.name); got.Unknown != tc.want || got.Name != tc.name || got.Terms().Unconfigured != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got.Unknown, tc.want)
		}
	}
}
