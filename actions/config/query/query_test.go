package query_test

import (
	"slices"
	"strings"
	"testing"

	"triage/actions/config/query"
)

var names = []string{"op_key", "task"}

func TestParametersAreNumberedWhereTheyStand(t *testing.T) {
	for _, c := range []struct {
		dialect    query.Dialect
		text, want string
		names      string
	}{
		{query.SQLite, "SELECT a FROM t WHERE k = :op_key", "SELECT a FROM t WHERE k = ?1", "op_key"},
		{query.Postgres, "SELECT a FROM t WHERE k = :op_key", "SELECT a FROM t WHERE k = $1", "op_key"},
		{query.Postgres, "select :task, :op_key, :task;", "select $1, $2, $1", "task op_key"},
		{query.Postgres, "SELECT a::text FROM t WHERE k=:op_key::text", "SELECT a::text FROM t WHERE k=$1::text", "op_key"},
		{query.Postgres, "SELECT a ::op_key FROM t WHERE k=:op_key", "SELECT a ::op_key FROM t WHERE k=$1", "op_key"},
		{query.Postgres, "SELECT ':task', 'it''s :task', \":task\", :op_key", "SELECT ':task', 'it''s :task', \":task\", $1", "op_key"},
		{query.Postgres, `SELECT E'\':task', e'\\', :op_key`, `SELECT E'\':task', e'\\', $1`, "op_key"},
		{query.Postgres, `SELECT '\', :op_key, '\'`, `SELECT '\', $1, '\'`, "op_key"},
		{query.Postgres, "SELECT $$ :task; $$, $q$ $$ :task $q$, :op_key", "SELECT $$ :task; $$, $q$ $$ :task $q$, $1", "op_key"},
		{query.Postgres, "SELECT 1 -- :task;\n, :op_key", "SELECT 1 -- :task;\n, $1", "op_key"},
		{query.Postgres, "/* a /* b */ :task; */ SELECT :op_key", "/* a /* b */ :task; */ SELECT $1", "op_key"},
		{query.Postgres, "SELECT data ? 'a', data @> :op_key, arr[1] FROM t", "SELECT data ? 'a', data @> $1, arr[1] FROM t", "op_key"},
		{query.Postgres, "(SELECT :op_key) UNION (SELECT 'x') ; -- done", "(SELECT $1) UNION (SELECT 'x')  -- done", "op_key"},
		{query.SQLite, "SELECT [:task], `:task`, \":task\", :op_key FROM t", "SELECT [:task], `:task`, \":task\", ?1 FROM t", "op_key"},
		{query.SQLite, "/* :task; /* */ SELECT :op_key", "/* :task; /* */ SELECT ?1", "op_key"},
		{query.SQLite, "WITH x AS (SELECT 1) SELECT :op_key FROM x", "WITH x AS (SELECT 1) SELECT ?1 FROM x", "op_key"},
	} {
		got, err := query.Parse(c.text, c.dialect, names...)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got.Text != c.want || strings.Join(got.Names, " ") != c.names {
			t.Errorf("%s\n got %q %q\nwant %q %q", c.text, got.Text, got.Names, c.want, c.names)
		}
		if !got.Uses("op_key") || got.Uses("stage") || got.Uses("task") != slices.Contains(got.Names, "task") {
			t.Errorf("%s uses %q", c.text, got.Names)
		}
	}
}

func TestWhatIsNotOneReadingStatementIsRefused(t *testing.T) {
	both := []query.Dialect{query.SQLite, query.Postgres}
	for _, c := range []struct {
		dialects []query.Dialect
		text     string
		want     string
	}{
		{both, "DELETE FROM t WHERE k = :op_key", "is not a SELECT"},
		{both, "PRAGMA query_only = 0", "is not a SELECT"},
		{both, "ATTACH 'x' AS y", "is not a SELECT"},
		{both, "  -- SELECT\n UPDATE t SET k = :op_key", "is not a SELECT"},
		{both, "'SELECT'", "is not a SELECT"},
		{both, "?SELECT", ""},
		{both, ";", "is not a SELECT"},
		{both, "SELECT 1; DELETE FROM t", "must be one statement"},
		{both, "SELECT 1;;", "must be one statement"},
		{both, "SELECT ':op_key", "quote that is never closed"},
		{both, "SELECT \"a", "quote that is never closed"},
		{both, "SELECT 1 /* :op_key", "comment that is never closed"},
		{both, "SELECT :opkey", "parameter :opkey, which is not known"},
		{both, "SELECT :OP_KEY", "parameter :OP_KEY, which is not known"},
		// What SQLite would take for a parameter, and leave NULL.
		{both[:1], "SELECT a FROM t WHERE k = ?", `":name`},
		{both[:1], "SELECT a FROM t WHERE k = ?1", `":name`},
		{both[:1], "SELECT a FROM t WHERE k = @op_key", `":name`},
		{both[:1], "SELECT a FROM t WHERE k = $op_key", `":name`},
		{both[:1], "SELECT a FROM t WHERE k = :1", `":name`},
		{both[:1], "SELECT a::text FROM t", `":name`},
		{both[1:], "SELECT a FROM t WHERE k = $1", `":name`},
		{both[1:], "SELECT $q$ never closed $r$", "quote that is never closed"},
		{both[1:], "SELECT 1 /* a /* b */", "comment that is never closed"},
	} {
		for _, d := range c.dialects {
			_, err := query.Parse(c.text, d, names...)
			want := strings.ReplaceAll(c.want, `":name`, "a parameter that is not written as :name")
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d %s: %v, want %s", d, c.text, err, want)
			}
		}
	}
}
