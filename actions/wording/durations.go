package wording

import (
	"fmt"
	"time"
)

// Duration is a length of time as one says it, in at most two units and never
// longer than it is: "350 ms", "42 s", "12 m 5 s", "3 h 12 m", "2 d 4 h".
func Duration(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return units(int(d.Minutes()), "m", int(d.Seconds())%60, "s")
	case d < 24*time.Hour:
		return units(int(d.Hours()), "h", int(d.Minutes())%60, "m")
	default:
		return units(int(d.Hours())/24, "d", int(d.Hours())%24, "h")
	}
}

// Precise is Duration with tenths of a second below a minute, for how long a
// call took: "350 ms", "5.2 s".
func Precise(d time.Duration) string {
	if d = max(d, 0); d >= time.Second && d < time.Minute {
		return fmt.Sprintf("%d.%d s", int(d.Seconds()), d.Milliseconds()/100%10)
	}
	return Duration(d)
}

// Age is how long ago something was, as one says it: whole seconds below a
// minute, whole minutes below an hour. Its words change as seldom as they can.
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d m", int(d.Minutes()))
	default:
		return Duration(d)
	}
}

// Wait is how long is left to wait, rounded up to whole seconds: what it names
// has come once that time has passed.
func Wait(d time.Duration) string {
	if rest := d % time.Second; rest > 0 {
		d += time.Second - rest
	}
	return Duration(max(d, time.Second))
}

func units(big int, bigName string, small int, smallName string) string {
	if small == 0 {
		return fmt.Sprintf("%d %s", big, bigName)
	}
	return fmt.Sprintf("%d %s %d %s", big, bigName, small, smallName)
}
