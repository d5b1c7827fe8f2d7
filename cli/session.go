package cli

import (
	"context"
	"os"

	"triage/actions"
	"triage/actions/config"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// session is an open ledger and the operator's desk at it.
type session struct {
	desk   *actions.Desk
	ledger *sqlite.DB
}

func (s *session) close() { _ = s.ledger.Close() }

// open reads the configuration, asks who the operator is and opens the ledger.
// Nothing is created or altered.
func (p Program) open(ctx context.Context, f *flags) (*session, error) {
	if f.db == "" {
		return nil, usagef("--db is missing: name the ledger, as in `triage --db ledger.db`. There is no default, so that nobody works on the wrong one")
	}
	c, err := p.configuration(f)
	if err != nil {
		return nil, err
	}
	who, err := actions.CurrentIdentity()
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, f.db, sqlite.Options{ReadOnly: f.readOnly})
	if err != nil {
		return nil, err
	}
	return &session{
		ledger: db,
		desk:   &actions.Desk{Ledger: db, Config: c, Operator: who, Clock: ledger.WallClock, ReadOnly: f.readOnly},
	}, nil
}

func (p Program) configuration(f *flags) (*config.Config, error) {
	path, ok := config.Find(f.config, p.Getenv, os.UserConfigDir)
	if !ok {
		return &config.Config{}, nil
	}
	return config.Load(path, p.Getenv)
}
