package config

import (
	"errors"
	"strings"
	"testing"
)

// target puts settings of one target into a whole file; they begin on line 3.
func target(lines ...string) string {
	return "targets:\n  inbox:\n    " + strings.Join(lines, "\n    ") + "\n"
}

// lookupHTTP puts settings of a connector beside the least it needs; they begin on line 7.
func lookupHTTP(lines ...string) string {
	return "targets:\n  inbox:\n    lookup:\n      http:\n        url: https://h/{op_key}\n        found: .status == 200\n        " + strings.Join(lines, "\n        ") + "\n"
}

func TestEveryMistakeHasItsLineAndItsMend(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		what string // in What
		mend string // in Mend
	}{
		// Keys.
		{"tragets: {}\n", 1, `unknown key "tragets" in the file`, "stuck_after, targets"},
		{target("a: 1"), 3, `unknown key "a" in targets.inbox`, "environment, console"},
		{lookupHTTP("method: POST"), 7, `method can't be "POST"`, "GET, HEAD"},
		{target("promises:", "  absence_is_prof: true"), 4, `unknown key "absence_is_prof"`, "absence_is_proof"},
		{"stuck_after: 5m\nstuck_after: 6m\n", 2, `"stuck_after" appears twice; the first is on line 1`, "Remove one"},
		{"targets:\n  a: {contact: x}\n  \"a\": {contact: y}\n", 3, `"a" appears twice; the first is on line 2`, "another name"},
		{target("contact: x", "contact: x"), 4, "appears twice", "Remove one"},
		{lookupHTTP("headers: {X-A: a, x-a: b}"), 7, "header X-A appears twice", "Remove one"},
		// What later versions know.
		{"operators: {}\n", 1, "operators is not supported by this version", "Remove it"},
		{"policy: p.cedar\n", 1, "policy is not supported by this version", "Remove it"},
		{target("lookup:", "  exec: {}"), 4, "lookup.exec has no argv", "Write argv:"},
		{target("lookup:", "  sql: {}"), 4, "lookup.sql must name one database", "Write sqlite:"},
		{target("lookup:", "  file: {}"), 4, "lookup.file has no path", "Write path:"},
		// Documents and YAML.
		{"stuck_after: 5m\n---\ntargets: {}\n", 2, "second document", "one document"},
		{"stuck_after: 5m\n---\n", 2, "second document", "one document"},
		{"stuck_after: 5m\n...\ntargets: {}\n", 3, "second document", "one document"},
		{"%YAML 1.1\n---\nstuck_after: 5m\n", 1, "begins with %", "Remove"},
		{"- a\n", 1, "the file must be a set of keys, and here stands a list", "Write its keys"},
		{"hello\n", 1, "here stands text", "Write its keys"},
		{"targets:\n\ta: b\n", 2, "not YAML", "indentation"},
		{"targets: {a: \n", 1, "not YAML", "quotes"},
		{"targets: \xff\n", 1, "not UTF-8", "UTF-8"},
		{"\n\ntargets: a\x00b\n", 3, "U+0000", "Remove"},
		{"targets: &t\n  a: {contact: x}\n", 1, "anchor or alias", "Write the value out"},
		{"targets: {a: {contact: &c x}, b: {contact: *c}}\n", 1, "contact uses a YAML anchor or alias", "Write the value out"},
		{"targets:\n  a:\n    <<: {contact: x}\n", 3, "anchor or alias", "Write the value out"},
		{target("contact: !!str 12"), 3, "contact uses a YAML tag", "Write the value out"},
		{"? [a]\n: b\n", 2, "not YAML", "quotes"},
		{"? targets\n: {}\n", 1, "must be a name", "Write the name"},
		// Names that are not text.
		{"targets:\n  404: {contact: x}\n", 2, "YAML may read 404 as something else", `Put it in quotes: "404"`},
		{"targets:\n  on: {contact: x}\n", 2, "YAML may read on ", `"on"`},
		{"targets:\n  ~: {contact: x}\n", 2, "here stands nothing", "Write the name"},
		{"targets:\n  \"\": {contact: x}\n", 2, "is empty", "Write a name"},
		{"targets:\n  \"a\\nb\": {contact: x}\n", 2, "line break or control character", "Remove it"},
		{"targets:\n  " + strings.Repeat("n", 256) + ": {contact: x}\n", 2, "more than 255", "Shorten"},
		{target("accounts: {agent-1: 17}"), 3, "YAML may read 17 ", `"17"`},
		{target("accounts: {agent-1: 010}"), 3, "YAML may read 010 ", `"010"`},
		{target("accounts: {1.5: a}"), 3, "YAML may read 1.5 ", `"1.5"`},
		{target("accounts: {a: ~}"), 3, "here stands nothing", "Write the name"},
		{target("accounts: [a]"), 3, "here stands a list", "Write its keys"},
		{target("environment: yes"), 3, "YAML may read yes ", `"yes"`},
		{target("promises:", "  canary: 123"), 4, "YAML may read 123 ", `"123"`},
		{target("promises:", "  canary: 2026-11-30"), 4, "YAML may read 2026-11-30 ", `"2026-11-30"`},
		{target("promises:", "  canary: null"), 4, "here stands nothing", "Write the name"},
		{target("promises:", "  canary:"), 4, "here stands nothing", "Write the name"},
		{target("promises:", "  canary: [a]"), 4, "here stands a list", "Write the name"},
		{target("promises:", "  canary: ${CANARY}"), 4, "variables are filled in only in url, headers, proxy, env and postgres", "itself"},
		// Values of the wrong kind.
		{target("contact: 12"), 3, "must be text, and here stands a number", "double quotes"},
		{target("contact: true"), 3, "here stands true or false", "double quotes"},
		{target("contact:"), 3, "here stands nothing", "leave the key out"},
		{target("contact: ''"), 3, "is empty", "leave the key out"},
		{target("promises:", "  absence_is_proof: yes"), 4, "must be true or false, and here stands text", "without quotes"},
		{target("promises:", "  absence_is_proof: \"true\""), 4, "here stands text", "without quotes"},
		{target("promises:", "  absence_is_proof: 1"), 4, "here stands a number", "without quotes"},
		{target("promises:", "  same_key: original"), 4, `can't be "original"`, "returns_original, none"},
		{target("promises:", "  same_key: true"), 4, "here stands true or false", "returns_original, none"},
		{target("promises:", "  lookup_by: hash"), 4, `can't be "hash"`, "key, content"},
		{target("promises:", "  receipt: theirs"), 4, `can't be "theirs"`, "own, key"},
		{target("promises:", "  since: 2026-11-30"), 4, "not an instant with a zone", "2026-11-30T00:00:00Z"},
		{target("promises:", "  since: 1767319445"), 4, "here stands a number", "date, time and zone"},
		{target("promises:", "  since: 1999-12-31T00:00:00Z"), 4, "outside the years", "date, time and zone"},
		{target("promises:"), 3, "must be a set of keys, and here stands nothing", "leave it out"},
		{"targets:\n  inbox:\n", 2, "must be a set of keys, and here stands nothing", "leave it out"},
		// Durations and rates.
		{"stuck_after: 5\n", 1, "number without a unit", "5m"},
		{"stuck_after: 0\n", 1, "number without a unit", "5m"},
		{"stuck_after: 0s\n", 1, "must be at least 1ms", "5m"},
		{"stuck_after: -5m\n", 1, "negative", "5m"},
		{"stuck_after: five\n", 1, `"five" is not a duration`, "5m"},
		{target("promises:", "  attempt_timeout: 0s"), 4, "at least 1ms", "90s"},
		{target("promises:", "  key_retention: 1500us"), 4, "finer than a millisecond", "whole milliseconds"},
		{target("promises:", "  key_retention: 40000d"), 4, "at most 36500d", "7d"},
		{target("promises:", "  lookup_lag: 366d"), 4, "at most 365d", "7d"},
		{target("promises:", "  lookup_lag: [1s]"), 4, "here stands a list", "90s"},
		{target("lookup:", "  timeout: 11m"), 4, "at most 10m", "90s"},
		{target("lookup:", "  rate: 5"), 4, "here stands a number", "5/s"},
		{target("lookup:", "  rate: 0/s"), 4, `not a rate: "0/s"`, "5/s"},
		{target("lookup:", "  rate: 5/d"), 4, `not a rate: "5/d"`, "5/s"},
		// The connector.
		{target("lookup:", "  timeout: 5s"), 3, "names no connector", "http:"},
		{target("lookup:", "  http: {found: .status == 200}"), 4, "has no url", "{op_key}"},
		{target("lookup:", "  http: {url: 'https://h/{op_key}'}"), 4, "has no found", "jq"},
		{target("lookup:", "  http: {url: 'https://{task}/{op_key}', found: .a}"), 4, "in or before its host", "path and query only"},
		{target("lookup:", "  http: {url: 'https://h/{opkey}', found: .a}"), 4, "unknown placeholder {opkey}", "{op_key} {task} {stage} {principal} {payload_sha256}"},
		{target("lookup:", "  http: {url: 'h/deliveries', found: .a}"), 4, "http:// or https://", "absolute URL"},
		{target("lookup:", "  http: {url: 'https://u:p@h/{op_key}', found: .a}"), 4, "user name or password", "header"},
		{target("lookup:", "  http: {url: 'https://h/deliveries', found: .a}"), 4, "does not hold {op_key}", "lookup_by: content"},
		{target("lookup:", "  http: {url: 'https://h/d', found: .a}", "promises: {lookup_by: content}"), 4, "holds no placeholder", "{task}"},
		{target("lookup:", "  http: {url: 'https://h/{task}', found: .a}", "promises: {lookup_by: content, canary: c}"), 4, "can't be asked for", "remove canary"},
		{target("console: https://h/{task}"), 3, "unknown placeholder {task}", "Write one of {op_key}"},
		{target("console: https://{op_key}/"), 3, "in or before its host", "Write the host out"},
		{lookupHTTP("not_found: .status =="), 7, "not a jq expression", ".status == 200"},
		{lookupHTTP("not_found: .status == foo"), 7, "function not defined: foo/0", ".status == 200"},
		{lookupHTTP("not_found: input"), 7, "not allowed", ".status == 200"},
		{lookupHTTP("key: import \"m\" as m; .a"), 7, "cannot load module", ".status == 200"},
		{lookupHTTP("key: ."), 7, "the whole answer", ".status"},
		{lookupHTTP("receipt: 17"), 7, "here stands a number", "double quotes"},
		{lookupHTTP("headers: {X A: b}"), 7, "not a header's name", "Authorization"},
		{lookupHTTP("headers: {Host: b}"), 7, "header Host can't be set", "Remove it"},
		{lookupHTTP("headers: {accept-encoding: b}"), 7, "Accept-Encoding can't be set", "Remove it"},
		{lookupHTTP(`headers: {X-A: "a\r\nX-B: b"}`), 7, "holds a line break", "one line"},
		{lookupHTTP(`headers: {X-A: "{op_key}"}`), 7, "filled in only in url", "Remove it"},
		{lookupHTTP(`headers: {X-A: "${}"}`), 7, "without a variable's name", "$${"},
		{lookupHTTP(`headers: {X-A: "${A:-b}"}`), 7, "without a variable's name", "$${"},
		{lookupHTTP(`headers: {X-A: "${A"}`), 7, "without a variable's name", "$${"},
		{lookupHTTP(`headers: {X-A: 5}`), 7, "here stands a number", "double quotes"},
	} {
		_, err := Load(write(t, c.text), env())
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want an error with %q", c.text, err, c.what)
			continue
		}
		if e.Line != c.line || !strings.Contains(e.What, c.what) || !strings.Contains(e.Mend, c.mend) {
			t.Errorf("%q\ngot  line %d: %s | %s\nwant line %d: %s | %s", c.text, e.Line, e.What, e.Mend, c.line, c.what, c.mend)
		}
	}
}

func TestErrorText(t *testing.T) {
	path := write(t, "stuck_after: 5m\ntargets:\n  inbox:\n    promises:\n      canary: 010\n")
	_, err := Load(path, env())
	want := path + `:5:15: targets.inbox.promises.canary must be text, and YAML may read 010 as something else. Put it in quotes: "010".`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestNamesThatNeedNoQuotes(t *testing.T) {
	for _, name := range []string{"e5", "E12", "weekly-42", "2026-11-30-weekly", "a.b", "v1.2", "nobody", "yes-man", "acct_17", "k:1", "1a", "#x"[1:], "größe", "x1e5", "-a", "0day"} {
		c := load(t, "targets:\n  "+name+": {contact: x}\n", env())
		if _, ok := c.Targets[name]; !ok {
			t.Errorf("%q became %v", name, c.Targets)
		}
	}
	for _, name := range []string{"404", "yes", "2026-11-30", "1e3", "0x1f", "12:30", "null", "1_000", "123456789012345678901234567890", "0o17", ".5", "+1", "y"} {
		if _, err := Load(write(t, "targets:\n  "+name+": {contact: x}\n"), env()); err == nil {
			t.Errorf("%s without quotes was taken", name)
		}
		c := load(t, "targets:\n  \""+name+"\": {contact: x}\n", env())
		if _, ok := c.Targets[name]; !ok {
			t.Errorf("%q in quotes became %v", name, c.Targets)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(whole)
	for _, s := range []string{"", "a: &a [*a]", "? {a: b}: c", "!!binary x", "a: |\n  b\n c", "- - -", "{{}}", "\"\\u0000\": a", "a: <<", "targets: {a: {lookup: {http: {url: '${A}', found: '\"a\"*2'}}}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, text)
		c, err := Load(path, env("A", "x"))
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.What == "" || c != nil) {
			t.Errorf("%#v, %v", c, err)
		}
	})
}
