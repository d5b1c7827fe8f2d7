package lookup

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseJSON(t *testing.T) {
	for _, s := range []string{`{}`, `[]`, `null`, `"x"`, `true`, " {\"a\" : [1,2.5e400,-0]} \n", `"\ud83d\ude00"`, `"\\ud800"`, `"\u0000"`} {
		if _, f := parseJSON([]byte(s)); f != nil {
			t.Errorf("%s: %s", s, f.text)
		}
	}
	for s, cause := range map[string]string{
		``: "truncated", `{`: "truncated", `{"a"`: "truncated", `{"a":`: "truncated", `["a"`: "truncated", `"a`: "truncated", `tru`: "truncated", `{"a":1,`: "truncated",
		`5`: "malformed", `-1.5`: "malformed", `{]`: "malformed", `{"a":1,}`: "malformed", `[1,]`: "malformed", `{a:1}`: "malformed", `'a'`: "malformed",
		`[01]`: "malformed", `[NaN]`: "malformed", `{} {}`: "malformed", `{}]`: "malformed", `{"a":1,"a":1}`: "malformed", `{"x":{"a":1,"\u0061":2}}`: "malformed",
		"[\"a\nb\"]": "malformed", `["\ud800"]`: "malformed", `["\udc00"]`: "malformed", `["\ud800\u0041"]`: "malformed", `["\ud800x"]`: "malformed", "[\"\xc3\x28\"]": "malformed",
	} {
		if v, f := parseJSON([]byte(s)); f == nil || f.cause != cause {
			t.Errorf("%q: %v, %+v; want %s", s, v, f, cause)
		}
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?[1-9][0-9]{0,40}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,4})?`).Draw(t, "number")
		v, f := parseJSON([]byte(`{"n":` + number + `}`))
		if f != nil {
			t.Fatal(f.text)
		}
		if got := v.(map[string]any)["n"]; got != json.Number(number) {
			t.Fatalf("%s became %v", number, got)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\ud83d\ude00"]}`, `[`, `"\u`, `{"a":1,"a":2}`, goodBody, strings.Repeat("[", 300)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, f := parseJSON(raw)
		if f == nil && !json.Valid(raw) {
			t.Errorf("%q was read as %v", raw, v)
		}
	})
}
