package recipes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"triage/actions/config"
	"triage/actions/doctor"
	"triage/actions/verdict"
)

// all are the recipes by their file names.
func all(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.yaml")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d recipes: %v", len(names), err)
	}
	return names
}

// dummies stand for what the environment would hold.
var dummies = map[string]string{
	"S3_ENDPOINT": "http://127.0.0.1:9000", "MAILPIT_URL": "http://127.0.0.1:8025", "NATS_URL": "nats://127.0.0.1:4222",
	"OUTBOX_DSN": "postgres://reader:dummy-password@127.0.0.1/outbox", "SES_EVENTS_DSN": "postgres://reader:dummy-password@127.0.0.1/events",
	"STRIPE_RESTRICTED_KEY": "dummy-stripe-key", "GITHUB_TOKEN": "dummy-github-token", "JIRA_BASIC_AUTH": "dummy-jira-auth",
	"SLACK_TOKEN": "dummy-slack-token", "SLACK_CHANNEL": "C0DUMMY0001", "SENDGRID_API_KEY": "dummy-sendgrid-key",
}

func getDummy(name string) (string, bool) { v, ok := dummies[name]; return v, ok }

// load reads one recipe; its only target comes back.
func load(t *testing.T, file string, getenv func(string) (string, bool)) (*config.Config, config.Target) {
	t.Helper()
	c, err := config.Load(file, getenv)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Targets) != 1 {
		t.Fatalf("%s has %d targets, want 1", file, len(c.Targets))
	}
	for _, target := range c.Targets {
		return c, target
	}
	panic("unreachable")
}

func TestEveryRecipeLoads(t *testing.T) {
	for _, file := range all(t) {
		t.Run(file, func(t *testing.T) {
			_, target := load(t, file, getDummy)
			if target.DuplicateMeans == "" || target.Contact == "" {
				t.Error("it does not say whom to ask, or what a duplicate means")
			}
			if target.Lookup != nil && len(target.Lookup.Missing) > 0 {
				t.Errorf("a variable has no dummy: %v", target.Lookup.Missing)
			}
		})
	}
}

// provable are the recipes by which an absence can be proven. Every other one leaves the
// promise out, because nobody makes it.
var provable = []string{"outbox-postgres.yaml", "s3.yaml"}

func TestOnlyWhatIsPromisedProvesAnAbsence(t *testing.T) {
	for _, file := range all(t) {
		_, target := load(t, file, getDummy)
		if can, why := target.Terms().CanProveAbsence(); can != slices.Contains(provable, file) {
			t.Errorf("%s: an absence can be proven: %v (%s)", file, can, why)
		}
		p := target.Promises
		if p.SameKey == verdict.ReturnsOriginal && p.KeyRetention == nil {
			t.Errorf("%s: the key is honoured, and nobody knows for how long", file)
		}
		if p.AbsenceIsProof && p.Canary == "" && target.Lookup.HTTP != nil {
			t.Errorf("%s: an absence by HTTP is proof without a canary", file)
		}
	}
}

var (
	source = regexp.MustCompile(`https://[^\s)]+`)
	asOf   = regexp.MustCompile(`as of (\d{4}-\d{2}-\d{2})`)
	// literal is a credential that somebody wrote where a variable belongs.
	literal = regexp.MustCompile(`(?i)(bearer|basic) [A-Za-z0-9+/=_-]{8,}|://[^/\s:"]+:[^@\s$"]+@`)
)

func TestEveryRecipeSaysWhereItsPromisesComeFrom(t *testing.T) {
	for _, file := range all(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for _, part := range []string{"# Sent:", "# Looked up:", "# Promised:", "# Unsure:"} {
			if strings.Count(text, part) != 1 {
				t.Errorf("%s has no part %q", file, part)
			}
		}
		_, promised, _ := strings.Cut(text, "# Promised:")
		promised, _, _ = strings.Cut(promised, "# Unsure:")
		if !source.MatchString(promised) {
			t.Errorf("%s names no source", file)
		}
		dates := asOf.FindAllStringSubmatch(promised, -1)
		if len(dates) == 0 {
			t.Errorf("%s does not say as of when", file)
		}
		for _, d := range dates {
			if _, err := time.Parse(time.DateOnly, d[1]); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		if found := literal.FindString(text); found != "" {
			t.Errorf("%s holds a credential: %s", file, found)
		}
	}
}

func TestTheReadmeListsEveryRecipe(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all(t) {
		if !strings.Contains(string(raw), "("+file+")") {
			t.Errorf("README.md does not list %s", file)
		}
	}
}

// A reviewer finds nothing in a recipe that can make a duplicate or a loss, or that shows
// a credential. What a recipe can't settle may be pointed out.
func TestNoRecipeCanMakeADuplicateOrALoss(t *testing.T) {
	for _, file := range all(t) {
		c, _ := load(t, file, getDummy)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range doctor.Review(doctor.Input{Config: c, Text: string(raw)}).Targets {
			for _, f := range target.Questions {
				if f.Answer == doctor.Gap && !slices.Equal(f.Harms, []doctor.Harm{doctor.NeverSettled}) {
					t.Errorf("%s: question %d: %v %v", file, f.N, f.Harms, f.Because)
				}
			}
		}
	}
}
