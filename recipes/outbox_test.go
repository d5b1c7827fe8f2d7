//go:build unix

package recipes_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"triage/actions/lookup"
	"triage/actions/verdict"
	"triage/ledger"
	"triage/ledger/ledgertest/pgtest"
)

const insert = `INSERT INTO outbox (op_key, owner, payload_sha256, payload) VALUES ($1, 'agent-1', $2, $3)
ON CONFLICT (op_key) DO UPDATE SET op_key = excluded.op_key WHERE outbox.payload_sha256 = excluded.payload_sha256
RETURNING receipt`

// insertReport is the recipe's one statement. cut is called when the connection stands,
// since what the two say to each other before would be lost too.
func insertReport(ctx context.Context, address, key string, cut func()) (receipt string, err error) {
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	cut()
	r := conn.ExecParams(ctx, insert, [][]byte{[]byte(key), []byte(hashOf(report)), report}, nil, []int16{0, 0, 1}, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		return "", r.Err
	}
	return string(r.Rows[0][0]), nil
}

// as is a connection string for another user.
func as(t *testing.T, address, user, host string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, pgtest.Password)
	if host != "" {
		u.Host = host
	}
	return u.String()
}

// A row is committed, the answer is lost, and the table is asked by a role that only
// reads.
func TestOutboxTable(t *testing.T) {
	schema, err := os.ReadFile("outbox.sql")
	if err != nil {
		t.Fatal(err)
	}
	cluster := pgtest.Start(t)
	owner := cluster.Database(t, string(schema),
		"ALTER ROLE outbox_sender PASSWORD '"+pgtest.Password+"'", "ALTER ROLE outbox_reader PASSWORD '"+pgtest.Password+"'")
	faults := newFaultProxy(t, net.JoinHostPort("127.0.0.1", strconv.Itoa(cluster.Port)))
	sender := as(t, owner, "outbox_sender", faults.address())
	b := newBench(t, "outbox-postgres.yaml", map[string]string{"OUTBOX_DSN": as(t, owner, "outbox_reader", "")})

	b.deliver("weekly-42", 0, func(ctx context.Context, key string) error {
		_, err := insertReport(ctx, sender, key, faults.loseAnswers)
		return err
	})
	// The same statement by another way gives the first receipt again, and makes no second row.
	receipt, err := insertReport(t.Context(), as(t, owner, "outbox_sender", ""), "weekly-42", func() {})
	if err != nil || receipt == "" {
		t.Fatalf("the receipt is %q: %v", receipt, err)
	}
	if n := count(t, owner, "weekly-42"); n != "1" {
		t.Fatalf("%s rows, want 1", n)
	}
	b.settled("weekly-42", receipt)

	lost := func(ctx context.Context, key string) error {
		faults.proxy.Toxics.ResetToxics(ctx)
		_, err := insertReport(ctx, sender, key, faults.loseRequests)
		return err
	}
	b.deliver("weekly-43", 0, lost)
	b.missing("weekly-43", verdict.AbsenceInconclusive) // a late request may still land
	b.deliver("weekly-44", time.Hour, lost)
	b.missing("weekly-44", verdict.Absent)
	if n := count(t, owner, "weekly-44"); n != "0" {
		t.Fatalf("absent, and %s rows are there", n)
	}
}

// count asks the database itself.
func count(t *testing.T, address, key string) string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	r := conn.ExecParams(t.Context(), "SELECT count(*) FROM outbox WHERE op_key = $1", [][]byte{[]byte(key)}, nil, nil, nil).Read()
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return string(r.Rows[0][0])
}

// One's own table of a mail service's events: what was sent, refused, or unknown there.
func TestSESEvents(t *testing.T) {
	cluster := pgtest.Start(t)
	address := cluster.Database(t, "CREATE TABLE ses_events (op_key text, message_id text, payload_sha256 text, event text, at timestamptz DEFAULT now())",
		"INSERT INTO ses_events VALUES ('weekly-42', '0100018f', '"+hashOf(report)+"', 'Send'), ('weekly-42', '0100018f', '"+hashOf(report)+"', 'Delivery')",
		"INSERT INTO ses_events VALUES ('weekly-43', '0100018e', '"+hashOf(report)+"', 'Send'), ('weekly-43', '0100018e', '"+hashOf(report)+"', 'Reject')",
		"INSERT INTO ses_events VALUES ('weekly-46', '0100018d', '"+hashOf(report)+"', 'Send')",
		"INSERT INTO ses_events VALUES ('weekly-44', 'a', '"+hashOf(report)+"', 'Send'), ('weekly-44', 'b', '"+hashOf(report)+"', 'Send')")
	_, target := load(t, "ses.yaml", func(string) (string, bool) { return address, true })
	connector, err := lookup.For(target)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]ledger.LookupOutcome{
		"weekly-42": ledger.LookupFound, "weekly-43": ledger.LookupRefused, "weekly-44": ledger.LookupAmbiguous, "weekly-45": ledger.LookupNotFound,
		"weekly-46": ledger.LookupFound,
	} {
		a := connector.Look(t.Context(), ledger.Intent{OpKey: key, Principal: "agent-1", Target: target.Name, PayloadSHA256: hashOf(report)})
		if a.Outcome != want || key == "weekly-42" && (a.Receipt != "0100018f" || a.PayloadSHA256 != hashOf(report)) {
			t.Errorf("%s: %s (%s) %q, want %s: %+v", key, a.Outcome, a.Cause, a.Receipt, want, a.Evidence)
		}
	}
	b := newBench(t, "ses.yaml", map[string]string{"SES_EVENTS_DSN": address})
	for key, want := range map[string]verdict.Kind{
		"weekly-42": promisedVerdicts(t)["ses.yaml"], "weekly-46": verdict.InProgress, "weekly-45": verdict.AbsenceInconclusive,
	} {
		b.deliver(key, time.Hour, lost)
		b.comesTo(key, want)
	}
}
