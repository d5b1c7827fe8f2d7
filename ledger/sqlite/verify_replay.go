package sqlite

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// replayed are the intent's columns that the journal records; what is not here is
// derived and checked on its own.
const replayedColumns = `json_object(
  'task', task, 'stage', stage, 'principal', principal, 'target', target, 'payload_sha256', payload_sha256,
  'payload_bytes', payload_bytes, 'payload_ref', payload_ref, 'grant_id', grant_id, 'state', state, 'receipt', receipt,
  'settled_by', settled_by, 'max_attempts', max_attempts, 'deadline_at', deadline_at, 'supersedes', supersedes,
  'superseded_by', superseded_by, 'contradicted_at', contradicted_at, 'snoozed_until', snoozed_until,
  'cancel_requested_at', cancel_requested_at, 'created_at', created_at, 'updated_by', updated_by, 'version', version)`

// replay plays the journal of every intent from its begin and compares where that
// leads with the row. Both streams come in the order of op_key, so that memory does
// not grow with the ledger.
func (v *verifier) replay() error {
	intents, err := v.q.QueryContext(v.ctx, `SELECT op_key, `+replayedColumns+` FROM intents ORDER BY op_key`)
	if err != nil {
		return err
	}
	defer func() { _ = intents.Close() }()
	events, err := v.q.QueryContext(v.ctx, `SELECT op_key, kind, seq, detail FROM events WHERE op_key IS NOT NULL ORDER BY op_key, seq`)
	if err != nil {
		return err
	}
	defer func() { _ = events.Close() }()
	stream := eventStream{rows: events}
	if err := stream.next(); err != nil {
		return err
	}
	for intents.Next() {
		var key, row string
		if err := intents.Scan(&key, &row); err != nil {
			return err
		}
		if err := v.replayOne(key, row, &stream); err != nil {
			return err
		}
	}
	for ; stream.ok; err = stream.next() {
		if err != nil {
			return err
		}
		v.wrong(checkJournal, stream.key, "event %d tells of an intent that is gone", stream.seq)
	}
	return errors.Join(intents.Err(), events.Err())
}

// eventStream is the journal by op_key and seq, one event ahead.
type eventStream struct {
	rows   *sql.Rows
	ok     bool
	key    string
	kind   string
	seq    int64
	detail string
}

func (s *eventStream) next() error {
	if s.ok = s.rows.Next(); !s.ok {
		return s.rows.Err()
	}
	return s.rows.Scan(&s.key, &s.kind, &s.seq, &s.detail)
}

func (v *verifier) replayOne(key, row string, s *eventStream) error {
	for s.ok && s.key < key {
		v.wrong(checkJournal, s.key, "event %d tells of an intent that is gone", s.seq)
		if err := s.next(); err != nil {
			return err
		}
	}
	state := map[string]any{}
	begun := 0
	for s.ok && s.key == key {
		if s.kind == "begun" {
			begun++
		}
		v.step(state, s)
		if err := s.next(); err != nil {
			return err
		}
	}
	if begun != 1 {
		v.wrong(checkJournal, key, "the journal has %d beginnings of it, and one is due: no trigger made this row, or its events are gone", begun)
		return nil
	}
	var have map[string]any
	if err := json.Unmarshal([]byte(row), &have); err != nil {
		return fmt.Errorf("intent %q as JSON: %w", key, err)
	}
	for column, value := range have {
		if value != state[column] {
			v.wrong(checkJournal, key, "%s is %s, and the journal leads to %s: the row was changed past its triggers", column, shown(value), shown(state[column]))
		}
	}
	return nil
}

// step applies one event. Details of child rows name columns of those rows; only
// version is the intent's.
func (v *verifier) step(state map[string]any, s *eventStream) {
	var detail map[string]json.RawMessage
	if json.Unmarshal([]byte(s.detail), &detail) != nil {
		v.wrong(checkJournal, s.key, "event %d can't be read", s.seq)
		return
	}
	for column, raw := range detail {
		var change [2]any
		if !ofIntent(s.kind, column) || json.Unmarshal(raw, &change) != nil {
			continue
		}
		if s.kind != "begun" && change[0] != state[column] {
			v.wrong(checkJournal, s.key, "event %d changed %s from %s, which it was not", s.seq, column, shown(change[0]))
		}
		state[column] = change[1]
	}
}

// ofIntent says which columns of an event's detail are the intent's own.
func ofIntent(kind, column string) bool {
	switch kind {
	case "begun", "changed", "superseded":
		return column != "updated_at"
	}
	return column == "version" || column == "contradicted_at" || column == "snoozed_until"
}

func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprint(v)
}
