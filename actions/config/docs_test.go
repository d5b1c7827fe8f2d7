package config

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
)

func documentation(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestTheDocumentedExamplesLoad(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(documentation(t), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		c := load(t, b[1], env("INBOX_TOKEN", "x"))
		if c.Target("report-inbox").Lookup == nil {
			t.Errorf("no lookup in\n%s", b[1])
		}
	}
	c := load(t, blocks[1][1], env("INBOX_TOKEN", "x"))
	if w := c.Warnings(); len(w) != 0 {
		t.Errorf("the whole example warns: %q", w)
	}
}

// Every key that the loader knows is named by its own complaint about one it
// doesn't know.
func TestEveryKeyIsDocumented(t *testing.T) {
	text := documentation(t)
	for _, unknown := range []string{"zzz: 1\n", target("zzz: 1"), target("promises: {zzz: 1}"), target("lookup: {zzz: 1}"), lookupHTTP("zzz: 1"),
		target("lookup: {exec: {zzz: 1}}"), target("lookup: {sql: {zzz: 1}}"), target("lookup: {file: {zzz: 1}}")} {
		_, err := Load(write(t, unknown), env())
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%v", err)
		}
		keys := strings.Split(strings.TrimPrefix(e.Mend, "Write one of "), ", ")
		if len(keys) < 4 {
			t.Fatalf("%q", e.Mend)
		}
		for _, key := range keys {
			if !strings.Contains(text, "`"+key+"`") {
				t.Errorf("%s is not in docs/configuration.md", key)
			}
		}
	}
}
