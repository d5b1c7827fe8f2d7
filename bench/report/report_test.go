package report_test

import (
	"strings"
	"testing"
	"time"

	"triage/bench/report"
)

func TestQuantile(t *testing.T) {
	var hundred report.Sample
	for i := 100; i > 0; i-- {
		hundred = append(hundred, float64(i))
	}
	for _, c := range []struct {
		name  string
		s     report.Sample
		share float64
		want  float64
	}{
		{"nothing", nil, 0.5, 0},
		{"one", report.Sample{7}, 0.99, 7},
		{"median of three", report.Sample{3, 1, 2}, 0.5, 2},
		{"median of four", report.Sample{4, 3, 1, 2}, 0.5, 2},
		{"p99 of a hundred", hundred, 0.99, 99},
		{"p99 of ten is the largest", hundred[:10], 0.99, 100},
		{"all", hundred, 1, 100},
		{"none", hundred, 0, 1},
	} {
		if got := c.s.Quantile(c.share); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	var s report.Sample
	s.Add(1500 * time.Microsecond)
	if s.Median() != 1.5 {
		t.Errorf("1500 µs are %v ms", s.Median())
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		f    report.Figure
		want string
	}{
		{report.Figure{Value: 3, AtMost: 2.2}, "MISSED"},
		{report.Figure{Value: 2.2, AtMost: 2.2}, "met"},
		{report.Figure{Value: 94.9, Least: 95}, "MISSED"},
		{report.Figure{Value: 95, Least: 95}, "met"},
		{report.Figure{Value: 3}, ""},
		{report.Figure{AtMost: 2, Absent: "gcc is not installed"}, "not measured"},
	} {
		if got := c.f.Verdict(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.f, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	r := report.Report{Figures: []report.Figure{
		{Part: "keys", What: "p99", On: "10,000 intents", Value: 33.4, Unit: "ms", AtMost: 12, Detail: "p50 17.2 ms"},
		{Part: "queries", What: "page", On: "10,000 intents", Value: 2.06, Unit: "×", AtMost: 2.2},
		{Part: "queries", What: "search", On: "10,000 intents", Unit: "×", Absent: "gcc is not installed", AtMost: 2.2},
	}}
	var out strings.Builder
	r.Table(&out)
	for _, want := range []string{
		"| p99 | 10,000 intents | 33.4 ms (p50 17.2 ms) | ≤ 12 ms | MISSED |\n",
		"| page | 10,000 intents | 2.06× | ≤ 2.20× | met |\n",
		"| search | 10,000 intents | gcc is not installed | ≤ 2.20× | not measured |\n",
		"1 targets met, 1 missed (p99), 1 not measured.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := r.JSON(&out); err != nil || !strings.Contains(out.String(), `"missing": "gcc is not installed"`) {
		t.Errorf("JSON, %v:\n%s", err, out.String())
	}
}
