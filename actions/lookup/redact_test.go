package lookup

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"triage/ledger"
)

// showing says where in an answer a secret can be read, however it is written.
func showing(t *testing.T, a Answer, secret string) string {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	kept := string(raw) + fmt.Sprintf("%+v", a) + a.Evidence.Excerpt + a.Evidence.Error
	for _, spelling := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)), secret[:8], secret[len(secret)-8:]} {
		if strings.Contains(kept, spelling) {
			return spelling + " in " + kept
		}
	}
	return ""
}

func TestSecretsThatAreEchoedAreNotKept(t *testing.T) {
	quoted := strings.ReplaceAll(theToken, "/", `\/`)
	var escaped strings.Builder
	for _, c := range theToken {
		fmt.Fprintf(&escaped, `\u%04x`, c)
	}
	basic := base64.StdEncoding.EncodeToString([]byte("Authorization: Bearer " + theToken + "\r\n"))
	for name, speak := range map[string]string{
		"JSON":             jsonAnswer(200, `{"op_key":"weekly-42","seen":"Bearer `+theToken+`"}`),
		"a JSON key":       jsonAnswer(200, `{"op_key":"weekly-42","`+theToken+`":1}`),
		"an escaped slash": jsonAnswer(200, `{"op_key":"weekly-42","x":"`+quoted+`"}`),
		"escapes":          jsonAnswer(200, `{"op_key":"weekly-42","x":"`+escaped.String()+`"}`),
		"broken escapes":   jsonAnswer(200, `{"x":"`+escaped.String()+`"`),
		"a failed answer":  jsonAnswer(403, `{"x":"`+escaped.String()+`"}`),
		"base64":           jsonAnswer(200, `{"op_key":"weekly-42","x":"`+basic+`"}`),
		"hex":              jsonAnswer(200, `{"op_key":"weekly-42","x":"`+hex.EncodeToString([]byte(theToken))+`"}`),
		"a query":          jsonAnswer(200, `{"op_key":"weekly-42","x":"?t=`+url.QueryEscape(theToken)+`"}`),
		"a receipt":        jsonAnswer(200, `{"op_key":"weekly-42","receipt":"r `+theToken+`"}`),
		"an owner":         jsonAnswer(200, `{"op_key":"weekly-42","account":"`+theToken+`"}`),
		"another key":      jsonAnswer(200, `{"op_key":"`+theToken+`"}`),
		"HTML":             "HTTP/1.1 404 X\r\nContent-Type: text/html\r\n\r\n<p>" + theToken + "</p>",
		"a cut":            "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"x\":\"Bearer " + theToken[:len(theToken)-3],
		"a redirect":       "HTTP/1.1 302 X\r\nLocation: http://" + theToken[:8] + ".example/" + theToken + "\r\nContent-Length: 0\r\n\r\n",
		"a status line":    "HTTP/1.1 xyz " + theToken + "\r\n\r\n",
		"a header":         "HTTP/1.1 200 OK\r\n" + theToken + "\r\n\r\n",
		"a content type":   "HTTP/1.1 200 OK\r\nContent-Type: text/" + theToken + "\r\nContent-Length: 2\r\n\r\n{}",
		"a jq complaint":   jsonAnswer(200, `{"op_key":{"aaaaaaaa":"`+theToken+`"}}`), // jq quotes its start only
	} {
		t.Run(name, func(t *testing.T) {
			configured := target(listen(t, saying(speak)))
			if name == "a jq complaint" {
				configured.Lookup.HTTP.Key = ".body.op_key | test(\"x\") | tostring"
			}
			if name == "a redirect" { // a host that is the start of the secret can't be told from a name
				configured.Lookup.HTTP.Secrets = append(configured.Lookup.HTTP.Secrets, theToken[:8])
			}
			a := look(t, configured)
			if at := showing(t, a, theToken); at != "" {
				t.Error(at)
			}
			if name == "a receipt" || name == "an owner" {
				wantFailed(t, a, "secret_echoed")
			}
		})
	}
}

func TestCredentialsWrittenIntoTheFileAreNotKeptEither(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("reports:hunter2-and-more"))
	configured := target(answering(t, 200, `{"op_key":"weekly-42","a":"literal-token-9","b":"hunter2-and-more","c":"`+basic+`","d":"reports-team"}`))
	configured.Lookup.HTTP.Secrets = nil
	configured.Lookup.HTTP.Headers = map[string]string{"X-Api-Key": "literal-token-9", "Authorization": "Basic " + basic, "X-Team": "reports-team"}
	a := look(t, configured)
	for _, secret := range []string{"literal-token-9", "hunter2-and-more", basic} {
		if at := showing(t, a, secret); at != "" {
			t.Error(at)
		}
	}
	if !strings.Contains(a.Evidence.Excerpt, "reports-team") {
		t.Errorf("a header that is no credential was taken out: %s", a.Evidence.Excerpt)
	}
}

// What a name says of its header's value is a guess: only those known to be harmless are
// kept.
func TestLiteralHeadersAreSecretUnlessKnownToBeHarmless(t *testing.T) {
	const secret = "s3cr3t-Value-99887766"
	for _, name := range []string{"X-Pass", "X-Pwd", "X-Pw", "X-Bearer", "X-Api-PIN", "Private-Tok", "X-Vault", "X-Api", "X-Account-Key", "X-Version-Token"} {
		for _, value := range []string{secret, "Bearer " + secret} {
			configured := target(answering(t, 200, `{"op_key":"weekly-42","a":"`+secret+`"}`))
			configured.Lookup.HTTP.Headers = map[string]string{name: value}
			if at := showing(t, look(t, configured), secret); at != "" {
				t.Errorf("%s: %s", name, at)
			}
		}
	}
	for _, c := range []struct{ name, value, body, kept string }{
		{"Accept-Language", "de-CH, de", `"speaks de-CH, de"`, "de-CH, de"},
		{"X-GitHub-Api-Version", "2022-11-28", `"made at 2022-11-28T09:00:00Z"`, "2022-11-28T"},
		{"X-Tenant-Id", "acme-reports", `"acme-reports"`, "acme-reports"},
		{"X-Mode", "v2", `"v2"`, `"v2"`},              // too short for a secret
		{"X-Stage", "prod", `"products"`, "products"}, // short: only where it stands alone
		{"X-Stage", "prod", `"in prod!"`, "in [redacted]!"},
		{"X-Pass", "prod", `"products"`, "[redacted]ucts"},
	} {
		configured := target(answering(t, 200, `{"op_key":"weekly-42","receipt":"r-1","a":`+c.body+`}`))
		configured.Lookup.HTTP.Headers = map[string]string{c.name: c.value}
		a := look(t, configured)
		if a.Outcome != ledger.LookupFound || a.Receipt != "r-1" || !strings.Contains(a.Evidence.Excerpt, c.kept) {
			t.Errorf("%s: %s is not kept: %+v", c.name, c.kept, a)
		}
	}
}

func TestBase64AtAnyPlace(t *testing.T) {
	r := newRedactor([]string{theToken})
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.SliceOfN(rapid.Byte(), 0, 20)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		text := base64.StdEncoding.EncodeToString(append(append(before, theToken...), after...))
		if got := r.text(text); len(got) > len(text)-(len(theToken)-2)*4/3+len(Redacted) {
			t.Fatalf("%s became %s", text, got)
		}
	})
}

func TestShortSecrets(t *testing.T) {
	r := newRedactor([]string{"ab", "7", ""})
	for s, want := range map[string]string{
		"ab":               Redacted,
		"token=ab&x":       "token=" + Redacted + "&x",
		"ab ab ab":         Redacted + " " + Redacted + " " + Redacted,
		"about a cab":      "about a cab",
		"7,7,77":           Redacted + "," + Redacted + ",77",
		`{"t":"ab","n":7}`: `{"t":"` + Redacted + `","n":` + Redacted + `}`,
	} {
		if got := r.text(s); got != want {
			t.Errorf("text(%q) = %q, want %q", s, got, want)
		}
	}
	if r.touches("receipt-7-ab") {
		t.Error("a word of two letters spoils a receipt")
	}
}

func TestNoSecretsChangeNothing(t *testing.T) {
	r := newRedactor(nil)
	if s := "a [b] Bearer x"; r.text(s) != s || r.cut(s) != s || r.touches(s) {
		t.Errorf("%q %q", r.text(s), r.cut(s))
	}
	if got := r.json(map[string]any{"b": "<&>", "a": json.Number("12345678901234567890")}); got != `{"a":12345678901234567890,"b":"<&>"}` {
		t.Errorf("%s", got)
	}
}

func TestAKeyThatHoldsAValueOfTheEnvironmentStillMatches(t *testing.T) {
	configured := target(answering(t, 200, goodBody))
	configured.Lookup.HTTP.Secrets = []string{"weekly"}
	a := look(t, configured)
	if a.Outcome != ledger.LookupFound || a.Evidence.Key == nil || *a.Evidence.Key != theKey {
		t.Errorf("%+v", a)
	}
}
