//go:build unix

package pgtest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"triage/ledger/ledgertest/pgtest"
)

func TestAClusterServesDatabasesThatKnowNothingOfEachOther(t *testing.T) {
	var dir string
	t.Run("while it runs", func(t *testing.T) {
		c := pgtest.Start(t)
		dir = c.Dir
		one := c.Database(t, "CREATE TABLE a (x int)", "INSERT INTO a VALUES (7)")
		two := c.Database(t)
		conn, err := pgconn.Connect(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if r := conn.ExecParams(t.Context(), "SELECT x FROM a", nil, nil, nil, nil).Read(); r.Err != nil || string(r.Rows[0][0]) != "7" {
			t.Errorf("%+v", r)
		}
		other, err := pgconn.Connect(t.Context(), two)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close(t.Context())
		if r := other.ExecParams(t.Context(), "SELECT x FROM a", nil, nil, nil, nil).Read(); r.Err == nil {
			t.Errorf("the second database has the first one's table: %+v", r)
		}
		if _, err := pgconn.Connect(t.Context(), strings.Replace(one, pgtest.Password, "wrong", 1)); err == nil {
			t.Error("no password is needed")
		}
	})
	if _, err := os.Stat(dir); dir != "" && !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", dir, err)
	}
}
