package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"sync"
)

// schema compares every table, index, trigger and view with those that this program
// would make.
func (v *verifier) schema() error {
	want, err := builtIn()
	if err != nil {
		return err
	}
	have, err := objects(v.ctx, v.q)
	if err != nil {
		return err
	}
	for name, text := range want {
		switch got, ok := have[name]; {
		case !ok:
			v.wrong(checkSchemaIs, "", "%s is missing: what it guarded is not guarded any more", name)
		case got != text:
			v.wrong(checkSchemaIs, "", "%s was altered: what it guarded may not be guarded any more", name)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			v.wrong(checkSchemaIs, "", "%s does not belong to a ledger", name)
		}
	}
	return nil
}

// builtIn is the schema as this program would make it.
var builtIn = sync.OnceValues(func() (map[string]string, error) {
	ctx := context.Background()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	for version := 1; version <= SchemaVersion; version++ {
		if err := apply(ctx, conn, version); err != nil {
			return nil, err
		}
	}
	return objects(ctx, conn)
})

// objects maps "type name" to the text that made it. What ANALYZE keeps is no part
// of the schema.
func objects(ctx context.Context, q querier) (map[string]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_stat%' ESCAPE '\'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		all[name] = normalised(text)
	}
	return all, rows.Err()
}

// normalised leaves out comments and folds white space, so that only what SQLite
// acts on is compared.
func normalised(sql string) string {
	var b strings.Builder
	for len(sql) > 0 {
		switch end := 0; {
		case strings.HasPrefix(sql, "--"):
			if end = strings.IndexByte(sql, '\n'); end < 0 {
				end = len(sql)
			}
			sql = " " + sql[end:]
		case sql[0] == '\'' || sql[0] == '"':
			if end = strings.IndexByte(sql[1:], sql[0]) + 2; end < 2 {
				end = len(sql)
			}
			b.WriteString(sql[:end])
			sql = sql[end:]
		case strings.ContainsRune(" \t\r\n", rune(sql[0])):
			sql = strings.TrimLeft(sql, " \t\r\n")
			if !strings.HasPrefix(sql, "--") {
				b.WriteByte(' ')
			}
		default:
			b.WriteByte(sql[0])
			sql = sql[1:]
		}
	}
	return strings.TrimSpace(b.String())
}
