package wording_test

import (
	"slices"
	"testing"

	"triage/actions/wording"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		in    string
		cells int
		want  string
	}{
		{"review", 6, "review"},
		{"review", 5, "revi…"},
		{"review", 1, "…"},
		{"review", 0, ""},
		{"周报周报", 8, "周报周报"},
		{"周报周报", 7, "周报周…"},
		{"周报周报", 6, "周报…"}, // a cell stays free: no ideograph is halved
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"👍🏽👍🏽", 3, "…"}, // four cells where skin tones are not understood
	} {
		if got := wording.Fit(c.in, c.cells); got != c.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.in, c.cells, got, c.want)
		}
	}
}

func TestFitMiddle(t *testing.T) {
	for _, c := range []struct {
		in    string
		cells int
		want  string
	}{
		{"task-A/review-1", 15, "task-A/review-1"},
		{"task-A/review-1", 9, "task…ew-1"},
		{"task-A/review-1", 4, "tas…"},
		{"周报第一期第二版", 10, "周报…二版"},
	} {
		if got := wording.FitMiddle(c.in, c.cells); got != c.want {
			t.Errorf("FitMiddle(%q, %d) = %q, want %q", c.in, c.cells, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		cells int
		want  []string
	}{
		{"", 10, []string{""}},
		{"the receiver may have it", 12, []string{"the receiver", "may have it"}},
		{"key 0123456789abcdef here", 8, []string{"key", "01234567", "89abcdef", "here"}},
		{"a\nb c", 10, []string{"a", "b c"}},
		{"周报周报", 5, []string{"周报", "周报"}},
	} {
		if got := wording.Wrap(c.in, c.cells); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.cells, got, c.want)
		}
	}
}
