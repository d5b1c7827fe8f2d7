package lookup

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
	"triage/ledger/ledgertest/pgtest"
)

// One server for all: it takes two seconds to start.
func TestPostgres(t *testing.T) {
	cluster := pgtest.Start(t)
	address := cluster.Database(t,
		"CREATE TABLE deliveries (op_key text, receipt text, payload_sha256 text, owner text)",
		"INSERT INTO deliveries VALUES ('"+theKey+"', 'r-1', '"+theHash+"', 'agent-1'), ('it''s', 'r-2', '', '')",
		"CREATE ROLE reader LOGIN PASSWORD 'reader-word-4711'",
		// A table whose policy hides other people's rows from its readers.
		"CREATE TABLE guarded AS SELECT * FROM deliveries", "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY", "CREATE POLICY own ON guarded USING (owner = current_user)",
		"GRANT SELECT ON guarded TO reader", "CREATE VIEW all_guarded AS SELECT * FROM guarded", "GRANT SELECT ON all_guarded TO reader",
		// Settings of a server that must not change what is read.
		"ALTER ROLE postgres SET timezone = 'Asia/Tokyo'", "ALTER ROLE postgres SET bytea_output = escape", "ALTER ROLE postgres SET datestyle = 'German'",
		"ALTER ROLE postgres SET standard_conforming_strings = off", "ALTER ROLE postgres SET client_encoding = 'LATIN1'",
	)
	asReader := strings.Replace(address, pgtest.User+":"+pgtest.Password, "reader:reader-word-4711", 1)
	target := func(query string) config.Target {
		t := sqlTarget("", query)
		t.Lookup.SQL.Postgres = address
		return t
	}
	count := func(t *testing.T) string {
		pg, _, err := newPostgres(address)
		if err != nil {
			t.Fatal(err)
		}
		got, f := pg.read(t.Context(), "SELECT count(*) AS n FROM deliveries", nil)
		if f != nil {
			t.Fatal(f)
		}
		return string(got.rows[0].(map[string]any)["n"].(json.Number))
	}

	t.Run("found and not found", func(t *testing.T) {
		wantFound(t, ask(t, target(byKey+" AND ':task' = ':task' AND payload_sha256 = :payload_sha256::text")))
		if a := ask(t, target(byKey+" AND owner = 'nobody'")); a.Outcome != ledger.LookupNotFound || a.Cause != "" {
			t.Errorf("%+v", a)
		}
	})
	t.Run("rows that a policy hides are not absent", func(t *testing.T) {
		const guarded = "SELECT op_key, receipt, payload_sha256, owner FROM guarded WHERE op_key = :op_key"
		wantFound(t, ask(t, target(guarded))) // policies don't bind a superuser
		bound := target(guarded)
		bound.Lookup.SQL.Postgres = asReader
		a := ask(t, bound)
		wantFailed(t, a, "access_denied")
		if !strings.Contains(a.Evidence.Error, "row-level security") {
			t.Errorf("it does not say why: %s", a.Evidence.Error)
		}
		bound.Lookup.SQL.Query = strings.Replace(guarded, "guarded", "all_guarded", 1)
		wantFound(t, ask(t, bound)) // a view reads as its owner, whom the policy does not bind
	})
	t.Run("values are exact", func(t *testing.T) {
		pg, password, err := newPostgres(address)
		if err != nil || password != pgtest.Password {
			t.Fatal(password, err)
		}
		got, f := pg.read(t.Context(), `SELECT 9223372036854775807::int8 AS big, 12345678901234567890123456789::numeric AS huge, 1.50::numeric AS fraction, true AS yes, '\x00ff'::bytea AS raw,
			timestamptz '2026-11-30 09:00:00+01' AS at, NULL AS nothing, 'Zürich \'::text AS text, 'NaN'::numeric AS nan, $1::text AS bound, '{"a":1}'::jsonb AS object`, []string{"it's $1 :x"})
		if f != nil {
			t.Fatal(f)
		}
		want := map[string]any{
			"big": json.Number("9223372036854775807"), "huge": json.Number("12345678901234567890123456789"), "fraction": "1.50", "yes": true, "raw": "00ff",
			"at": "2026-11-30 08:00:00+00", "nothing": nil, "text": `Zürich \`, "nan": "NaN", "bound": "it's $1 :x", "object": `{"a": 1}`,
		}
		if !reflect.DeepEqual(got.rows[0], want) {
			t.Errorf("got  %v\nwant %v", got.rows[0], want)
		}
	})
	t.Run("nothing is written", func(t *testing.T) {
		pg, _, err := newPostgres(address)
		if err != nil {
			t.Fatal(err)
		}
		before := count(t)
		for _, statement := range []string{
			"DELETE FROM deliveries RETURNING op_key", "WITH x AS (DELETE FROM deliveries RETURNING op_key) SELECT op_key FROM x", "SELECT 1; DELETE FROM deliveries",
			"COMMIT", "SELECT set_config('transaction_read_only', 'off', true)", "CREATE TEMP TABLE x (y int)",
		} {
			if _, f := pg.read(t.Context(), statement, nil); f == nil || f.cause != "sql_error" {
				t.Errorf("%s: %+v", statement, f)
			}
		}
		if after := count(t); after != before || before != "2" {
			t.Errorf("%s rows, then %s", before, after)
		}
	})
	t.Run("memory is bounded by the row", func(t *testing.T) {
		a := ask(t, target("SELECT :op_key::text AS op_key, repeat('x', 50000000) AS receipt"))
		wantFailed(t, a, "too_large")
		if !strings.Contains(a.Evidence.Error, "a row of more than 2097152 bytes") {
			t.Errorf("the row was read: %s", a.Evidence.Error)
		}
	})
	for name, c := range map[string]struct{ query, address, cause string }{
		"too slow":              {"SELECT pg_sleep(600)::text AS op_key, :op_key AS k", address, "timeout"},
		"too many rows":         {"SELECT :op_key::text AS op_key FROM generate_series(1, 101)", address, "too_large"},
		"a row too many by far": {"SELECT :op_key::text AS op_key FROM generate_series(1, 10000) a, generate_series(1, 10000) b", address, "too_large"},
		"a value too large":     {"SELECT :op_key::text AS op_key, repeat('x', 1100000) AS receipt", address, "too_large"},
		"no such table":         {"SELECT op_key FROM sent WHERE op_key = :op_key", address, "sql_error"},
		"may not read":          {byKey, asReader, "access_denied"},
		"wrong password":        {byKey, strings.Replace(asReader, "reader-word", "other-word", 1), "access_denied"},
		"no such database":      {byKey, cluster.URL("nowhere"), "sql_error"},
		"one name twice":        {"SELECT 1 AS op_key, 2 AS op_key, :op_key::text AS k", address, "malformed"},
		"no key":                {"SELECT count(*) AS n FROM deliveries WHERE op_key = :op_key", address, "mapping_error"},
		"another key":           {"SELECT op_key FROM deliveries WHERE op_key <> :op_key", address, "other_key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hostile := target(c.query)
			hostile.Lookup.SQL.Postgres = c.address
			if c.cause == "timeout" {
				hostile.Lookup.Timeout = 400 * time.Millisecond
			}
			a := ask(t, hostile)
			wantFailed(t, a, c.cause)
			if kept := a.Evidence.Error + a.Evidence.Excerpt; strings.Contains(kept, "word-4711") || strings.Contains(kept, pgtest.Password) {
				t.Errorf("a password is kept: %s", kept)
			}
		})
	}
}
