package tui

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"triage/actions/wording"
)

// maxField bounds what fits into one field, in characters.
const maxField = 1000

// field is one line of text that an operator types. Editing is textinput's; what
// it shows is drawn here, so that nothing typed or pasted reaches the terminal
// raw and the cursor stands where the cells say.
type field struct {
	label    string
	help     string   // one short line under the label, "" for none
	required string   // what is missing while it is empty; "" if it may stay so
	typed    bool     // pasting is refused: the text is a consent
	choices  []string // the answers to choose from; none: free text
	chosen   int      // which of them; -1: none yet
	input    textinput.Model
}

func newField(label, help, required string) field {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = maxField
	in.SetVirtualCursor(false)
	in.KeyMap.Paste = key.NewBinding()          // would read this machine's clipboard
	in.KeyMap.NextSuggestion = key.NewBinding() // up and down move between fields
	in.KeyMap.PrevSuggestion = key.NewBinding()
	in.KeyMap.AcceptSuggestion = key.NewBinding()
	in.Focus()
	return field{label: label, help: help, required: required, input: in}
}

// value is what was typed, without space at either end, or what was chosen.
func (f *field) value() string {
	switch {
	case len(f.choices) == 0:
		return strings.TrimSpace(f.input.Value())
	case f.chosen < 0:
		return ""
	}
	return f.choices[f.chosen]
}

// press edits the text.
func (f *field) press(k tea.KeyPressMsg) {
	if len(f.choices) > 0 {
		f.turn(k)
		return
	}
	if k.Text != "" {
		k.Text, _ = clean(k.Text)
		if k.Text == "" {
			return
		}
	}
	f.input, _ = f.input.Update(k)
}

// paste puts text in at the cursor and says what it did to it.
func (f *field) paste(content string) (notice string) {
	if len(f.choices) > 0 {
		return "Pasting is off here: space, ← or → chooses."
	}
	if f.typed {
		return "Pasting is off here: this consent wants to be typed."
	}
	trimmed := strings.TrimSpace(content)
	text, changed := clean(lineEnds.Replace(trimmed))
	room := maxField - utf8.RuneCountInString(f.input.Value())
	var did []string
	if trimmed != content {
		did = append(did, "space around it was cut off")
	}
	if strings.ContainsAny(trimmed, "\r\n") {
		did = append(did, "line ends became spaces")
	}
	if strings.Contains(trimmed, "\t") {
		did = append(did, "tabs became spaces")
	}
	if changed {
		did = append(did, "invisible characters were left out")
	}
	if utf8.RuneCountInString(text) > room {
		did = append(did, "its end was left out: the field is full")
	}
	if text == "" {
		return "Nothing was pasted: it held nothing that can be seen."
	}
	f.input, _ = f.input.Update(tea.PasteMsg{Content: text})
	if len(did) == 0 {
		return "Pasted."
	}
	return "Pasted; " + wording.List(did) + "."
}

// lineEnds makes every kind of line end a space. Terminals send a lone CR for one.
var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// clean leaves out what would not be seen: text that an operator stands for must
// hold nothing that they cannot read.
func clean(s string) (cleaned string, changed bool) {
	s = strings.ReplaceAll(s, "\t", " ")
	var out strings.Builder
	for _, r := range s {
		if r == utf8.RuneError {
			continue
		}
		if one := string(r); wording.Safe("x"+one) == "x"+one {
			out.WriteString(one)
		}
	}
	return out.String(), out.String() != s
}

// render is the part of the text around the cursor that fits into the width, and
// the cell in which the cursor stands.
func (f *field) render(width int) (shown string, cursor int) {
	if len(f.choices) > 0 {
		return f.choice(width), 0
	}
	runes := []rune(f.input.Value())
	before := wording.Safe(string(runes[:f.input.Position()]))
	after := wording.Safe(string(runes[f.input.Position():]))
	if room := width - 1; wording.Width(before) > room {
		before = "…" + wording.Tail(before, room-1)
	}
	cursor = wording.Width(before)
	return before + wording.Fit(after, width-cursor), cursor
}
