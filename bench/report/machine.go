package report

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine is where and when it was measured, and what else was running.
type Machine struct {
	At       time.Time `json:"at"`
	System   string    `json:"system"`
	CPU      string    `json:"cpu"`
	Cores    int       `json:"cores"`
	Go       string    `json:"go"`
	Rounds   int       `json:"rounds"`
	LoadFrom float64   `json:"load_before"` // processes that wanted a core in the minute before; -1: unknown
	LoadTo   float64   `json:"load_after"`
}

// Look is this machine now.
func Look(rounds int) Machine {
	return Machine{
		At: time.Now().UTC().Truncate(time.Second), System: runtime.GOOS + "/" + runtime.GOARCH, CPU: model(),
		Cores: runtime.NumCPU(), Go: runtime.Version(), Rounds: rounds, LoadFrom: Load(), LoadTo: -1,
	}
}

// String is one line for the head of the table.
func (m Machine) String() string {
	text := fmt.Sprintf("Measured %s on %s, %d cores (%s), %s, %d rounds.", m.At.Format("2006-01-02 15:04 MST"), m.System, m.Cores, m.CPU, m.Go, m.Rounds)
	if m.LoadFrom >= 0 {
		text += fmt.Sprintf(" Load before %.1f, after %.1f.", m.LoadFrom, m.LoadTo)
	}
	if m.LoadFrom > 0.5 {
		text += " Others were running beside it."
	}
	return text
}

// Load is how many processes wanted a core in the last minute, -1 where the system
// does not tell.
func Load() float64 {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return -1
	}
	var load float64
	if _, err := fmt.Sscan(string(raw), &load); err != nil {
		return -1
	}
	return load
}

func model() string {
	raw, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor unknown"
}
