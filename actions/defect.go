package actions

import "runtime/debug"

// Defect is a panic in a goroutine of an act's own. It goes on in the goroutine of
// whoever asked for the act, who can catch it, once everything beside it has stopped.
type Defect struct {
	Value any    // what the panic said
	At    []byte // the stack where it was
}

// stopOnDefect is deferred in a goroutine. It keeps the first panic and stops what goes
// on beside it.
func stopOnDefect(defects chan<- Defect, stop func()) {
	value := recover()
	if value == nil {
		return
	}
	select {
	case defects <- Defect{Value: value, At: debug.Stack()}:
	default:
	}
	stop()
}
