package lookup

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"triage/ledger"
)

const (
	maxExcerpt = 2 << 10 // bytes
	maxAside   = 1 << 10 // bytes
	maxError   = 500     // bytes
	maxKey     = 1 << 10 // bytes
)

// excerpt is the start of an answer's body, and of what was said beside it, with the
// secrets taken out, or Withheld where a piece of one is left.
func (c *asker) excerpt(e exchange) string {
	body := c.bodyExcerpt(e)
	aside := strings.TrimSpace(string(e.aside))
	if aside == "" {
		return body
	}
	return strings.TrimPrefix(body+"\n", "\n") + "stderr: " + c.textExcerpt([]byte(aside), maxAside)
}

func (c *asker) bodyExcerpt(e exchange) string {
	parsed := e.parsed
	if parsed == nil && !e.truncated {
		parsed, _ = parseJSON(e.body) // an error's body is worth reading too
	}
	if parsed != nil {
		return c.redactor.kept(start(c.redactor.json(parsed), maxExcerpt))
	}
	return c.textExcerpt(e.body, maxExcerpt)
}

// textExcerpt is the start of a text that is no JSON, at most limit bytes of it.
func (c *asker) textExcerpt(raw []byte, limit int) string {
	text := strings.ToValidUTF8(string(raw[:min(len(raw), 8*limit)]), "�")
	text = asciiEscape.ReplaceAllStringFunc(text, func(s string) string {
		code, _ := strconv.ParseUint(s[2:], 16, 8) // the pattern admits nothing else
		return string(rune(code))
	})
	return c.redactor.kept(start(c.redactor.cut(text), limit))
}

// asciiEscape is a printable character as a JSON escape; a secret written with
// them would otherwise not be found in text that is no whole JSON.
var asciiEscape = regexp.MustCompile(`\\u00[2-7][0-9a-fA-F]`)

// fit shortens the excerpt until the evidence's JSON is within the ledger's bound:
// escaping can make text six times as long. Truncated stays as it is: it speaks of
// what was read, not of what is shown.
func fit(e ledger.Evidence) ledger.Evidence {
	for {
		raw, err := json.Marshal(e)
		if err == nil && len(raw) <= ledger.MaxEvidenceBytes {
			return e
		}
		if err != nil || e.Excerpt == "" {
			return ledger.Evidence{
				Status: e.Status, Replayed: e.Replayed, RetryAt: e.RetryAt, Truncated: e.Truncated,
				AsOf: e.AsOf, CompleteAt: e.CompleteAt, SkewMS: e.SkewMS, Source: e.Source, Pages: e.Pages,
			}
		}
		e.Excerpt = start(e.Excerpt, len(e.Excerpt)/2)
	}
}
