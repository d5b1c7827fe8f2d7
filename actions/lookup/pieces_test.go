package lookup

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"triage/ledger"
)

// longToken has what encodings treat differently: capitals, digits, + / and &.
const longToken = "Zx9-QwErTy+7uIoP/asDf&GhJk4LzXcVbNm0qAzWsXeDcRfVtGbYhNuJmIkOlP12"

// forms are ways in which an answer can write a text.
var forms = map[string]func(string) string{
	"in capitals":           strings.ToUpper,
	"in small letters":      strings.ToLower,
	"spaced":                func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"with dashes":           func(s string) string { return strings.Join(strings.Split(s, ""), "-") },
	"base64 in lines":       func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte("x"+s)), 20) },
	"base64 in short lines": func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte("x"+s)), 5) },
	"base64 of base64":      func(s string) string { return base64Of("yy" + base64Of("x"+s)) },
	"hex with colons":       func(s string) string { return strings.Join(lettersOf(hex.EncodeToString([]byte(s)), 2), ":") },
	"hex in capitals":       func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"all percent":           func(s string) string { return each(s, "%%%02x") },
	"percent twice":         func(s string) string { return each(s, "%%25%02X") },
	"escapes":               func(s string) string { return each(s, `\u%04x`) },
	"short escapes":         func(s string) string { return each(s, `\x%02x`) },
	"entities":              func(s string) string { return each(s, "&#%d;") },
	"hex entities":          func(s string) string { return each(s, "&#x%x;") },
	"entities twice":        func(s string) string { return html.EscapeString(each(s, "&#%d;")) },
	"a front":               func(s string) string { return s[:50] },
	"a middle":              func(s string) string { return s[20:28] },
	"an end":                func(s string) string { return s[len(s)-12:] },
	"JSON within JSON": func(s string) string {
		raw, _ := json.Marshal(map[string]string{"t": each(s, `\u%04x`)})
		return string(raw)
	},
	"a front in capital": func(s string) string { return strings.ToUpper(s[:20]) },
}

func base64Of(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }

func lettersOf(s string, n int) (parts []string) {
	for ; len(s) > n; s = s[n:] {
		parts = append(parts, s[:n])
	}
	return append(parts, s)
}

func lines(s string, n int) string { return strings.Join(lettersOf(s, n), "\r\n") }

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func TestNoPieceOfASecretIsKept(t *testing.T) {
	for name, write := range forms {
		t.Run(name, func(t *testing.T) {
			written := write(longToken)
			quoted, err := json.Marshal(written)
			if err != nil {
				t.Fatal(err)
			}
			ask := func(status int, body string) Answer {
				configured := target(answering(t, status, body))
				configured.Lookup.HTTP.Secrets = []string{longToken}
				return look(t, configured)
			}
			for where, a := range map[string]Answer{
				"a field": ask(200, `{"op_key":"weekly-42","seen":`+string(quoted)+`}`),
				"no JSON": ask(403, "<p>"+written),
				"key":     ask(200, `{"op_key":`+string(quoted)+`}`),
			} {
				kept := a.Evidence.Excerpt + a.Evidence.Error
				if a.Evidence.Key != nil {
					kept += *a.Evidence.Key
				}
				for _, text := range []string{written, string(quoted[1 : len(quoted)-1])} {
					for at := 0; at+pieceLength <= len(text); at++ {
						if strings.Contains(kept, text[at:at+pieceLength]) {
							t.Fatalf("%s: %q in %s", where, text[at:at+pieceLength], kept)
						}
					}
				}
			}
			if !strings.ContainsAny(written, "\r\n") {
				wantFailed(t, ask(200, `{"op_key":"weekly-42","receipt":`+string(quoted)+`}`), "secret_echoed|bad_receipt")
				wantFailed(t, ask(200, `{"op_key":"weekly-42","account":`+string(quoted)+`}`), "secret_echoed|bad_owner")
			}
		})
	}
}

func TestWithheldSaysSo(t *testing.T) {
	a := look(t, target(answering(t, 200, `{"op_key":"weekly-42","receipt":"r-1","seen":"`+strings.ToUpper(theToken)+`"}`)))
	if a.Outcome != ledger.LookupFound || a.Receipt != "r-1" || a.Evidence.Excerpt != Withheld {
		t.Errorf("%+v", a)
	}
}

func TestAnyPieceOfASecretIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{8,60}`).Draw(t, "secret")
		secret = strings.ReplaceAll(strings.ReplaceAll(secret, "http://", "x"), "https://", "x") + "12345678"
		at := rapid.IntRange(0, len(secret)-pieceLength).Draw(t, "at")
		around := rapid.StringMatching(`[ a-z"]{0,20}`)
		text := around.Draw(t, "before") + secret[at:at+pieceLength] + around.Draw(t, "after")
		if !newPieces([]string{secret}).in(text) {
			t.Fatalf("%q shows %q", text, secret)
		}
	})
}

func TestWhatIsNoPiece(t *testing.T) {
	p := newPieces([]string{"https://inbox.example/v2", "s3cr3t-tok", "short", ""})
	for s, want := range map[string]bool{
		"https://other.example/receipts/1": true, // ".example/": the address is secret, and this is in it
		"https://other.test/receipts/1":    false,
		"inbox.example":                    true,
		"INBOX.EXAMPLE":                    true,
		"s3cr3t-":                          false, // seven characters
		"s3cr3t-t":                         true,
		"s.3.c.r.3.t.t":                    false, // seven characters
		"s.3.c.r.3.t.t.o.k":                true,
		"short":                            false, // shorter than a piece: taken out where it stands as it is
		"":                                 false,
		`\u00`:                             false,
		`%`:                                false,
		`%zz \uzzzz &#xzz; \`:              false,
	} {
		if got := p.in(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestHeadersAreNotQuoted(t *testing.T) {
	for name, headers := range map[string]string{
		"a type":          "404 X\r\nContent-Type: text/" + longToken,
		"a type's name":   "404 X\r\nContent-Type: " + longToken + "/html",
		"a character set": "404 X\r\nContent-Type: application/json; charset=\"" + longToken + "\"",
		"a host":          "302 X\r\nLocation: https://" + longToken[:20] + "." + longToken[21:29] + ".evil.example/",
		"a path":          "302 X\r\nLocation: https://evil.example/" + longToken,
		"a scheme":        "302 X\r\nLocation: " + longToken[:3] + "." + longToken[4:10] + "://x/",
	} {
		t.Run(name, func(t *testing.T) {
			configured := target(listen(t, saying("HTTP/1.1 "+headers+"\r\nContent-Length: 2\r\n\r\n{}")))
			configured.Lookup.HTTP.Secrets = []string{longToken}
			a := look(t, configured)
			wantFailed(t, a, "not_json|redirect")
			kept := strings.ToLower(fmt.Sprintf("%+v", a))
			for at := 0; at+6 <= len(longToken); at++ {
				if piece := strings.ToLower(longToken[at : at+6]); strings.Contains(kept, piece) {
					t.Fatalf("%q in %s", piece, kept)
				}
			}
		})
	}
}

func TestWhatAMappingRaisesIsNotQuoted(t *testing.T) {
	const number = "98765432109"
	for _, mapping := range []string{
		".body.x | error", ".body.x | ascii_downcase | error", ".body.x | tonumber", `error(.body.x[3:9])`, ".body.x | fromjson", `"\(.body.x)" | halt_error`,
		".body.n as $n | [] | flatten(-$n)", // jq quotes the number as it is
	} {
		configured := target(answering(t, 200, `{"x":"`+longToken+`","n":`+number+`}`))
		configured.Lookup.HTTP.Secrets = []string{longToken, "7" + number + "7"}
		configured.Lookup.HTTP.Found = mapping
		a := look(t, configured)
		wantFailed(t, a, "mapping_error")
		for _, quoted := range []string{longToken[:5], strings.ToLower(longToken[:5]), longToken[3:8], number[:5]} {
			if strings.Contains(a.Evidence.Error, quoted) {
				t.Errorf("%s: %s", mapping, a.Evidence.Error)
			}
		}
		if !strings.HasPrefix(a.Evidence.Error, "The mapping found fails on this answer.") {
			t.Errorf("%s: %s", mapping, a.Evidence.Error)
		}
	}
}

func TestWhatJqSaysIsQuoted(t *testing.T) {
	a := look(t, target(answering(t, 200, `[]`)))
	wantFailed(t, a, "mapping_error")
	if want := "The mapping key fails on this answer. jq: expected an object but got: array."; a.Evidence.Error != want {
		t.Errorf("%s, want %s", a.Evidence.Error, want)
	}
}
