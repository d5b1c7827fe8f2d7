package lookup

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgres is a receiver's PostgreSQL database. A connection is made for one question.
type postgres struct{ config *pgconn.Config }

// newPostgres reads a connection string. Its password, wherever it comes from, is
// handed back to be redacted.
func newPostgres(connection string) (p postgres, password string, err error) {
	c, err := pgconn.ParseConfig(connection)
	if err != nil { // its text may quote the password
		return postgres{}, "", errors.New("its connection string can't be used")
	}
	c.MaxProtocolMessageBodyLen = 2 * maxBody
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "triage"
	}
	return postgres{c}, c.Password, nil
}

// read implements database. The server itself refuses several statements (the
// extended protocol takes one) and whatever writes (the transaction only reads).
func (p postgres) read(ctx context.Context, statement string, values []string) (*table, *failure) {
	conn, err := pgconn.ConnectConfig(ctx, p.config)
	if err != nil {
		return nil, postgresFailure(ctx, err, true)
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(last) // the transaction ends with the connection
	}()
	if _, err := conn.Exec(ctx, beginReading(ctx)).ReadAll(); err != nil {
		return nil, postgresFailure(ctx, err, false)
	}
	args := make([][]byte, len(values))
	for i, value := range values {
		args[i] = []byte(value)
	}
	return fetchRows(ctx, conn.ExecParams(ctx, statement, args, nil, nil, nil))
}

// beginReading opens a transaction that only reads and in which values have one
// spelling, whatever the server's settings. Rows that a policy hides would be missing
// without a word: with row_security off the server refuses such a query (PostgreSQL's
// documentation, Row Security Policies).
func beginReading(ctx context.Context) string {
	set := []string{
		"standard_conforming_strings = on", "bytea_output = hex", "datestyle = 'ISO, YMD'", "timezone = 'UTC'", "intervalstyle = iso_8601",
		"extra_float_digits = 1", "client_encoding = 'UTF8'", "row_security = off",
	}
	if deadline, ok := ctx.Deadline(); ok {
		set = append(set, fmt.Sprintf("statement_timeout = %d", max(1, time.Until(deadline).Milliseconds())))
	}
	return "BEGIN READ ONLY; SET LOCAL " + strings.Join(set, "; SET LOCAL ")
}

// fetchRows reads the result, within bounds.
func fetchRows(ctx context.Context, r *pgconn.ResultReader) (*table, *failure) {
	var t *table
	for r.NextRow() {
		var fault *failure
		if t == nil {
			if t, fault = tableOf(r.FieldDescriptions()); fault != nil {
				return nil, fault
			}
		}
		cells := make([]any, len(t.columns))
		for i, field := range r.FieldDescriptions() {
			cells[i] = postgresValue(field.DataTypeOID, r.Values()[i])
		}
		if fault := t.add(cells); fault != nil {
			return nil, fault // the rest is left unread, and the connection closed
		}
	}
	columns := r.FieldDescriptions()
	if _, err := r.Close(); err != nil {
		return nil, postgresFailure(ctx, err, false)
	}
	if t != nil {
		return t, nil
	}
	if len(columns) == 0 {
		return nil, fail("sql_error", "The query gives no columns.")
	}
	return tableOf(columns)
}

func tableOf(fields []pgconn.FieldDescription) (*table, *failure) {
	var columns []string
	for _, field := range fields {
		columns = append(columns, field.Name)
	}
	return newTable(columns)
}

// wholeNumber is what a number without a fraction looks like in PostgreSQL's text.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// postgresValue is a value from its text as jq and JSON take it. What is neither a
// whole number, true or false, nor bytes stays text.
func postgresValue(oid uint32, raw []byte) any {
	if raw == nil {
		return nil
	}
	text := string(raw)
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID, pgtype.OIDOID:
		if wholeNumber.MatchString(text) && len(text) <= maxNumberDigits {
			return json.Number(text)
		}
	case pgtype.BoolOID:
		return text == "t"
	case pgtype.ByteaOID:
		if decoded, err := hex.DecodeString(strings.TrimPrefix(text, `\x`)); err == nil {
			return decoded
		}
	}
	return text
}

// postgresFailure finds the cause in an error of the client. The error's own text may
// hold the connection string, so it is never shown; what the server said is, where no
// secret is in it.
func postgresFailure(ctx context.Context, err error, connecting bool) *failure {
	if f := givenUp(ctx, err); f != nil {
		return f
	}
	var said *pgconn.PgError
	var large *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.As(err, &said):
		return serverFailure(said)
	case errors.As(err, &large) && !connecting:
		return fail("too_large", "The query gives a row of more than %d bytes.", 2*maxBody)
	}
	f := networkFailure(ctx, err)
	if f.cause == "malformed" || f.cause == "truncated" {
		return fail("connection", "What answers there does not speak to triage as a PostgreSQL server does.")
	}
	return f
}

// serverFailure is what a server's error means, by its SQLSTATE (PostgreSQL's
// documentation, appendix A).
func serverFailure(said *pgconn.PgError) *failure {
	quote := fmt.Sprintf("It says: %s (SQLSTATE %s)", said.Message, said.Code)
	switch {
	case strings.HasPrefix(said.Code, "28"), said.Code == "42501":
		return complaining("access_denied", "The database does not let this user look this up.", quote)
	case said.Code == "57014":
		return fail("timeout", "The database did not finish the query in time.")
	case said.Code == "25006":
		return fail("sql_error", "The query does more than read, and was not run.")
	}
	return complaining("sql_error", "The database could not run the query.", quote)
}
