package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/itchyny/gojq"

	"triage/actions/config"
	"triage/actions/verdict"
	"triage/actions/wording"
)

// alien is an answer that says nothing about a delivery, and yet reaches the mapping.
type alien struct {
	what   string
	within string // a wider one, beside which this one needs no mention
	input  map[string]any
}

const (
	any404 = "any 404"
	any410 = "any 410"
	any409 = "any 409"
	any422 = "any 422"
)

var aliens = []alien{
	{any404, "", answered(404, nil)},
	{"a 404 of something else", any404, answered(404, map[string]any{"error": "no route matches", "message": "no route matches"})},
	{any410, "", answered(410, nil)},
	{any409, "", answered(409, map[string]any{})},
	{"a 409 of something else", any409, answered(409, map[string]any{"error": "conflict", "message": "Conflict"})},
	{any422, "", answered(422, map[string]any{})},
	// As GitHub's search answers for a repository that is not there or may not be seen.
	{"a 422 that complains of the question", any422, answered(422, map[string]any{"error": "validation failed", "message": "Validation Failed",
		"errors": []any{map[string]any{"message": "The listed users and repositories cannot be searched", "resource": "Search", "field": "q", "code": "invalid"}}})},
	{"a 200 that says access denied", "", answered(200, map[string]any{"error": "access denied"})},
	{"an empty 200", "", answered(200, map[string]any{})},
}

// answered is what a mapping sees of an answer by HTTP.
func answered(status int, body map[string]any) map[string]any {
	input := map[string]any{"status": status, "headers": map[string]any{}, "body": nil}
	if body != nil {
		input["headers"], input["body"] = map[string]any{"content-type": "application/json"}, body
	}
	return input
}

// evaluation is the longest that one expression is tried.
const evaluation = time.Second

// takenFor names the alien answers for which an expression is true.
func takenFor(expression string) (names []string) {
	holds, done := trying(expression)
	defer done()
	for _, a := range aliens {
		if !slices.Contains(names, a.within) && holds(a.input) {
			names = append(names, a.what)
		}
	}
	return names
}

// aboutQuestion says of what was taken for a refusal or an absence that it may complain
// of the question instead (409 and 422, RFC 9110 §15.5.10 and §15.5.21), so that a
// connector believes it only where it names the key. "" where that is not so.
func aboutQuestion(names []string, key string) string {
	if !slices.ContainsFunc(aliens, func(a alien) bool {
		status := a.input["status"]
		return slices.Contains(names, a.what) && (status == http.StatusConflict || status == http.StatusUnprocessableEntity)
	}) {
		return ""
	}
	if key == "" {
		return " A 409 or 422 may be about the question, and counts only where the answer names the key: without key mapped it never counts, and once key is mapped an error that repeats the question does."
	}
	return " A 409 or 422 may be about the question, and counts only where the answer names the key, which an error that repeats the question does as well."
}

// deadStatuses names the statuses that an expression asks for and that can't count: such
// an answer is a failed lookup before any mapping is read. "" if there are none, and where
// the expression does not look at the status at all.
func deadStatuses(expression string) string {
	holds, done := trying(expression)
	defer done()
	var dead []int
	untold := 0
	for status := 100; status < 600; status++ {
		if verdict.StatusTells(status) {
			continue
		}
		untold++
		if holds(answered(status, nil)) || holds(answered(status, map[string]any{"error": "x", "message": "x"})) {
			dead = append(dead, status)
		}
	}
	if len(dead) == untold {
		return ""
	}
	return wording.List(ranges(dead))
}

// deadConditions says that a mapping asks for statuses that can't count.
func deadConditions(p *page, name, expression string) {
	if dead := deadStatuses(expression); dead != "" {
		p.gap(NeverSettled, name+" asks for the status "+dead+", which can't count: such an answer is a failed lookup before any mapping is read.",
			"Whoever relies on a status that can't count waits for nothing: the intent stays in doubt.",
			"Take what can't count out of "+name+": it is about the question or the way there, and not about a delivery.")
	}
}

// ranges writes ascending numbers, neighbours together.
func ranges(numbers []int) (texts []string) {
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		text := fmt.Sprint(numbers[i])
		if last > i {
			text = fmt.Sprintf("%d to %d", numbers[i], numbers[last])
		}
		texts = append(texts, text)
		i = last + 1
	}
	return texts
}

// trying makes a test of whether an expression is true for an answer. What fails is not.
func trying(expression string) (holds func(map[string]any) bool, done func()) {
	ctx, cancel := context.WithTimeout(context.Background(), evaluation)
	code, err := config.Compile(expression)
	if err != nil { // the configuration was refused before
		return func(map[string]any) bool { return false }, cancel
	}
	return func(input map[string]any) bool { return first(ctx, code, input) == true }, cancel
}

// first is the first value that an expression gives, nil if it fails.
func first(ctx context.Context, code *gojq.Code, input map[string]any) any {
	value, ok := code.RunWithContext(ctx, input).Next()
	if _, failed := value.(error); failed || !ok {
		return nil
	}
	return value
}
