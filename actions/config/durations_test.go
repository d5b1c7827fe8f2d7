package config

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "7d": 168 * time.Hour, "1d12h": 36 * time.Hour, "1.5d": 36 * time.Hour,
		".5d": 12 * time.Hour, "0s": 0, "0d": 0, "250ms": 250 * time.Millisecond, "2d1h1m1s": 49*time.Hour + time.Minute + time.Second, "36500d": 876000 * time.Hour,
	} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %s, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "d", "5", "-5m", "+5m", "1d-12h", "1d+12h", "12h1d", "1d1d", "1D", "1 d", "1w", "5 m", "1e3s", "9999999999d", "99999999h", "1d99999999999h", "-1d", "NaNd"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %s; want it refused", s, got)
		}
	}
}
