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

// journalLines are every event of an intent, the newest first. A decision is told
// as what it was and why, not as the columns of its row.
func (m *Model) journalLines(item actions.Item, width int) []line {
	t := m.theme
	out := []line{text("History: "+wording.Count(len(item.Events), "event", "events")+", newest first. H goes back.", t.strong)}
	decisions := map[int64]ledger.Decision{}
	for _, d := range item.Decisions {
		decisions[d.Seq] = d
	}
	for _, e := range slices.Backward(item.Events) {
		head := fmt.Sprintf("%s  %s", m.stamp(e.At), wording.Safe(e.Kind))
		out = append(out, line{{fmt.Sprintf("%5d ", e.Seq), t.muted}, {head, t.strong}, {"  " + writer(e.Actor), t.plain}})
		changes := m.changes(e)
		if d, ok := decisions[e.Seq]; ok && e.Seq != 0 {
			changes = m.decided(d)
		}
		for _, change := range changes {
			out = append(out, indented(wrapped(change, width-6, t.muted), 6)...)
		}
	}
	return out
}

// decided are a decision's reason and what it rests on.
func (m *Model) decided(d ledger.Decision) []string {
	out := []string{"reason: " + wording.Safe(d.Reason)}
	if d.Kind == ledger.Denied {
		wanted, code := actions.ReadDenied(d)
		out = append([]string{"refused: " + wording.Safe(string(wanted)) + bracketed(code)}, out...)
	}
	if d.Receipt != "" {
		out = append(out, "receipt: "+wording.Safe(d.Receipt))
	}
	if d.NewOpKey != "" {
		out = append(out, "new key: "+wording.Safe(d.NewOpKey))
	}
	if !d.Until.IsNone() {
		out = append(out, "until: "+m.when(d.Until))
	}
	return out
}

func bracketed(code string) string {
	if code == "" {
		return ""
	}
	return " (" + wording.Safe(code) + ")"
}

// changes are the columns that an event changed: "state: PENDING → UNKNOWN". One
// that stayed as it was stands there to say which row it is about.
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
		out = append(out, wording.Safe(column)+": "+strings.Join(slices.Compact(values), " → "))
	}
	return out
}

// stamp is an instant to the millisecond, with its day where that is not today's.
func (m *Model) stamp(at ledger.Millis) string {
	if m.past {
		return m.fullStamp(at)
	}
	return wording.Stamp(at, m.now, m.options.Zone)
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
			return m.stamp(ledger.Millis(v))
		}
		return fmt.Sprintf("%.0f", v)
	}
	return wording.Safe(fmt.Sprint(v))
}
