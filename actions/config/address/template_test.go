package address

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var all = []string{"op_key", "task", "stage", "principal", "payload_sha256"}

func TestParseRefusesWhatCouldMisdirect(t *testing.T) {
	for _, c := range []struct{ pattern, what string }{
		{"https://{task}.example/x/{op_key}", "in or before its host"},
		{"https://inbox{op_key}/x", "in or before its host"},
		{"https://inbox:{op_key}/x", "in or before its host"},
		{"{task}://inbox/x/{op_key}", "in or before its host"},
		{"https://user:pw@inbox/x/{op_key}", "user name or password"},
		{"ftp://inbox/{op_key}", "http:// or https://"},
		{"//inbox/x", "http:// or https://"},
		{"//inbox/{op_key}", "in or before its host"},
		{"inbox/{op_key}", "in or before its host"},
		{"https:///x/{op_key}", "names no host"},
		{"https://:80/{op_key}", "names no host"},
		{"https://inbox:0/{op_key}", "port"},
		{"https://inbox:/{op_key}", "port"},
		{"https://inbox:99999/{op_key}", "port"},
		{"https://inbox/x#{op_key}", "behind #"},
		{"https://inbox/x/{op_key}#", "behind #"},
		{"https://inbox/{key}", "unknown placeholder {key}"},
		{"https://inbox/{op_key", "belongs to no placeholder"},
		{"https://inbox/op_key}", "belongs to no placeholder"},
		{"https://inbox/{op_key}}", "belongs to no placeholder"},
		{"https://inbox/a b/{op_key}", "blank"},
		{"https://inbox/a\n{op_key}", "control character"},
		{"https://inbox/a/../{op_key}", "segment . or .."},
		{"https://inbox/a/%2e%2E/{op_key}", "segment . or .."},
		{"https://inbox/%zz/{op_key}", "not a URL"},
	} {
		_, err := Parse(c.pattern, all...)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.What, c.what) {
			t.Errorf("Parse(%q) = %v, want an error with %q", c.pattern, err, c.what)
		} else if e.Mend == "" {
			t.Errorf("Parse(%q): nothing says what to write instead", c.pattern)
		}
	}
}

func TestParseErrorsNeverRepeatTheURL(t *testing.T) {
	for _, pattern := range []string{"https://u:s3cr3t@h/x", "ht!tp://h/?t=s3cr3t", "https://h:s3cr3t/x", "https://h/s3cr3t#{op_key}", "s3cr3t"} {
		if _, err := Parse(pattern, all...); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("Parse(%q) = %v", pattern, err)
		}
	}
}

func TestFillEscapes(t *testing.T) {
	for _, c := range []struct{ pattern, key, want string }{
		{"https://inbox/d/{op_key}", "weekly-42", "https://inbox/d/weekly-42"},
		{"https://inbox/d/{op_key}", "a/b", "https://inbox/d/a%2Fb"},
		{"https://inbox/d/{op_key}", `a\b`, "https://inbox/d/a%5Cb"},
		{"https://inbox/d/{op_key}", "a b+c?d#e%f", "https://inbox/d/a%20b+c%3Fd%23e%25f"},
		{"https://inbox/d/{op_key}", "%2e%2e", "https://inbox/d/%252e%252e"},
		{"https://inbox/d/{op_key}.json", "k", "https://inbox/d/k.json"},
		{"https://inbox/d/{op_key}", "...", "https://inbox/d/..."},
		{"https://inbox/d/{op_key}", "größe", "https://inbox/d/gr%C3%B6%C3%9Fe"},
		{"https://inbox/d?key={op_key}&x=1", "a b+c&d=e?f#g", "https://inbox/d?key=a%20b%2Bc%26d%3De%3Ff%23g&x=1"},
		{"https://inbox?key={op_key}", "..", "https://inbox?key=.."},
		{"https://inbox/d?q=a?b/{op_key}", "a/b", "https://inbox/d?q=a?b/a%2Fb"},
		{"https://[::1]:8080/d/{op_key}", "k@h:1", "https://[::1]:8080/d/k@h:1"},
		{"https://inbox/größe/{op_key}", "k", "https://inbox/größe/k"},
	} {
		tmpl, err := Parse(c.pattern, all...)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.pattern, err)
			continue
		}
		got, err := tmpl.Fill(map[string]string{"op_key": c.key})
		if err != nil || got != c.want {
			t.Errorf("Fill(%q, %q) = %q, %v; want %q", c.pattern, c.key, got, err, c.want)
		}
	}
}

func TestFillRefusesWhatEscapingCannotTame(t *testing.T) {
	tmpl, err := Parse("https://inbox/d/{op_key}", all...)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", ".", "..", "../admin", "a/../b", "a/./b", "a//b", "/a", "a/", `..\admin`, `a\..\b`, strings.Repeat("k", MaxURL)} {
		got, err := tmpl.Fill(map[string]string{"op_key": key})
		var unsafe *UnsafeError
		if !errors.As(err, &unsafe) {
			t.Errorf("Fill(%.20q) = %.60q, %v; want it refused", key, got, err)
		}
	}
}

func TestNoValueMovesTheURL(t *testing.T) {
	tmpl, err := Parse("https://inbox:8443/d/{task}/{op_key}/state?k={op_key}&p={principal}", all...)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\%?#&=@:;\x00-\x20ak]{0,6}`))
		values := map[string]string{"task": hostile.Draw(t, "task"), "op_key": hostile.Draw(t, "key"), "principal": hostile.Draw(t, "principal")}
		filled, err := tmpl.Fill(values)
		if err != nil {
			return
		}
		u, err := url.Parse(filled)
		if err != nil {
			t.Fatalf("%q: %v", filled, err)
		}
		parts := strings.Split(u.EscapedPath(), "/")
		if u.Scheme != "https" || u.Host != "inbox:8443" || u.User != nil || u.Fragment != "" || len(parts) != 5 || parts[1] != "d" || parts[4] != "state" {
			t.Fatalf("%q points elsewhere", filled)
		}
		if key, err := url.PathUnescape(parts[3]); err != nil || key != values["op_key"] {
			t.Fatalf("%q carries the key %q, not %q", filled, key, values["op_key"])
		}
		query, err := url.ParseQuery(u.RawQuery)
		if err != nil || len(query) != 2 || query.Get("k") != values["op_key"] || query.Get("p") != values["principal"] {
			t.Fatalf("%q carries the query %v (%v)", filled, query, err)
		}
	})
}
