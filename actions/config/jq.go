package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// Compile compiles a mapping's jq expression. It sees its input and nothing else:
// no environment, no modules, no further input.
func Compile(expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, err
	}
	return gojq.Compile(query)
}

// expression is a jq expression that compiles.
func (v value) expression() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	if _, err := Compile(s); err != nil {
		what := fmt.Sprintf("%s is not a jq expression that can be run: %s", v.name(), err)
		var at *gojq.ParseError
		if errors.As(err, &at) && at.Token != "" {
			what += fmt.Sprintf(" at %q", at.Token)
		}
		return "", v.fail(what, v.jqMend())
	}
	if strings.TrimSpace(s) == "." {
		return "", v.fail(v.name()+" is the whole answer, which says nothing", v.jqMend())
	}
	return s, nil
}

// jqMend says what an expression here can read.
func (v value) jqMend() string {
	switch {
	case strings.HasSuffix(v.at, ".row_key"):
		return "Write jq over one row, such as " + DefaultRowKey
	case strings.Contains(v.at, ".lookup.exec."):
		return "Write jq over .exit_code and .body, such as .body.state == \"sent\""
	case strings.Contains(v.at, ".lookup.sql."), strings.Contains(v.at, ".lookup.file."):
		return "Write jq over .rows and .columns, such as .rows[0].state == \"sent\""
	}
	return "Write jq over .status, .headers and .body, such as .status == 200"
}
