package drill

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"triage/actions"
	"triage/actions/config"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// The files of a world.
const (
	ledgerFile   = "ledger.db"
	receiverFile = "receiver.db"
	configFile   = "config.yaml"
)

// TokenVariable is the environment variable from which the drill's configuration
// takes the operators' credentials at the receiver.
const TokenVariable = "TRIAGE_DRILL_TOKEN"

// How long the drill's senders wait for an answer: below the attempt_timeout that
// the configuration promises for them, with room for a slow machine.
const (
	senderTimeout = time.Second
	shortTimeout  = 300 * time.Millisecond // where it is known that no answer will come
)

//go:embed config.yaml
var configTemplate string

// world is a directory with the two sides of a delivery: senders with a ledger,
// and a receiver with a database, which nothing can commit together. Beside them
// stands a configuration with which an operator can ask the receiver.
type world struct {
	dir      string
	token    string // the operators', at the receiver
	receiver *Receiver
	books    *sqlite.DB
	senders  map[string]*Sender // by principal
}

// openWorld makes a world in a directory that exists and is empty.
func openWorld(ctx context.Context, dir string) (*world, error) {
	w := &world{dir: dir, senders: map[string]*Sender{}}
	if err := w.open(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *world) open(ctx context.Context) error {
	access, tokens := newAccess()
	w.token = access.Lookup
	var err error
	if w.receiver, err = StartReceiver(ctx, filepath.Join(w.dir, receiverFile), access); err != nil {
		return err
	}
	if _, err := sqlite.Init(ctx, w.ledgerPath()); err != nil {
		return err
	}
	if w.books, err = sqlite.Open(ctx, w.ledgerPath(), sqlite.Options{}); err != nil {
		return err
	}
	for principal, token := range tokens {
		w.senders[principal] = &Sender{
			Books: w.books, Name: principal, URL: w.receiver.URL(), Token: token, Timeout: senderTimeout,
		}
	}
	text := strings.ReplaceAll(configTemplate, "RECEIVER", w.receiver.URL())
	if err := os.WriteFile(w.configPath(), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the drill's configuration: %w", err)
	}
	return nil
}

func (w *world) close() error {
	var failed []error
	if w.books != nil {
		failed = append(failed, w.books.Close())
	}
	if w.receiver != nil {
		failed = append(failed, w.receiver.Close())
	}
	return errors.Join(failed...)
}

func (w *world) ledgerPath() string { return filepath.Join(w.dir, ledgerFile) }
func (w *world) configPath() string { return filepath.Join(w.dir, configFile) }

// getenv is the environment in which the configuration is to be read: the
// process's own, and the operators' token.
func (w *world) getenv(name string) (string, bool) {
	if name == TokenVariable {
		return w.token, true
	}
	return os.LookupEnv(name)
}

// desk is an operator's place at the world's ledger.
func (w *world) desk() (*actions.Desk, error) {
	operator, err := actions.CurrentIdentity()
	if err != nil {
		return nil, err
	}
	settings, err := config.Load(w.configPath(), w.getenv)
	if err != nil {
		return nil, err
	}
	return &actions.Desk{Ledger: w.books, Config: settings, Operator: operator, Clock: ledger.WallClock}, nil
}
