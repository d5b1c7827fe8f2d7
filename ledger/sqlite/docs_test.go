package sqlite

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"triage/ledger"
)

func page(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	must(t, err)
	return string(raw)
}

// section is what stands under a heading, up to the next one.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("no section %q", heading)
	}
	if end := regexp.MustCompile(`(?m)^#`).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// firstCells are the names in the first column of a section's table; a mark of a
// nullable column is kept.
func firstCells(text string) (names []string) {
	for _, m := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\|").FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Split(m[1], ", ") {
			names = append(names, strings.ReplaceAll(name, "`", ""))
		}
	}
	return names
}

func codeBlock(t *testing.T, text, language string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no block of %s", language)
	}
	return m[1]
}

// docs/ledger.md has every table with exactly its columns, and tells which may be
// NULL; every view, every code, every kind of event and decision.
func TestLedgerPageIsComplete(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	text := page(t, "ledger.md")
	db, err := Open(ctx, story(t), Options{ReadOnly: true})
	must(t, err)
	defer func() { _ = db.Close() }()
	for _, table := range []string{"intents", "attempts", "lookups", "decisions", "claims", "grants", "events"} {
		want, err := collect(ctx, db.read, scanKey, fmt.Sprintf(`SELECT name || iif("notnull", '', '?') FROM pragma_table_info('%s')`, table))
		must(t, err)
		got := firstCells(strings.SplitN(section(t, text, "### "+table), "\n| kind |", 2)[0])
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the page has %v, the schema %v", table, got, want)
		}
	}
	views, err := collect(ctx, db.read, scanKey, `SELECT name FROM sqlite_schema WHERE type = 'view'`)
	must(t, err)
	for _, view := range views {
		if !strings.Contains(section(t, text, "## Views"), "`"+view+"`") {
			t.Errorf("the view %s is missing", view)
		}
	}
	kinds, err := collect(ctx, db.read, scanKey, `SELECT DISTINCT kind FROM events`)
	must(t, err)
	told := append(firstCells(section(t, text, "### events")), firstCells(section(t, text, "### decisions"))...)
	for _, kind := range kinds {
		if !slices.Contains(told, kind) {
			t.Errorf("the kind %s is missing", kind)
		}
	}
	codes := map[string]bool{}
	for _, code := range ledger.Codes {
		codes[string(code)] = true
	}
	got := map[string]bool{}
	for _, code := range firstCells(section(t, text, "## What is refused")) {
		got[code] = true
	}
	if !maps.Equal(got, codes) {
		t.Errorf("the page has the codes %v, the ledger %v", got, codes)
	}
}

// The recipe of the decision chain on the page computes what Verify computes.
func TestChainRecipe(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	path := story(t)
	recipe := codeBlock(t, page(t, "ledger.md"), "python")
	out, err := exec.Command(python, "-c", recipe, path).CombinedOutput() // #nosec G204 -- the documented recipe
	if want := verifyFile(t, path).Head; err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
	alter(t, path, `DROP TRIGGER decisions_guard_update`, `UPDATE decisions SET reason = 'other' WHERE rowid = 3`)
	if out, err := exec.Command(python, "-c", recipe, path).CombinedOutput(); err == nil { // #nosec G204 -- the documented recipe
		t.Errorf("the recipe takes an altered decision: %s", out)
	}
}

// The SQL that docs/agents.md shows works as it stands.
func TestAgentsPageSQL(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := Open(ctx, newLedger(t), Options{})
	must(t, err)
	defer func() { _ = db.Close() }()
	script := strings.NewReplacer("3f5a…", testHash, "1796077269896", fmt.Sprint(ledger.WallClock()), "1796077270120", fmt.Sprint(ledger.WallClock())).
		Replace(codeBlock(t, page(t, "agents.md"), "sql"))
	if _, err := db.write.conn.ExecContext(ctx, script); err != nil {
		t.Fatal(err)
	}
	i, err := db.Get(ctx, "weekly-report-acme-2026-48")
	must(t, err)
	if i.State != ledger.Delivered || i.Receipt != "R-8812" || i.SettledBy != ledger.BySender {
		t.Errorf("got %+v", i)
	}
}
