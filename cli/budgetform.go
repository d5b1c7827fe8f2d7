package cli

import "triage/actions"

// budgetJSON is what an intent's attempts have spent, and what is left; times are
// milliseconds and what is not known is null.
type budgetJSON struct {
	Attempts       int            `json:"attempts"`
	MaxAttempts    *int64         `json:"max_attempts"`
	AttemptsLeft   *int64         `json:"attempts_left"`
	DeadlineAt     *int64         `json:"deadline_at"`
	TimeLeftMS     *int64         `json:"time_left_ms"` // negative: the deadline has passed
	Layers         map[string]int `json:"layers"`
	IntervalsMS    *intervalsJSON `json:"intervals_ms"` // between the starts of one attempt and the next
	Overlaps       int            `json:"overlaps"`
	Nested         []nestingJSON  `json:"nested"`
	LatestStart    *int64         `json:"latest_safe_start"` // an attempt must begin before it
	OutlivesKeyBy  *int64         `json:"outlives_key_by_ms"`
	BudgetWarnings []string       `json:"warnings"`
}

type intervalsJSON struct {
	Shortest int64 `json:"shortest"`
	Typical  int64 `json:"typical"` // the median
	Longest  int64 `json:"longest"`
}

type nestingJSON struct {
	Outer  string `json:"outer"`
	Inner  string `json:"inner"`
	Around int    `json:"around"`
	Inside int    `json:"inside"`
	Most   int    `json:"most"` // inside one attempt of the outer layer
}

func budgetForm(item actions.Item) budgetJSON {
	b := item.Budget
	form := budgetJSON{
		Attempts: b.Attempts, MaxAttempts: optionalInt(b.Max), DeadlineAt: optionalInt(b.DeadlineAt),
		Layers: map[string]int{}, Overlaps: b.Overlaps, Nested: []nestingJSON{},
		LatestStart: optionalInt(b.LatestStart), OutlivesKeyBy: optionalInt(b.Outlives.Milliseconds()),
		BudgetWarnings: orEmpty(b.Warnings(item.Intent.Target)),
	}
	if b.Max > 0 {
		left := int64(b.Left)
		form.AttemptsLeft = &left
	}
	if !b.DeadlineAt.IsNone() {
		left := b.TimeLeft.Milliseconds()
		form.TimeLeftMS = &left
	}
	for _, l := range b.Layers {
		form.Layers[l.Name] = l.Attempts
	}
	if b.Intervals > 0 {
		form.IntervalsMS = &intervalsJSON{b.Shortest.Milliseconds(), b.Typical.Milliseconds(), b.Longest.Milliseconds()}
	}
	for _, n := range b.Nested {
		form.Nested = append(form.Nested, nestingJSON(n))
	}
	return form
}
