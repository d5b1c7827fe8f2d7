package drill

import (
	"fmt"
	"io"
)

// telling writes for a person and keeps the first error, so that a drill whose
// reader has gone ends and cleans up instead of playing on to nobody.
type telling struct {
	out    io.Writer
	failed error
}

func (t *telling) printf(format string, args ...any) {
	if t.failed == nil {
		_, t.failed = fmt.Fprintf(t.out, format, args...)
	}
}

func (t *telling) say(format string, args ...any) { t.printf(format+"\n", args...) }
