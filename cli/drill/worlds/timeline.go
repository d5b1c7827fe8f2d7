package worlds

import (
	"fmt"
	"strings"
	"time"
)

// note puts a line into the timeline, in true time.
func (w *world) note(who, format string, args ...any) {
	if w.log == nil {
		return
	}
	*w.log = append(*w.log, fmt.Sprintf("%s  %-10s  %s", w.moment(w.now), who, fmt.Sprintf(format, args...)))
}

// noteVerdict tells what an operator sees, with its reasons.
func (w *world) noteVerdict(o *operator, key string, s sight) {
	if w.log == nil {
		return
	}
	w.note(o.name, "sees %s: %s, verdict %s; safe: %v", key, s.intent.State, s.verdict.Kind, s.verdict.Safe)
	for _, why := range s.verdict.Because {
		*w.log = append(*w.log, strings.Repeat(" ", 26)+why)
	}
}

// moment is a true instant, as time since the world began.
func (w *world) moment(at int64) string {
	return fmt.Sprintf("%12s", (time.Duration(at) * time.Millisecond).String())
}
