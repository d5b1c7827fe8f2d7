// Package report holds the figures of one run of the benchmarks and prints them. A
// figure that misses its target is printed as missed; what could not be measured is
// printed with the reason.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Figure is one thing that was measured, or that could not be.
type Figure struct {
	Part   string  `json:"part"`             // queries, start, keys, …
	What   string  `json:"what"`             // what was measured, in words
	On     string  `json:"on"`               // on which ledger, how often, beside what
	Value  float64 `json:"value"`            // in Unit
	Unit   string  `json:"unit"`             // ×, ms, µs, kB, MB, %, …
	AtMost float64 `json:"at_most,omitzero"` // the target; 0: none
	Least  float64 `json:"at_least,omitzero"`
	Detail string  `json:"detail,omitempty"`  // what the figure was made from
	Absent string  `json:"missing,omitempty"` // why there is no figure
}

// Missed says that a target was there and was not met. What could not be measured
// has not met its target, but is told apart.
func (f Figure) Missed() bool {
	return f.Absent == "" && (f.AtMost > 0 && f.Value > f.AtMost || f.Least > 0 && f.Value < f.Least)
}

// Verdict is met, missed, not measured, or "" where nothing was promised.
func (f Figure) Verdict() string {
	switch {
	case f.Absent != "":
		return "not measured"
	case f.Missed():
		return "MISSED"
	case f.AtMost > 0, f.Least > 0:
		return "met"
	}
	return ""
}

// Report is a whole run.
type Report struct {
	Machine Machine  `json:"machine"`
	Figures []Figure `json:"figures"`
}

// JSON prints the report for programs.
func (r Report) JSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Table prints the report as Markdown, so that it can stand in a document as it is.
func (r Report) Table(out io.Writer) {
	fmt.Fprintf(out, "%s\n", r.Machine)
	part := ""
	for _, f := range r.Figures {
		if f.Part != part {
			part = f.Part
			fmt.Fprintf(out, "\n| %s | measured on | figure | target | |\n| --- | --- | --- | --- | --- |\n", part)
		}
		cells := []string{f.What, f.On, f.figure(), f.target(), f.Verdict()}
		for n := range cells {
			cells[n] = strings.ReplaceAll(cells[n], "|", `\|`)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintf(out, "\n%s\n", r.summary())
}

func (f Figure) figure() string {
	if f.Absent != "" {
		return f.Absent
	}
	text := number(f.Value) + unit(f.Unit)
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	return text
}

func (f Figure) target() string {
	switch {
	case f.AtMost > 0:
		return "≤ " + number(f.AtMost) + unit(f.Unit)
	case f.Least > 0:
		return "≥ " + number(f.Least) + unit(f.Unit)
	}
	return ""
}

func unit(u string) string {
	if u == "×" || u == "%" || u == "" {
		return u
	}
	return " " + u
}

// number shows three digits or so, more where the number has them.
func number(v float64) string {
	switch a := max(v, -v); {
	case a == float64(int64(a)), a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (r Report) summary() string {
	var missed, absent []string
	met := 0
	for _, f := range r.Figures {
		switch f.Verdict() {
		case "met":
			met++
		case "MISSED":
			missed = append(missed, f.What)
		case "not measured":
			absent = append(absent, f.What)
		}
	}
	text := fmt.Sprintf("%d targets met, %d missed", met, len(missed))
	if len(missed) > 0 {
		text += " (" + strings.Join(missed, "; ") + ")"
	}
	if len(absent) > 0 {
		text += fmt.Sprintf(", %d not measured", len(absent))
	}
	return text + "."
}
