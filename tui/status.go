package tui

import (
	"triage/actions/wording"
	"triage/ledger"
)

// status is the line (or lines) at the foot that says what came of something.
type status struct {
	text  string
	tone  tone
	at    ledger.Millis       // when it happened; none for hints
	lasts bool                // stays until the next result or esc; a hint goes with the next key
	live  func(*Model) string // what it says now, where that changes by itself; nil: always text
	about *concern            // which intent it speaks of; nil: none
}

type tone int

const (
	toneHint tone = iota
	toneGood
	toneBad
)

func hint(text string) status { return status{text: text} }

func result(text string, at ledger.Millis) status {
	return status{text: text, tone: toneGood, at: at, lasts: true}
}

func trouble(text string, at ledger.Millis) status {
	return status{text: text, tone: toneBad, at: at, lasts: true}
}

// lines are the status as it is shown, at most so many lines.
func (s status) lines(t theme, m *Model, width, most int) []line {
	if s.live != nil {
		s.text = s.live(m)
	}
	if s.text == "" {
		return []line{nil}
	}
	words, style := s.text, map[tone]look{toneHint: t.plain, toneGood: t.good, toneBad: t.danger}[s.tone]
	if !s.at.IsNone() {
		words = wording.Clock(s.at, m.now, m.options.Zone) + "  " + words
	}
	out := wrapped(words, width, style)
	if len(out) > most {
		out = out[:most]
		out[most-1] = append(out[most-1][:1:1], span{" …", style})
	}
	return out
}
