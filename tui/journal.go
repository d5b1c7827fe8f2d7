package tui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// journalLines are every event of an intent, the newest first.
func (m *Model) journalLines(item actions.Item, width int) []line {
	t := m.theme
	out := []line{text("History: "+wording.Count(len(item.Events), "event", "events")+", newest first. H goes back.", t.strong)}
	for i := len(item.Events) - 1; i >= 0; i-- {
		e := item.Events[i]
		head := fmt.Sprintf("%s  %s", wording.Stamp(e.At, m.now, m.options.Zone), wording.Safe(e.Kind))
		out = append(out, line{{fmt.Sprintf("%5d ", e.Seq), t.muted}, {head, t.strong}, {"  " + wording.Safe(e.Actor), t.plain}})
		for _, change := range m.changes(e) {
			out = append(out, indented(wrapped(change, width-6, t.muted), 6)...)
		}
	}
	return out
}

// changes are the columns that an event changed: "state: PENDING → UNKNOWN".
func (m *Model) changes(e ledger.Event) []string {
	var detail map[string][]any
	if json.Unmarshal([]byte(e.Detail), &detail) != nil {
		if e.Detail == "" || e.Detail == "{}" {
			return nil
		}
		return []string{wording.Safe(e.Detail)}
	}
	var out []string
	for _, column := range slices.Sorted(maps.Keys(detail)) {
		values := make([]string, 0, len(detail[column]))
		for _, v := range detail[column] {
			values = append(values, m.value(column, v))
		}
		out = append(out, wording.Safe(column)+": "+strings.Join(values, " → "))
	}
	return out
}

// value is one column's value; an instant is shown as one.
func (m *Model) value(column string, v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		return wording.Safe(v)
	case float64:
		if strings.HasSuffix(column, "_at") || strings.HasSuffix(column, "until") {
			return wording.Stamp(ledger.Millis(v), m.now, m.options.Zone)
		}
		return fmt.Sprintf("%.0f", v)
	}
	return wording.Safe(fmt.Sprint(v))
}
