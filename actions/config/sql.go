package config

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"triage/actions/config/query"
	"triage/actions/verdict"
)

// SQL is the connector of that name: one statement that reads the receiver's own
// database. jq sees {rows, columns}. Exactly one of SQLite and Postgres is set.
type SQL struct {
	Mapping
	SQLite   string // a file's absolute path
	Postgres string // a connection string, which may hold a password; never shown
	Query    string
	Secrets  []string // to be redacted from whatever is kept
}

// Dialect is the language of the query.
func (s SQL) Dialect() query.Dialect {
	if s.SQLite != "" {
		return query.SQLite
	}
	return query.Postgres
}

// Means is the mapping that holds: what is not written is read off the rows. A row
// that names no key, as an aggregate over nothing gives one, is not found.
func (s SQL) Means() Mapping {
	m := s.Mapping
	if m.Found == "" && m.Key == "" {
		m.Found = "(.rows | length) > 0 and all(.rows[]; .op_key != null)"
	}
	return overRows(m, ".rows[0].op_key")
}

// QueryParameters are the names that a query may hold behind a colon, each bound to
// the intent's value of that name.
var QueryParameters = []string{"op_key", "task", "stage", "principal", "payload_sha256"}

// sql reads the connector of that name.
func (v value) sql(l *Lookup, p verdict.Promises) error {
	l.SQL = &SQL{}
	s := l.SQL
	var statement value
	err := v.settings(slices.Concat([]setting{
		into("sqlite", &s.SQLite, value.absolute),
		{"postgres", func(v value) error { return v.postgres(l) }},
		{"query", func(v value) error { statement = v; return nil }},
	}, mapping(&s.Mapping))...)
	switch {
	case err != nil:
		return err
	case (s.SQLite == "") == (s.Postgres == ""):
		return v.fail(v.name()+" must name one database", `Write sqlite: with a file's absolute path, or postgres: with a connection string such as "${INBOX_DSN}"`)
	case statement.node == nil:
		return v.fail(v.name()+" has no query", "Write query: with one SELECT that uses :op_key")
	}
	if s.Query, err = statement.statement(s.Dialect(), p); err != nil {
		return err
	}
	return v.foundToo(s.Mapping)
}

// statement reads the query: one statement that reads, and asks for this intent.
func (v value) statement(d query.Dialect, p verdict.Promises) (string, error) {
	raw, err := v.text()
	if err == nil {
		err = v.noVariable(raw)
	}
	if err != nil {
		return "", err
	}
	parsed, err := query.Parse(raw, d, QueryParameters...)
	if err != nil {
		return "", v.fail(v.name()+" "+err.Error(), "Write one SELECT with :"+strings.Join(QueryParameters, " :")+" where the intent's values belong")
	}
	switch {
	case p.LookupBy != verdict.ByContent && !parsed.Uses("op_key"):
		return "", v.fail(v.name()+" does not use :op_key, so that every intent would get the same answer",
			"Write :op_key where the key belongs, or lookup_by: content among the promises where the receiver can't be asked by key")
	case len(parsed.Names) == 0:
		return "", v.fail(v.name()+" uses no parameter, so that every intent would get the same answer", "Write :"+strings.Join(QueryParameters, " or :")+" where it belongs")
	case p.Canary != "" && !parsed.Uses("op_key"):
		return "", v.fail("a canary is promised, and "+v.name()+" does not use :op_key, so that it can't be asked for", "Write :op_key into the query, or remove canary")
	}
	return raw, nil
}

// postgres reads a connection string. Of one that is a variable as a whole only the
// password is secret: host, port and names come back in ordinary answers.
func (v value) postgres(l *Lookup) error {
	raw, err := v.text()
	if err != nil {
		return err
	}
	filled, err := v.expand(raw, connectionString(raw))
	if err != nil {
		return err
	}
	l.Missing = append(l.Missing, filled.missing...)
	l.SQL.Postgres = filled.text
	if len(filled.missing) > 0 {
		l.SQL.Postgres = raw // never asked: a lookup with a missing variable is off
		return nil
	}
	parsed, err := pgconn.ParseConfig(filled.text)
	if err != nil { // its text may quote the password
		return v.fail(v.name()+" is not a connection string that can be used", "Write it as postgres://USER@HOST:5432/DATABASE?sslmode=verify-full, with the password in a ${VARIABLE} or in ~/.pgpass")
	}
	l.SQL.Secrets = append(l.SQL.Secrets, parsed.Password)
	if !onlyVariable(raw) {
		l.SQL.Secrets = append(l.SQL.Secrets, filled.secrets...)
	}
	l.SQL.Secrets = slices.DeleteFunc(l.SQL.Secrets, func(s string) bool { return s == "" })
	return nil
}

// onlyVariable says that a text is nothing but one variable.
func onlyVariable(raw string) bool { return variableUse.FindString(raw) == raw }

// connectionString says what keeps a variable's value out of a connection string.
func connectionString(raw string) func(string) string {
	return func(content string) string {
		if why := usableInHeader(content); why != "" || !onlyVariable(raw) {
			return why
		}
		if _, err := pgconn.ParseConfig(content); err != nil {
			return "is not a PostgreSQL connection string that can be used"
		}
		return ""
	}
}
