package recipes_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"triage/actions/doctor"
	"triage/ledger"
)

// words are a recipe's comments as running text.
func words(t *testing.T, recipe string) string {
	t.Helper()
	raw, err := os.ReadFile(recipe)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), "\n#", " ")
	return strings.Join(strings.Fields(text), " ")
}

// What somebody who copies a recipe must have read, because the mapping can't see to it.
func TestWhatTheRecipesWarnOf(t *testing.T) {
	for _, c := range []struct {
		recipe string
		says   []string
		never  string // what it said once, and was wrong
	}{
		{"github-issues.yaml", []string{"It must be text that readers see", "Never map 422 to refused", "GitHub Enterprise Server"}, "an empty answer, not an error"},
		{"stripe.yaml", []string{"set max_attempts and deadline_at when it begins, deadline_at well inside 24 hours", "Don't make one while the old key holds: let the sender repeat that one."}, ""},
		{"s3.yaml", []string{"409 ConditionalRequestConflict", "it is no refusal"}, ""},
		{"sendgrid.yaml", []string{"6 requests a minute, and 429 beyond that: hence the rate. https://www.twilio.com/docs/sendgrid/api-reference/email-activity (as of"}, ""},
		{"slack.yaml", []string{"until now", "not all of it is read, and the lookup fails"}, "around the time of sending"},
		{"ses.yaml", []string{"ASCII letters, digits, _ and - only, and at most 256 characters. So must keys"}, "_ - . @"},
	} {
		text := words(t, c.recipe)
		for _, says := range c.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s does not say %q", c.recipe, says)
			}
		}
		if c.never != "" && strings.Contains(text, c.never) {
			t.Errorf("%s says %q", c.recipe, c.never)
		}
	}
}

// A 422 of GitHub's search that somebody takes for a refusal all the same is none, and the
// review says so.
func TestGitHubsComplaintIsNoRefusal(t *testing.T) {
	server := answering(t, http.StatusUnprocessableEntity, searchRefused, "")
	recipe := rewritten(t, "github-issues.yaml", "https://api.github.com", server,
		"        hits: .body.items\n", "        refused: .status == 422\n", "      found_is_final: true ", "      refusal_is_final: true\n      found_is_final: true ")
	if a := ask(t, recipe); a.Outcome != ledger.LookupFailed || a.Cause != "no_key" {
		t.Errorf("%s (%s), want a failed lookup that misses the key", a.Outcome, a.Cause)
	}
	c, target := load(t, recipe, getDummy)
	for _, f := range doctor.Review(doctor.Input{Config: c, Target: target.Name}).Targets[0].Questions {
		if f.N == 2 && (f.Answer != doctor.Gap || !slices.Contains(f.Harms, doctor.Duplicate) || !strings.HasPrefix(f.Because[0], "refused holds for any 422")) {
			t.Errorf("question 2: %s %v %v", f.Answer, f.Harms, f.Because)
		}
	}
}
