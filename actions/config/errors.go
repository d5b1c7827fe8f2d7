package config

import (
	"fmt"
	"strings"
)

// Error is a configuration that can't be used: where, what is wrong there, and
// what to write instead. No value of a ${VARIABLE} ever stands in it.
type Error struct {
	Path   string
	Line   int // from 1; 0 where the whole file is meant
	Column int // from 1; 0 where the whole line is meant
	What   string
	Mend   string
}

func (e *Error) Error() string {
	where := e.Path
	if e.Line > 0 {
		where += fmt.Sprintf(":%d", e.Line)
		if e.Column > 0 {
			where += fmt.Sprintf(":%d", e.Column)
		}
	}
	text := where + ": " + sentence(e.What)
	if e.Mend != "" {
		text += " " + sentence(e.Mend)
	}
	return text
}

func sentence(s string) string { return strings.TrimRight(s, ".") + "." }
