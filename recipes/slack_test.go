package recipes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"triage/ledger"
)

// channel is a stand-in for one Slack channel: it keeps to oldest, latest and cursor as
// conversations.history does, newest first, so many messages a page.
type channel struct {
	messages []message
	page     int
	asked    atomic.Int64
}

type message struct {
	ts  float64
	key string // "": of somebody else
}

func (c *channel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked.Add(1)
	q := r.URL.Query()
	oldest, latest := seconds(q.Get("oldest"), 0), seconds(q.Get("latest"), float64(time.Now().Unix())+1)
	var within []string
	for _, m := range c.messages {
		if m.ts < oldest || m.ts > latest {
			continue
		}
		text := fmt.Sprintf(`{"ts":"%.6f","text":"x"}`, m.ts)
		if m.key != "" {
			text = fmt.Sprintf(`{"ts":"%.6f","metadata":{"event_type":"triage_delivery","event_payload":{"op_key":%q,"payload_sha256":%q}}}`, m.ts, m.key, hashOf(report))
		}
		within = append(within, text)
	}
	from, _ := strconv.Atoi(q.Get("cursor")) // none is the first
	to := min(from+c.page, len(within))
	next := ""
	if to < len(within) {
		next = strconv.Itoa(to)
	}
	fmt.Fprintf(w, `{"ok":true,"has_more":%t,"messages":[%s],"response_metadata":{"next_cursor":%q}}`, next != "", strings.Join(within[from:to], ","), next)
}

func seconds(text string, otherwise float64) float64 {
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return s
	}
	return otherwise
}

// A sender may post long after its intent was written, and that is found; where there is
// more than may be read, nothing is said at all.
func TestSlackIsReadUpToNow(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	program, err := filepath.Abs("slack-lookup.py")
	if err != nil {
		t.Fatal(err)
	}
	now := float64(time.Now().Unix())
	const day = 86400
	many := func(ours int) (all []message) {
		for n := range 7 {
			m := message{ts: now - day - float64(n)}
			if n == ours {
				m.key = "weekly-42"
			}
			all = append(all, m)
		}
		return all
	}
	for _, c := range []struct {
		name     string
		messages []message
		page     int
		outcome  ledger.LookupOutcome
		asked    int64
	}{
		{"two days after its intent", []message{{now - day, "weekly-42"}}, 200, ledger.LookupFound, 1},
		{"just now", []message{{now, "weekly-42"}}, 200, ledger.LookupFound, 1},
		{"once at first, and once more days later", []message{{now - 60, "weekly-42"}, {now - 3*day + 1, "weekly-42"}}, 200, ledger.LookupAmbiguous, 1},
		{"before its intent", []message{{now - 4*day, "weekly-42"}}, 200, ledger.LookupNotFound, 1},
		{"on the last page that may be read", many(6)[2:], 1, ledger.LookupFound, 5},
		{"beyond it", many(6), 1, ledger.LookupFailed, 5},
		{"found, and more beyond", many(0), 1, ledger.LookupFailed, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			slack := &channel{messages: c.messages, page: c.page}
			server := httptest.NewServer(slack)
			defer server.Close()
			recipe := rewritten(t, "slack.yaml", "/usr/local/lib/triage/slack-lookup.py", program, "https://slack.com/api", server.URL, "rate: 10/m", "rate: 100/s")
			a := askSince(t, recipe, ledger.WallClock().Add(-3*day*time.Second))
			if a.Outcome != c.outcome || slack.asked.Load() != c.asked {
				t.Errorf("%s (%s) after %d pages, want %s after %d: %+v", a.Outcome, a.Cause, slack.asked.Load(), c.outcome, c.asked, a.Evidence)
			}
		})
	}
}
