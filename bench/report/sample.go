package report

import (
	"slices"
	"time"
)

// Sample is a number of measured values.
type Sample []float64

// Add adds a duration in milliseconds.
func (s *Sample) Add(d time.Duration) { *s = append(*s, float64(d)/float64(time.Millisecond)) }

// Quantile is the smallest value that at least that share of the sample does not
// exceed (the nearest rank): nothing is interpolated, so a p99 of fewer than 100
// values is the largest. Of nothing it is 0.
func (s Sample) Quantile(share float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := int(share*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median is the middle value; of an even number the lower one of the two.
func (s Sample) Median() float64 { return s.Quantile(0.5) }

// Max is the largest value, 0 of nothing.
func (s Sample) Max() float64 { return s.Quantile(1) }
