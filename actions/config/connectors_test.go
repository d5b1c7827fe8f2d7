package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"triage/ledger"
)

func TestExec(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "inbox-lookup")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := target("lookup:", "  exec:", "    argv: [inbox-lookup, --json, '-']", `    env: {TOKEN: "Bearer ${INBOX_TOKEN}", PLAIN: x}`, "    exit_codes: [0, 4]")
	l := load(t, text, env("INBOX_TOKEN", "a\nb-4711", "PATH", "relative"+string(filepath.ListSeparator)+dir)).Target("inbox").Lookup
	want := &Exec{
		Argv: []string{program, "--json", "-"}, Env: map[string]string{"TOKEN": "Bearer a\nb-4711", "PLAIN": "x"}, ExitCodes: []int{0, 4}, Secrets: []string{"a\nb-4711"},
	}
	if !reflect.DeepEqual(l.Exec, want) || l.Connector() != "exec" || l.Means() != ExecProtocol() {
		t.Errorf("%q %q %v %q", l.Exec.Argv, l.Exec.Env, l.Exec.ExitCodes, l.Exec.Secrets)
	}
	mapped := load(t, target("lookup: {exec: {argv: ["+program+"], found: .body.there}}"), env()).Target("inbox").Lookup
	if mapped.Means() != (Mapping{Found: ".body.there"}) || !slices.Equal(mapped.Exec.ExitCodes, []int{0}) {
		t.Errorf("%+v", mapped.Means())
	}
}

// A program that is not there stops the lookups of its target, and nothing else.
func TestAMissingProgramStopsItsLookups(t *testing.T) {
	dir := t.TempDir()
	for _, argv := range []string{"[inbox-lookup]", "[" + filepath.Join(dir, "inbox-lookup") + "]", "[" + dir + "]"} {
		c := load(t, target("lookup: {exec: {argv: "+argv+"}}"), env("PATH", dir))
		off := c.Target("inbox").LookupOff()
		if !strings.Contains(off, ":3: the program ") || !strings.Contains(off, "is not there or can't be run. Install it") || c.Target("inbox").Terms().LookupOff != off {
			t.Errorf("%s: %q", argv, off)
		}
	}
}

func TestSQL(t *testing.T) {
	l := load(t, target("lookup: {sql: {sqlite: /srv/inbox.db, query: 'SELECT receipt FROM t WHERE k = :op_key', receipt: '.rows[0].id'}}"), env()).Target("inbox").Lookup
	m := l.Means()
	if l.Connector() != "sql" || l.Address() != "/srv/inbox.db" || l.SQL.Query != "SELECT receipt FROM t WHERE k = :op_key" {
		t.Errorf("%s %s", l.Connector(), l.Address())
	}
	if m.Receipt != ".rows[0].id" || m.Key != ".rows[0].op_key" || m.NotFound != "(.rows | length) == 0" || m.Hits != ".rows" || m.Refused != "" {
		t.Errorf("%+v", m)
	}
	const query = "query: 'SELECT 1 WHERE 1 = :op_key'"
	for _, c := range []struct {
		postgres, value string
		secrets         []string
	}{
		{"${INBOX_DSN}", "postgres://agent-1:pw-4711@db.internal/inbox", []string{"pw-4711"}},
		{"${INBOX_DSN}", "host=db.internal user=agent-1 password='p w' dbname=x", []string{"p w"}},
		{"${INBOX_DSN}", "postgres://agent-1@db.internal/inbox", nil},
		{"postgres://agent-1:${INBOX_DSN}@db.internal/inbox", "pw%2D4711", []string{"pw-4711", "pw%2D4711"}},
		{"postgres://agent-1:literal-1@${INBOX_DSN}/inbox", "db.internal", []string{"literal-1", "db.internal"}},
	} {
		got := load(t, target(`lookup: {sql: {postgres: "`+c.postgres+`", `+query+`}}`), env("INBOX_DSN", c.value)).Target("inbox")
		if got.LookupOff() != "" || !slices.Equal(got.Lookup.SQL.Secrets, c.secrets) {
			t.Errorf("%s with %s: %q %s", c.postgres, c.value, got.Lookup.SQL.Secrets, got.LookupOff())
		}
	}
	for value, want := range map[string]string{"": "INBOX_DSN is empty", "postgres://a:pw-4711@h:port/x": "INBOX_DSN is not a PostgreSQL connection string"} {
		off := load(t, target(`lookup: {sql: {postgres: "${INBOX_DSN}", `+query+`}}`), env("INBOX_DSN", value)).Target("inbox").LookupOff()
		if !strings.Contains(off, want) || strings.Contains(off, "4711") {
			t.Errorf("%q: %q", value, off)
		}
	}
}

func TestFile(t *testing.T) {
	text := target("lookup: {file: {path: /srv/x/../e.csv, format: csv, as_of: 2026-12-01T08:00:00Z, complete_at: 2026-12-01T09:00:00+01:00, complete: true, row_key: .ref}}")
	c := load(t, text, env()).Target("inbox")
	f, at := c.Lookup.File, ledger.Millis(1796112000000)
	if f.Path != "/srv/e.csv" || f.Format != CSV || f.AsOf != at || f.CompleteAt != at || !f.Complete || f.KeyOfRow() != ".ref" {
		t.Errorf("%+v", f)
	}
	if terms := c.Terms(); terms.Connector != "file" || terms.ExportAsOf != at {
		t.Errorf("%+v", terms)
	}
	if m := c.Lookup.Means(); m.Found != "(.rows | length) > 0" || !strings.Contains(m.Key, ".ref") || m.Owner != ".rows[0].owner" {
		t.Errorf("%+v", m)
	}
}

func TestEveryConnectorsMistakeHasItsMend(t *testing.T) {
	const sql = "lookup: {sql: {sqlite: /d, query: "
	const file = "lookup: {file: {path: /e, format: csv, as_of: 2026-12-01T08:00:00Z, "
	for _, c := range []struct{ text, what, mend string }{
		{"lookup: {exec: {argv: [/bin/sh]}, file: {path: /e, format: csv, as_of: 2026-12-01T08:00:00Z}}", "names several connectors: exec, file", "Keep the one"},
		{"lookup: {timeout: 5s}", "names no connector", "http:, exec:, sql: or file:"},
		{"lookup: {exec: {argv: /bin/sh}}", "must be the program and its arguments", "[/usr"},
		{"lookup: {exec: {argv: []}}", "is an empty list", "[/usr"},
		{"lookup: {exec: {argv: [/bin/sh, 5]}}", "argv[1] must be text", "quotes"},
		{"lookup: {exec: {argv: [./inbox-lookup]}}", "depends on where triage is started", "absolute path"},
		{"lookup: {exec: {argv: [/bin/sh, '{op_key}']}}", "holds a placeholder", "standard input"},
		{"lookup: {exec: {argv: [/bin/sh, '${TOKEN}']}}", "seen by every user", "in env"},
		{`lookup: {exec: {argv: [/bin/sh, "a\0b"]}}`, "control character", "Remove it"},
		{"lookup: {exec: {argv: [/bin/sh], env: {'A B': x}}}", "is not a variable's name", "letters"},
		{"lookup: {exec: {argv: [/bin/sh], exit_codes: [0, 256]}}", "exit_codes[1] is not an exit code", "[0, 1]"},
		{"lookup: {exec: {argv: [/bin/sh], exit_codes: [-1]}}", "is not an exit code", "[0, 1]"},
		{"lookup: {exec: {argv: [/bin/sh], exit_codes: ['0']}}", "is not an exit code", "[0, 1]"},
		{"lookup: {exec: {argv: [/bin/sh], exit_codes: [010]}}", "is not an exit code", "[0, 1]"},
		{"lookup: {exec: {argv: [/bin/sh], exit_codes: [1, 1]}}", "appears twice", "Remove"},
		{"lookup: {exec: {argv: [/bin/sh], not_found: .exit_code == 1}}", "has no found", "or no mapping at all"},
		{"lookup: {exec: {argv: [/bin/sh], found: '.exit_code =='}}", "not a jq expression", ".exit_code and .body"},
		{"lookup: {sql: {query: 'SELECT :op_key'}}", "must name one database", "sqlite:"},
		{"lookup: {sql: {sqlite: /d, postgres: 'host=h', query: 'SELECT :op_key'}}", "must name one database", "postgres:"},
		{"lookup: {sql: {sqlite: inbox.db, query: 'SELECT :op_key'}}", "depends on where triage is started", "absolute path"},
		{"lookup: {sql: {sqlite: '${DB}', query: 'SELECT :op_key'}}", "variables are filled in only in", "itself"},
		{"lookup: {sql: {postgres: 'postgres://a:pw-4711@h:port/x', query: 'SELECT :op_key'}}", "is not a connection string", "sslmode=verify-full"},
		{"lookup: {sql: {sqlite: /d}}", "has no query", "one SELECT"},
		{sql + "'DELETE FROM t WHERE k = :op_key'}}", "is not a SELECT", "one SELECT"},
		{sql + "'SELECT 1; SELECT :op_key'}}", "must be one statement", "one SELECT"},
		{sql + "'SELECT ?'}}", "parameter that is not written as :name", "one SELECT"},
		{sql + "'SELECT :key'}}", "parameter :key, which is not known", ":op_key"},
		{sql + "'SELECT 1'}}", "does not use :op_key, so that every intent", "lookup_by: content"},
		{sql + "'SELECT :task'}}\n    promises: {lookup_by: content, canary: probe-1}", "a canary is promised", "remove canary"},
		{sql + "'SELECT 1'}}\n    promises: {lookup_by: content}", "uses no parameter", ":payload_sha256"},
		{sql + "'SELECT :op_key', refused: '.rows[0].no'}}", "has no found, so that every row would be found too", "Write found"},
		{"lookup: {file: {format: csv, as_of: 2026-12-01T08:00:00Z}}", "has no path", "absolute path"},
		{"lookup: {file: {path: e.csv, format: csv, as_of: 2026-12-01T08:00:00Z}}", "depends on where triage is started", "absolute path"},
		{"lookup: {file: {path: /e, as_of: 2026-12-01T08:00:00Z}}", "has no format", "jsonl"},
		{"lookup: {file: {path: /e, format: xlsx, as_of: 2026-12-01T08:00:00Z}}", `can't be "xlsx"`, "csv, jsonl"},
		{"lookup: {file: {path: /e, format: csv}}", "has no as_of", "begun"},
		{"lookup: {file: {path: /e, format: csv, as_of: 2026-12-01 08:00:00}}", "not an instant with a zone", "2026"},
		{file + "complete_at: 2026-12-01T07:59:59.999Z}}", "complete_at before its as_of", "finished"},
		{file + "complete: 'yes'}}", "must be true or false", "without quotes"},
		{file + "row_key: .}}", "is the whole answer", "one row"},
		{file + "row_key: '.a |'}}", "not a jq expression", "one row"},
		{file + "in_progress: '.rows[0].busy'}}", "has no found", "Write found"},
	} {
		_, err := Load(write(t, target(c.text)), env())
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want an error with %q", c.text, err, c.what)
			continue
		}
		if e.Line == 0 || !strings.Contains(e.What, c.what) || !strings.Contains(e.Mend, c.mend) || strings.Contains(e.Error(), "4711") {
			t.Errorf("%s\ngot  line %d: %s | %s\nwant %s | %s", c.text, e.Line, e.What, e.Mend, c.what, c.mend)
		}
	}
}

func TestPrintingAConnectorShowsNoSecret(t *testing.T) {
	c := load(t, target(`lookup: {exec: {argv: [/bin/sh], env: {TOKEN: "${A}"}}}`)+
		"  outbox: {lookup: {sql: {postgres: 'postgres://a:pw-4711@h/x', query: 'SELECT :op_key'}}}\n", env("A", "tok-4711"))
	e, s := c.Target("inbox").Lookup.Exec, c.Target("outbox").Lookup.SQL
	if e.Env["TOKEN"] != "tok-4711" || !strings.Contains(s.Postgres, "pw-4711") {
		t.Fatal("the secrets are not there to be shown")
	}
	printed, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", e, e, e, e), fmt.Sprintf("%v %+v %#v", *e, *e, *e), fmt.Sprintf("%v %+v %#v %s", s, s, s, s), fmt.Sprintf("%v %+v %#v", *s, *s, *s), string(printed)} {
		if strings.Contains(text, "4711") {
			t.Errorf("%s", text)
		}
	}
}

func TestWarningsOfOtherConnectors(t *testing.T) {
	const promises = "\n    promises: {attempt_timeout: 30s, settles_within: 2m, lookup_lag: 30s, key_retention: 24h, absence_is_proof: true}"
	for lookup, want := range map[string]string{
		"lookup: {exec: {argv: [/bin/sh]}}":                                                     "",
		"lookup: {exec: {argv: [/bin/sh], found: .body.there}}":                                 "not_found is not mapped",
		"lookup: {sql: {sqlite: /d, query: 'SELECT :op_key'}}":                                  "",
		"lookup: {file: {path: /e, format: csv, as_of: 2026-12-01T08:00:00Z}}":                  "the export isn't stated to be complete",
		"lookup: {file: {path: /e, format: csv, as_of: 2026-12-01T08:00:00Z, complete: true}}":  "",
		"lookup: {file: {path: /e, format: csv, as_of: 2026-12-01T08:00:00Z, complete: false}}": "the export isn't stated to be complete",
	} {
		got := load(t, target(lookup+promises), env()).Warnings()
		if len(got) != min(len(want), 1) || want != "" && !strings.Contains(got[0], want) {
			t.Errorf("%s: %q, want %q", lookup, got, want)
		}
	}
}
