package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"triage/actions/verdict"
	"triage/ledger"
)

// The rows on the screen say what the receiver's last answer comes to, and not only the
// selected one: “not found” means one thing where that proves something and another
// where it does not. Their verdicts are read in the background, a screen at a time.

// rowVerdict is a row's verdict as it was judged last.
type rowVerdict struct {
	version int64 // of the intent
	kind    verdict.Kind
	at      ledger.Millis
}

// verdictAge is how long a verdict in a row may stand: time alone changes some.
const verdictAge = 30_000 // milliseconds

// verdictsRead: rows were judged.
type verdictsRead struct {
	judged map[string]rowVerdict
}

// readVerdicts asks for those that are on the screen and not known, nil for none.
func (m *Model) readVerdicts() tea.Cmd {
	if m.judging || m.over != nil || m.live.trouble != nil || m.tooSmall() {
		return nil
	}
	var keys []string
	q := &m.queue
	for i := q.top; i < min(q.top+q.height, len(q.rows)); i++ {
		row := q.rows[i]
		if key := row.Intent.OpKey; key != m.intent.key && rowLookup(row) != "" && !m.judged(row, verdictAge) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	m.judging = true
	a := m.asks
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, readTimeout)
		defer cancel()
		answer := verdictsRead{judged: map[string]rowVerdict{}}
		for _, key := range keys {
			now := ledger.At(a.clock())
			answer.judged[key] = rowVerdict{at: now} // one that can't be read is not asked for all the time
			if item, err := a.acts.Item(ctx, key); err == nil {
				answer.judged[key] = rowVerdict{version: item.Intent.Version, kind: item.Verdict.Kind, at: now}
			}
		}
		return answer
	}
}

// judged says that a row's verdict is known and not older than that.
func (m *Model) judged(row ledger.QueueRow, age ledger.Millis) bool {
	v, ok := m.verdicts[row.Intent.OpKey]
	return ok && (v.version == row.Intent.Version || v.kind == "") && m.now-v.at < age
}

// onVerdicts keeps what was judged, and of the rest only what is in the list.
func (m *Model) onVerdicts(a verdictsRead) {
	m.judging = false
	kept := make(map[string]rowVerdict, len(m.queue.rows))
	for _, row := range m.queue.rows {
		key := row.Intent.OpKey
		if v, ok := a.judged[key]; ok {
			kept[key] = v
		} else if v, ok := m.verdicts[key]; ok {
			kept[key] = v
		}
	}
	m.verdicts = kept
}

// rowKind is a row's verdict, "" where it is not known as things stand.
func (m *Model) rowKind(row ledger.QueueRow) verdict.Kind {
	i := row.Intent
	if item := m.intent.item; item != nil && item.Intent.OpKey == i.OpKey && item.Intent.Version == i.Version {
		return item.Verdict.Kind
	}
	if v, ok := m.verdicts[i.OpKey]; ok && v.version == i.Version {
		return v.kind
	}
	return ""
}
