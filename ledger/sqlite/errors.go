package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"triage/ledger"
)

// mapError turns SQLite's errors into the ledger's own. Others pass unchanged.
func mapError(err error) error {
	var native *driver.Error
	if err == nil || !errors.As(err, &native) {
		return err
	}
	switch native.Code() & 0xff {
	case lib.SQLITE_CONSTRAINT: // only here: a damaged schema's text may hold a rule's words too
		if refused := ledger.FromDriver(native.Error()); refused != nil {
			return refused
		}
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("%w: another program holds the write lock. Nothing was written. Try again: %w", ledger.ErrBusy, err)
	case lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ledger.ErrNotALedger, err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", ledger.ErrReadOnly, err)
	case lib.SQLITE_CORRUPT:
		return fmt.Errorf("%w: the file is damaged. Nothing was written. Restore it from a copy: %w", ledger.ErrNotALedger, err)
	case lib.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: the file can't be opened or made. Nothing was changed. Check the directory's permissions. If it is there: its writers may have crashed and left a -wal file that you may not use. Run as the ledger's owner once: %w", ledger.ErrNotALedger, err)
	}
	return err
}

func isBusy(err error) bool {
	var native *driver.Error
	return errors.As(err, &native) && native.Code()&0xff == lib.SQLITE_BUSY
}

// isUnique says that a row with the same key stands already.
func isUnique(err error) bool {
	var native *driver.Error
	return errors.As(err, &native) &&
		(native.Code() == lib.SQLITE_CONSTRAINT_PRIMARYKEY || native.Code() == lib.SQLITE_CONSTRAINT_UNIQUE)
}
