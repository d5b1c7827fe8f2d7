package drill

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"triage/ledger"
)

// Delivery is one row of the receiver's own database: the key, what was
// committed under it and the receipt for it.
type Delivery struct {
	OpKey   string
	Account string // who delivered, as the receiver names it
	SHA256  string // of the committed bytes, lower-case hex
	Bytes   int
	State   string // StateDelivered or StateRefused
	Receipt string // "" for a refusal
	Reason  string // why it was refused
	At      ledger.Millis
	ShownAt ledger.Millis // lookups miss it until then
}

// What a receiver did with a key. It has no third thing to say: a key without a
// row was never processed.
const (
	StateDelivered = "delivered"
	StateRefused   = "refused"
)

// errOtherContent: the key is taken by other bytes, or by another account.
var errOtherContent = errors.New("the key was used before with other content")

// Key, hash, account and receipt stand in one row, so that one transaction
// registers the key and produces the effect: there is no moment at which the one
// exists without the other.
const deliveriesSchema = `
CREATE TABLE IF NOT EXISTS deliveries (
  id       INTEGER PRIMARY KEY,
  op_key   TEXT    NOT NULL UNIQUE,
  account  TEXT    NOT NULL,
  sha256   TEXT    NOT NULL CHECK (length(sha256) = 64),
  bytes    INTEGER NOT NULL,
  state    TEXT    NOT NULL CHECK (state IN ('delivered', 'refused')),
  receipt  TEXT    UNIQUE CHECK ((receipt IS NOT NULL) = (state = 'delivered')),
  reason   TEXT    NOT NULL DEFAULT '',
  at       INTEGER NOT NULL,
  shown_at INTEGER NOT NULL
) STRICT`

// deliveries is the receiver's database.
type deliveries struct{ db *sql.DB }

func openDeliveries(ctx context.Context, path string) (*deliveries, error) {
	// The switch is the process's, the first database decides, and the ledger
	// wants it too. Where it can't be had POSIX locks do.
	_, _ = sqlite.OFDLocking(true)
	name, err := dataSource(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the receiver's database %s: %w", path, err)
	}
	if _, err := db.ExecContext(ctx, deliveriesSchema); err != nil {
		return nil, errors.Join(fmt.Errorf("open the receiver's database %s: %w", path, err), db.Close())
	}
	return &deliveries{db: db}, nil
}

// dataSource names exactly this file, whatever characters its path has, with
// durable commits and transactions that take the write lock at their start.
func dataSource(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	settings := url.Values{
		"_busy_timeout": {"5000"},
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_txlock":       {"immediate"},
	}
	return "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + settings.Encode(), nil
}

// submit commits a delivery, or what the script makes of it. The same key with the
// same bytes returns what was committed the first time; with other bytes, or from
// another account, it is errOtherContent and nothing changes.
func (d *deliveries) submit(ctx context.Context, key, account string, body []byte, script Script) (Delivery, error) {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return Delivery{}, fmt.Errorf("submit %s: %w", key, err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit

	sum := contentHash(body)
	old, found, err := find(ctx, tx, key)
	switch {
	case err != nil:
		return Delivery{}, err
	case found && (old.SHA256 != sum || old.Account != account):
		return Delivery{}, errOtherContent
	case found:
		return old, nil
	}

	made := Delivery{
		OpKey: key, Account: account, SHA256: sum, Bytes: len(body),
		State: StateDelivered, Reason: script.Refuse, At: ledger.At(time.Now()),
	}
	made.ShownAt = made.At.Add(script.Hide)
	if script.Refuse != "" {
		made.State = StateRefused
	} else if made.Receipt, err = nextReceipt(ctx, tx); err != nil {
		return Delivery{}, err
	}
	_, err = tx.ExecContext(ctx,
		`INSERT INTO deliveries (op_key, account, sha256, bytes, state, receipt, reason, at, shown_at)
		 VALUES (?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?)`,
		made.OpKey, made.Account, made.SHA256, made.Bytes, made.State, made.Receipt, made.Reason, int64(made.At), int64(made.ShownAt))
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return Delivery{}, fmt.Errorf("submit %s: %w", key, err)
	}
	return made, nil
}

// nextReceipt numbers receipts as a clerk would. The transaction holds the write
// lock, so no two can get the same.
func nextReceipt(ctx context.Context, tx *sql.Tx) (string, error) {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT 1001 + count(receipt) FROM deliveries`).Scan(&n); err != nil {
		return "", fmt.Errorf("number a receipt: %w", err)
	}
	return fmt.Sprintf("R-%d", n), nil
}

// get returns what became of a key; false where it was never processed.
func (d *deliveries) get(ctx context.Context, key string) (Delivery, bool, error) {
	return find(ctx, d.db, key)
}

// querier is what *sql.DB and *sql.Tx have in common here.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func find(ctx context.Context, q querier, key string) (Delivery, bool, error) {
	var d Delivery
	var receipt sql.NullString
	err := q.QueryRowContext(ctx,
		`SELECT op_key, account, sha256, bytes, state, receipt, reason, at, shown_at FROM deliveries WHERE op_key = ?`, key).
		Scan(&d.OpKey, &d.Account, &d.SHA256, &d.Bytes, &d.State, &receipt, &d.Reason, &d.At, &d.ShownAt)
	if errors.Is(err, sql.ErrNoRows) {
		return Delivery{}, false, nil
	}
	if err != nil {
		return Delivery{}, false, fmt.Errorf("find %s: %w", key, err)
	}
	d.Receipt = receipt.String
	return d, true, nil
}

// count is the number of effects: deliveries committed, whatever became of their
// answers.
func (d *deliveries) count(ctx context.Context) (int, error) {
	var n int
	err := d.db.QueryRowContext(ctx, `SELECT count(*) FROM deliveries WHERE state = 'delivered'`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the receiver's deliveries: %w", err)
	}
	return n, nil
}

// copies is how often a content was delivered, under whatever keys.
func (d *deliveries) copies(ctx context.Context, sha256 string) (int, error) {
	var n int
	err := d.db.QueryRowContext(ctx, `SELECT count(*) FROM deliveries WHERE state = 'delivered' AND sha256 = ?`, sha256).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the receiver's copies of %s: %w", sha256, err)
	}
	return n, nil
}

// contentHash is the SHA-256 of the bytes as both sides write it.
func contentHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
