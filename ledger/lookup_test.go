package ledger

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestDecodeEvidence: what two readers could understand differently is unreadable,
// and unreadable evidence shows nothing.
func TestDecodeEvidence(t *testing.T) {
	key, final := "op-1", false
	for _, tc := range []struct {
		name, column string
		want         Evidence
		wrong        string // part of the error; empty: readable
	}{
		{"none", "", Evidence{}, ""},
		{"an empty object", "{}", Evidence{}, ""},
		{"blanks around it", " { } ", Evidence{}, ""},
		{"unknown members", `{"request_id":7,"sheets":[{"key":"x"}],"key":"op-1"}`, Evidence{Key: &key}, ""},
		{"unknown members twice", `{"note":1,"note":2,"Note":3}`, Evidence{}, ""},
		{"members that are null", `{"key":null,"final":null,"status":null,"truncated":null}`, Evidence{}, ""},
		{"an escaped name", `{"\u006bey":"op-1"}`, Evidence{Key: &key}, ""},
		{"no JSON", "{", Evidence{}, "no JSON"},
		{"only a blank", " ", Evidence{}, "no JSON"},
		{"more behind it", `{"key":"op-1"}{}`, Evidence{}, "no JSON"},
		{"a comma too many", `{"key":"op-1",}`, Evidence{}, "no JSON"},
		{"a list", `[{"truncated":true}]`, Evidence{}, "no JSON object"},
		{"text", `"truncated"`, Evidence{}, "no JSON object"},
		{"null", `null`, Evidence{}, "no JSON object"},
		{"truncated is a number", `{"truncated":1}`, Evidence{}, "truncated"},
		{"truncated, and key is a number", `{"truncated":true,"key":5}`, Evidence{}, "key"},
		{"status out of range", `{"truncated":true,"status":99999999999999999999}`, Evidence{}, "status"},
		{"status is text", `{"status":"404"}`, Evidence{}, "status"},
		{"status is a fraction", `{"status":404.5}`, Evidence{}, "status"},
		{"replayed is text", `{"replayed":"true"}`, Evidence{}, "replayed"},
		{"final is a number", `{"final":0}`, Evidence{}, "final"},
		{"retry_at is text", `{"retry_at":"soon"}`, Evidence{}, "retry_at"},
		{"error is an object", `{"error":{"code":1}}`, Evidence{}, "error"},
		{"excerpt is a list", `{"excerpt":[]}`, Evidence{}, "excerpt"},
		{"canary is true", `{"canary":true}`, Evidence{}, "canary"},
		{"proves is a list", `{"proves":["absent"]}`, Evidence{}, "proves"},
		{"key twice", `{"key":"zz","key":"op-1"}`, Evidence{}, "key twice"},
		{"key twice, once escaped", `{"key":"zz","\u006bey":"op-1"}`, Evidence{}, "key twice"},
		{"truncated twice, the same", `{"truncated":true,"truncated":true}`, Evidence{}, "truncated twice"},
		{"key in two spellings", `{"key":"zz","KEY":"op-1"}`, Evidence{}, `"KEY"`},
		{"truncated in two spellings", `{"truncated":true,"TRUNCATED":false}`, Evidence{}, `"TRUNCATED"`},
		{"only another spelling", `{"Truncated":true}`, Evidence{}, `"Truncated"`},
		{"letters that fold to others", "{\"ſtatus\":500}", Evidence{}, "status"},
		{"a key of broken text", "{\"key\":\"op-\xff\"}", Evidence{}, "no JSON"},
		{"a key of half a character", `{"key":"op-\ud800"}`, Evidence{}, "no character"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := Lookup{Evidence: tc.column}
			got, err := l.DecodeEvidence()
			if (err != nil) != (tc.wrong != "") || err != nil && !strings.Contains(err.Error(), tc.wrong) {
				t.Fatalf("error %v, want one that says %q", err, tc.wrong)
			}
			if !reflect.DeepEqual(got, tc.want) || !reflect.DeepEqual(l.ReadEvidence(), tc.want) {
				t.Fatalf("decoded %+v, read %+v, want %+v", got, l.ReadEvidence(), tc.want)
			}
		})
	}
	all := Evidence{
		Key: &key, Final: &final, Proves: "absent", Replayed: true, Status: 404, Error: "e", Excerpt: "x", Canary: "c",
		RetryAt: 1_800_000_000_000, Heard: true, Truncated: true,
		AsOf: 1_800_000_000_000, CompleteAt: 1_800_000_000_001, SkewMS: -1, Source: "s", Pages: 2,
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(raw), `":`) != reflect.TypeFor[Evidence]().NumField() {
		t.Fatalf("not every member is told: %s", raw)
	}
	if got, err := (Lookup{Evidence: string(raw)}).DecodeEvidence(); err != nil || !reflect.DeepEqual(got, all) {
		t.Fatalf("%s came back as %+v, %v", raw, got, err)
	}
}
