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
		return "", v.fail(what, "Write jq over .status, .headers and .body, such as .status == 200")
	}
	if strings.TrimSpace(s) == "." {
		return "", v.fail(v.name()+" is the whole answer, which says nothing", "Write jq over .status, .headers and .body, such as .status == 200")
	}
	return s, nil
}
