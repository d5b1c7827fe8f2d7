package lookup

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"unicode/utf8"

	"triage/actions/config"
	"triage/actions/config/query"
	"triage/ledger"
)

// database runs one statement that reads, with these values for its parameters, in
// their order.
type database interface {
	read(ctx context.Context, statement string, values []string) (*table, *failure)
}

// sqlSource asks a receiver's own database.
type sqlSource struct {
	*asker
	query     query.Query
	database  database
	byDefault bool // neither found nor key is written: the rows themselves must name the key
}

// NewSQL makes a connector that queries a database, with a rate of its own.
func NewSQL(target config.Target, opts ...Option) (Connector, error) {
	if target.Lookup == nil || target.Lookup.SQL == nil {
		return nil, ErrNoLookup
	}
	if off := target.LookupOff(); off != "" { // what a connection string would hold is not known
		return nil, &offError{off}
	}
	s := *target.Lookup.SQL
	parsed, err := query.Parse(s.Query, s.Dialect(), config.QueryParameters...)
	if err != nil {
		return nil, fmt.Errorf("the lookup of %s: its query %w", target.Name, err)
	}
	var db database = sqliteFile{path: s.SQLite}
	hidden := s.Secrets
	if s.SQLite == "" {
		pg, password, err := newPostgres(s.Postgres)
		if err != nil {
			return nil, fmt.Errorf("the lookup of %s: %w", target.Name, err)
		}
		db, hidden = pg, append(slices.Clone(hidden), password)
	}
	a, err := newAsker(target, s.Means(), "", secrets{anywhere: credentials(hidden, nil)}, collect(opts))
	if err != nil {
		return nil, err
	}
	a.source = &sqlSource{asker: a, query: parsed, database: db, byDefault: s.Found == "" && s.Key == ""}
	return a, nil
}

// ask runs the query for one intent.
func (c *sqlSource) ask(ctx context.Context, intent ledger.Intent) exchange {
	known := values(intent)
	var bound []string
	for _, name := range c.query.Names {
		bound = append(bound, known[name])
	}
	t, f := c.database.read(ctx, c.query.Text, bound)
	if f == nil && c.byDefault && !slices.Contains(t.columns, "op_key") {
		f = fail("mapping_error", "The query's result has no column op_key, so that its rows don't show whose they are. Add it to the query, or write found and key.")
	}
	if f != nil {
		return exchange{reading: failed(f)}
	}
	input := map[string]any{"rows": t.rows, "columns": anyList(t.columns)}
	return exchange{parsed: input, reading: c.mapping.classify(ctx, input, intent.OpKey)}
}

// table is a query's result, within bounds.
type table struct {
	columns []string
	rows    []any
	bytes   int
}

// newTable refuses a result in which one name stands for two columns.
func newTable(columns []string) (*table, *failure) {
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			return nil, fail("malformed", "The query's result has two columns of one name. Name them apart with AS.")
		}
	}
	return &table{columns: columns, rows: []any{}}, nil
}

// add takes one row. Integers keep every digit, blobs become hexadecimal text, and
// text must be text.
func (t *table) add(cells []any) *failure {
	if len(t.rows) == maxRows {
		return fail("too_large", "The query gives more than %d rows. Let it ask for one key.", maxRows)
	}
	row := map[string]any{}
	for i, cell := range cells {
		switch v := cell.(type) {
		case string:
			if !utf8.ValidString(v) {
				return fail("malformed", "The query's result holds text that is not UTF-8.")
			}
			t.bytes += len(v)
		case []byte:
			t.bytes += 2 * len(v)
			cell = hex.EncodeToString(v)
		}
		row[t.columns[i]] = cell
	}
	if t.bytes > maxBody {
		return fail("too_large", "The query gives more than %d bytes.", maxBody)
	}
	t.rows = append(t.rows, row)
	return nil
}

// complaining is what a database said about the query, where no secret is in it.
func complaining(cause, text, said string) *failure {
	f := fail(cause, "%s", text)
	f.quote = start(said, 300)
	return f
}
