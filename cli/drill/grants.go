package drill

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"triage/ledger"
)

// approver gives and revokes the drill's grants.
const approver = "release-desk"

// grantAll writes the grants of all deliveries, in plain SQL, as the program that
// gives grants would.
func grantAll(ctx context.Context, path string, fates []fate) error {
	return inLedger(path, func(db *sql.DB) error {
		for _, f := range fates {
			_, err := db.ExecContext(ctx,
				`INSERT INTO grants (grant_id, principal, target, payload_sha256, granted_by, granted_at) VALUES (?, ?, ?, ?, ?, ?)`,
				f.grant(), f.principal, f.target, contentHash([]byte(f.body)), approver, int64(ledger.At(time.Now())))
			if err != nil {
				return fmt.Errorf("give %s: %w", f.grant(), err)
			}
		}
		return nil
	})
}

// revokeGrant takes a grant back, for good.
func revokeGrant(ctx context.Context, path, grantID string) error {
	return inLedger(path, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, `UPDATE grants SET revoked_at = ? WHERE grant_id = ?`, int64(ledger.At(time.Now())), grantID)
		if err != nil {
			return fmt.Errorf("revoke %s: %w", grantID, err)
		}
		return nil
	})
}

func inLedger(path string, do func(*sql.DB) error) error {
	name, err := dataSource(path)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return fmt.Errorf("open the ledger %s: %w", path, err)
	}
	return errors.Join(do(db), db.Close())
}
