package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestVariablesInHeadersAndURL(t *testing.T) {
	text := `targets:
  inbox:
    lookup:
      http:
        url: ${BASE}/d/{op_key}?tenant=${TENANT}
        headers:
          Authorization: "Bearer ${TOKEN}"
          X-Both: "${A}-${B} costs $5, $${A}"
        found: .status == 200
`
	c := load(t, text, env("BASE", "https://h:8443", "TENANT", "t1", "TOKEN", "s3cr3t", "A", "left", "B", "${A}"))
	l := c.Target("inbox").Lookup
	if want := "https://h:8443/d/{op_key}?tenant=t1"; l.HTTP.URL != want {
		t.Errorf("url %q, want %q", l.HTTP.URL, want)
	}
	if got := l.HTTP.Headers["Authorization"]; got != "Bearer s3cr3t" {
		t.Errorf("Authorization %q", got)
	}
	if got, want := l.HTTP.Headers["X-Both"], "left-${A} costs $5, ${A}"; got != want {
		t.Errorf("X-Both %q, want %q: a value is never expanded again", got, want)
	}
	if want := []string{"https://h:8443", "t1", "s3cr3t", "left", "${A}"}; !slices.Equal(l.HTTP.Secrets, want) {
		t.Errorf("secrets %q, want %q", l.HTTP.Secrets, want)
	}
	if len(l.Missing) != 0 || c.Target("inbox").LookupOff() != "" {
		t.Errorf("missing %v", l.Missing)
	}
}

func TestMissingVariablesStopOnlyTheirLookups(t *testing.T) {
	text := `targets:
  inbox:
    lookup:
      http:
        url: ${BASE}/d/{op_key}
        headers:
          Authorization: "Bearer ${TOKEN}"
          X-Feed: "${FEED}"
        found: .status == 200
  other:
    lookup: {http: {url: "https://h/{op_key}", found: .status == 200}}
`
	path := write(t, text)
	c, err := Load(path, env("TOKEN", "", "FEED", "a\nb"))
	if err != nil {
		t.Fatal(err)
	}
	want := []MissingVariable{
		{"BASE", 5, path, "is not set"}, {"TOKEN", 7, path, "is empty"}, {"FEED", 8, path, "holds a line break"},
	}
	if got := c.Target("inbox").Lookup.Missing; !slices.Equal(got, want) {
		t.Errorf("missing %v, want %v", got, want)
	}
	off := c.Target("inbox").LookupOff()
	if !strings.Contains(off, path+":7: TOKEN is empty. Set TOKEN in the environment of triage and start again.") {
		t.Errorf("%s", off)
	}
	if got := c.Target("other").LookupOff(); got != "" {
		t.Errorf("other is off too: %s", got)
	}
}

func TestURLIsCheckedAlthoughAVariableIsMissing(t *testing.T) {
	for url, what := range map[string]string{
		"${BASE}/d":                   "does not hold {op_key}",
		"${BASE}/d/{opkey}":           "unknown placeholder {opkey}",
		"ftp://${HOST}/{op_key}":      "http:// or https://",
		"https://{task}${T}/{op_key}": "in or before its host",
	} {
		_, err := Load(write(t, "targets: {a: {lookup: {http: {url: \""+url+"\", found: .a}}}}\n"), env())
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestAVariableNeverBecomesAPlaceholder(t *testing.T) {
	c := load(t, "targets: {a: {lookup: {http: {url: \"https://h/{op_key}?t=${T}\", found: .a}}}}\n", env("T", "{task}"))
	if got := c.Target("a").LookupOff(); !strings.Contains(got, "T holds a blank or one of { } #") || strings.Contains(got, "{task}") {
		t.Errorf("%q", got)
	}
}

func TestNoErrorRepeatsAVariablesValue(t *testing.T) {
	for _, url := range []string{"${T}", "https://${T}/{op_key}", "https://h:${T}/{op_key}", "https://h/${T}"} {
		for _, content := range []string{"s3cr3t", "s3cr3t:x@y", "%zzs3cr3t", "//s3cr3t#"} {
			c, err := Load(write(t, "targets: {a: {lookup: {http: {url: \""+url+"\", found: .a}}}}\n"), env("T", content))
			if err != nil && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%s with %q: %v", url, content, err)
			}
			if c != nil && strings.Contains(c.Target("a").LookupOff(), "s3cr3t") {
				t.Errorf("%s with %q: %v", url, content, c.Target("a").LookupOff())
			}
		}
	}
}

func TestPrintingAConfigurationShowsNoSecret(t *testing.T) {
	c := load(t, whole, env("INBOX_TOKEN", "tok-4711"))
	h := c.Target("report-inbox").Lookup.HTTP
	if h.Headers["Authorization"] != "Bearer tok-4711" {
		t.Fatal("the secret is not there to be shown")
	}
	printed, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s", h, h, h, h), fmt.Sprintf("%v %+v %#v", *h, *h, *h), string(printed)} {
		if strings.Contains(s, "4711") {
			t.Errorf("%s", s)
		}
	}
}
