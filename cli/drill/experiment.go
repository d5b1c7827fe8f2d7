package drill

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"triage/ledger"
)

// Measured is one row of the experiment: what was counted at the receiver and
// read in the sender's ledger after a scheme was played.
type Measured struct {
	Name            string  `json:"name"`
	ReceiverRecords int     `json:"receiver_records"` // deliveries in the receiver's database
	SenderState     string  `json:"sender_state"`     // the last state in the sender's ledger
	Refused         *string `json:"refused"`          // the code of the refusal, nil without one

	intents string // the states that each of the sender's intents went through, for the table
}

// scheme is one way of going on after an answer was lost.
type scheme struct {
	name string
	// play returns the code with which the ledger refused what the scheme tried.
	play func(context.Context, *lab) (refused ledger.Code, err error)
}

// schemes are the rows of design §8, in its order.
var schemes = []scheme{
	{"new_key_after_timeout", newKeyAfterTimeout},
	{"lookup_then_same_intent", lookupThenSameIntent},
	{"same_key_blind_resend", sameKeyBlindResend},
	{"same_key_other_payload", sameKeyOtherPayload},
	{"new_key_same_payload", newKeySamePayload},
}

// The contents that the experiment delivers.
var (
	weeklyReport  = []byte("weekly report")
	changedReport = []byte("changed report")
)

// Experiment plays five ways of going on after an answer was lost, each with a
// sender's ledger and a receiver's database of its own and with real HTTP between
// them; the answer is lost after the receiver has committed. It prints what it
// measured, and writes it to jsonPath as well unless that is "".
func Experiment(ctx context.Context, out io.Writer, jsonPath string) error {
	dir, err := os.MkdirTemp("", "triage-experiment-")
	if err != nil {
		return fmt.Errorf("make a place for the experiment: %w", err)
	}
	rows, err := measureAll(ctx, dir)
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		return err
	}
	if err := printTable(out, rows); err != nil {
		return err
	}
	if jsonPath == "" {
		return nil
	}
	return writeJSON(jsonPath, map[string]any{"schemes": rows})
}

func measureAll(ctx context.Context, dir string) ([]Measured, error) {
	var rows []Measured
	for _, s := range schemes {
		row, err := measure(ctx, s, filepath.Join(dir, s.name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// measure plays one scheme and then counts and reads. Nothing in a row is known
// beforehand but its name.
func measure(ctx context.Context, s scheme, dir string) (row Measured, err error) {
	l, err := openLab(ctx, dir)
	if err != nil {
		return Measured{}, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	refused, err := s.play(ctx, l)
	if err != nil {
		return Measured{}, err
	}
	row = Measured{Name: s.name}
	if refused != "" {
		code := string(refused)
		row.Refused = &code
	}
	if row.ReceiverRecords, err = l.receiver.Count(ctx); err != nil {
		return Measured{}, err
	}
	row.SenderState, row.intents, err = states(ctx, l.books)
	return row, err
}

// newKeyAfterTimeout makes the mistake that all of this is about: the timeout is
// taken for a failure, and a retry function makes a key of its own.
func newKeyAfterTimeout(ctx context.Context, l *lab) (ledger.Code, error) {
	if err := l.deliverLosingTheAnswer(ctx, l.intent("report-"+rand.Text(), weeklyReport), weeklyReport); err != nil {
		return "", err
	}
	_, err := l.sender.Deliver(ctx, l.intent("report-"+rand.Text(), weeklyReport), weeklyReport)
	return "", err
}

// lookupThenSameIntent asks the receiver under the original key; beginning the
// same intent again then returns the receipt and sends nothing.
func lookupThenSameIntent(ctx context.Context, l *lab) (ledger.Code, error) {
	first := l.intent("report-1", weeklyReport)
	if err := l.deliverLosingTheAnswer(ctx, first, weeklyReport); err != nil {
		return "", err
	}
	if err := l.lookup(ctx, first.OpKey); err != nil {
		return "", err
	}
	again, err := l.sender.Deliver(ctx, first, weeklyReport)
	if err == nil && again.Receipt == "" {
		err = fmt.Errorf("the same intent again came back %s and without a receipt", again.State)
	}
	return "", err
}

// sameKeyBlindResend retries within the sender's own budget, which says that this
// receiver honours the key and for how long.
func sameKeyBlindResend(ctx context.Context, l *lab) (ledger.Code, error) {
	n := l.intent("report-1", weeklyReport)
	n.MaxAttempts, n.DeadlineAt = 2, ledger.WallClock().Add(time.Minute)
	l.receiver.Script(n.OpKey, Script{Lose: LoseByCut})
	_, err := l.sender.Deliver(ctx, n, weeklyReport)
	return "", err
}

// sameKeyOtherPayload tries to send changed content under the key of an intent
// whose outcome nobody knows.
func sameKeyOtherPayload(ctx context.Context, l *lab) (ledger.Code, error) {
	if err := l.deliverLosingTheAnswer(ctx, l.intent("report-1", weeklyReport), weeklyReport); err != nil {
		return "", err
	}
	_, err := l.sender.Deliver(ctx, l.intent("report-1", changedReport), changedReport)
	if code := ledger.CodeOf(err); code != "" {
		return code, nil
	}
	return "", err
}

// newKeySamePayload delivers the same content twice because that is wanted: two
// intents, each with a key of its own, and the first one accounted for.
func newKeySamePayload(ctx context.Context, l *lab) (ledger.Code, error) {
	first := l.intent("report-monday", weeklyReport)
	if err := l.deliverLosingTheAnswer(ctx, first, weeklyReport); err != nil {
		return "", err
	}
	if err := l.lookup(ctx, first.OpKey); err != nil {
		return "", err
	}
	_, err := l.sender.Deliver(ctx, l.intent("report-tuesday", weeklyReport), weeklyReport)
	return "", err
}

func printTable(out io.Writer, rows []Measured) error {
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, "SCHEME\tRECEIVER HAS\tTHE SENDER'S INTENTS\tREFUSED")
	var summary []string
	for _, r := range rows {
		refused, short := "", strconv.Itoa(r.ReceiverRecords)
		if r.Refused != nil {
			refused, short = *r.Refused, "refused"
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", r.Name, r.ReceiverRecords, r.intents, refused)
		summary = append(summary, short)
	}
	_, _ = fmt.Fprintf(w, "\n%s\n\n%s\n%s\n", strings.Join(summary, " / "),
		"In each row one answer was lost after the receiver had stored the delivery. Arrows join the states of one intent.",
		"Where a first intent stays UNKNOWN beside a second one, nobody on the sender's side knows of the duplicate.")
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := table.WriteTo(out)
	return err
}

// writeJSON writes the whole file or none of it.
func writeJSON(path string, v any) (err error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("the result as JSON: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".triage-experiment-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
