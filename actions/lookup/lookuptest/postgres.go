package lookuptest

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"triage/actions/config"
)

// overPostgres is a receiver at whose PostgreSQL port something else speaks, after it
// has read what a client says first.
func overPostgres(speak speaker) Setup {
	return func(t testing.TB) config.Target {
		return postgresTarget(listen(t, func(conn net.Conn, gone <-chan struct{}) {
			if _, err := io.ReadFull(conn, make([]byte, 8)); err == nil {
				speak(conn, gone)
			}
		}))
	}
}

func postgresTarget(address string) config.Target {
	return asked(config.Lookup{SQL: &config.SQL{
		Postgres: "postgres://triage:pass-word-4711@" + address + "/inbox?sslmode=disable", Query: theQuery, Secrets: []string{"pass-word-4711"},
	}})
}

// postgresError is a server's refusal (PostgreSQL's protocol, ErrorResponse).
func postgresError(code, text string) string {
	body := "SFATAL\x00VFATAL\x00C" + code + "\x00M" + text + "\x00\x00"
	length := binary.BigEndian.AppendUint32(nil, uint32(4+len(body))) //nolint:gosec // a short text
	return "E" + string(length) + body
}
