package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/itchyny/gojq"

	"triage/actions/config"
)

// mapping is a target's jq expressions, compiled. nil: not configured.
type mapping struct {
	found, notFound, inProgress, refused *expression
	withdrawn, final, hits, next         *expression
	key, receipt, payloadSHA256, owner   *expression
}

// expression is one jq expression with its name in the configuration.
type expression struct {
	name string
	code *gojq.Code
}

// compile compiles all expressions of a connector. next is where a further page is,
// for connectors that have pages.
func compile(h config.Mapping, next string) (*mapping, error) {
	m := &mapping{}
	for _, e := range []struct {
		place      **expression
		name, text string
	}{
		{&m.found, "found", h.Found}, {&m.notFound, "not_found", h.NotFound}, {&m.inProgress, "in_progress", h.InProgress},
		{&m.refused, "refused", h.Refused}, {&m.withdrawn, "withdrawn", h.Withdrawn}, {&m.final, "final", h.Final},
		{&m.hits, "hits", h.Hits}, {&m.next, "next", next}, {&m.key, "key", h.Key}, {&m.receipt, "receipt", h.Receipt},
		{&m.payloadSHA256, "payload_sha256", h.PayloadSHA256}, {&m.owner, "owner", h.Owner},
	} {
		if e.text == "" {
			continue
		}
		code, err := config.Compile(e.text)
		if err != nil {
			return nil, fmt.Errorf("the jq expression %s: %w", e.name, err)
		}
		*e.place = &expression{e.name, code}
	}
	return m, nil
}

// value runs an expression over an answer: exactly one output, or a failure.
func (e *expression) value(ctx context.Context, input any) (any, *failure) {
	run := e.code.RunWithContext(ctx, input)
	v, ok := run.Next()
	if !ok {
		return nil, fail("mapping_error", "The mapping %s gives nothing for this answer.", e.name)
	}
	if err, isErr := v.(error); isErr {
		if f := givenUp(ctx, err); f != nil {
			return nil, fail(f.cause, "The mapping %s did not come to an end in time.", e.name)
		}
		f := fail("mapping_error", "The mapping %s fails on this answer.", e.name)
		f.quote = complaint(err)
		return nil, f
	}
	if _, more := run.Next(); more {
		return nil, fail("mapping_error", "The mapping %s gives more than one value for this answer.", e.name)
	}
	return v, nil
}

// complaint is the front of a jq error. What it quotes of the answer is left out:
// it is cut at any place, a secret's middle included. So is the whole text of an
// error that the mapping itself raises, which may be the answer's.
func complaint(err error) string {
	var raised gojq.ValueError
	if errors.As(err, &raised) {
		return ""
	}
	text := "jq: " + err.Error()
	if at := strings.IndexAny(text, "(\"'[{"); at >= 0 {
		text = text[:at]
	}
	return start(strings.TrimRight(text, " :"), 200)
}

// truth is a boolean. Nothing else counts as one, whatever jq calls truthy.
func (e *expression) truth(ctx context.Context, input any) (bool, *failure) {
	v, f := e.value(ctx, input)
	if f != nil {
		return false, f
	}
	b, ok := v.(bool)
	if !ok {
		return false, fail("mapping_error", "The mapping %s gives %s for this answer, not true or false.", e.name, typeName(v))
	}
	return b, nil
}

// text is a string, or an integer with all its digits. null is "".
func (e *expression) text(ctx context.Context, input any) (s string, told bool, f *failure) {
	v, f := e.value(ctx, input)
	if f != nil {
		return "", false, f
	}
	switch v := v.(type) {
	case nil:
		return "", false, nil
	case string:
		return v, true, nil
	case int:
		return fmt.Sprint(v), true, nil
	case *big.Int:
		return v.String(), true, nil
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return v.String(), true, nil
		}
	}
	return "", false, fail("mapping_error", "The mapping %s gives %s for this answer, not text or a whole number.", e.name, typeName(v))
}

// count is a list's length, or a whole number that is not negative.
func (e *expression) count(ctx context.Context, input any) (int, *failure) {
	v, f := e.value(ctx, input)
	if f != nil {
		return 0, f
	}
	if list, ok := v.([]any); ok {
		return len(list), nil
	}
	switch v.(type) {
	case int, *big.Int, json.Number:
		n, ok := new(big.Int).SetString(fmt.Sprint(v), 10)
		if ok && n.Sign() >= 0 {
			if n.IsInt64() && n.Int64() < 2 {
				return int(n.Int64()), nil
			}
			return 2, nil // several: how many does not matter
		}
	}
	return 0, fail("mapping_error", "The mapping %s gives %s for this answer, not a list or a number of hits.", e.name, typeName(v))
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case int, *big.Int:
		return "a whole number"
	case json.Number, float64:
		return "a number"
	}
	return "something else"
}
