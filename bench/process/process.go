// Package process reads from /proc what a running program has used. It works on
// Linux; elsewhere every reading is an error.
package process

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Use is what a process has used so far.
type Use struct {
	CPU  time.Duration // user and system time of all its threads
	Peak float64       // largest resident set so far, MB of 1024 × 1024 bytes
	Now  float64       // resident set now, MB
	Anon float64       // the part of it that is neither the binary nor a mapped file, MB
}

// Look reads what the process has used.
func Look(pid int) (Use, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return Use{}, fmt.Errorf("what process %d uses can't be read; /proc is needed: %w", pid, err)
	}
	u := memory(string(status))
	u.CPU, err = cpu(dir)
	return u, err
}

func memory(status string) (u Use) {
	into := map[string]*float64{"VmHWM": &u.Peak, "VmRSS": &u.Now, "RssAnon": &u.Anon}
	lines := bufio.NewScanner(strings.NewReader(status))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if field := into[name]; field != nil {
			kB, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			*field = kB / 1024
		}
	}
	return u
}

// cpu adds up what the scheduler has counted, which is exact to the nanosecond where
// the kernel's ticks are 10 ms; it counts user and system time.
func cpu(dir string) (all time.Duration, err error) {
	threads, err := filepath.Glob(filepath.Join(dir, "task", "*", "schedstat"))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("%s tells no CPU time of its threads: %w", dir, os.ErrNotExist)
	}
	for _, thread := range threads {
		raw, err := os.ReadFile(thread)
		if err != nil {
			continue // a thread that has just ended
		}
		on, _, _ := strings.Cut(string(raw), " ")
		ns, err := strconv.ParseInt(on, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", thread, err)
		}
		all += time.Duration(ns)
	}
	return all, nil
}
