package actions_test

import (
	"strings"
	"testing"

	"triage/actions"
)

// A panic in one of a sweep's goroutines comes out where the sweep was asked for, with
// the place where it was, and leaves nothing running.
func TestADefectInASweepReachesItsCaller(t *testing.T) {
	b := newBench(t)
	b.settledAll()
	defer func() {
		defect, ok := recover().(actions.Defect)
		if !ok || defect.Value != "a defect" || !strings.Contains(string(defect.At), "defect_test.go") {
			t.Errorf("what came out is %+v", defect)
		}
	}()
	_, _ = b.desk.Sweep(t.Context(), b.plan(actions.SweepRequest{}), func(actions.SweepStep) { panic("a defect") })
	t.Error("the sweep went on")
}
