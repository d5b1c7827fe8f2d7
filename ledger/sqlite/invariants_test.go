package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"triage/ledger"
)

// newLedger makes an empty ledger and returns its path.
func newLedger(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := Init(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// inStrides thins out a table of cases under -short. That is how the race detector
// runs, which is forty times slower inside SQLite and finds nothing there.
func inStrides[T any](all []T) (some []T) {
	for n, one := range all {
		if n%10 == 0 || !testing.Short() {
			some = append(some, one)
		}
	}
	return some
}

func invariantFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/invariants/*.sql")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d files of cases: %v", len(files), err)
	}
	return files
}

// Every invariant, driven from Python's sqlite3 module and whatever SQLite that
// brings: the ledger defends itself without any of our code.
func TestInvariantsFromPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	args := append([]string{"testdata/invariants/drive.py", newLedger(t)}, invariantFiles(t)...)
	out, err := exec.Command(python, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := regexp.MustCompile(`(\d+) cases, (\d+) of them refused`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no summary in %q", out)
	}
	if refused, _ := strconv.Atoi(string(m[2])); refused < 400 {
		t.Errorf("only %s attacks were tried; a file of cases is missing", m[2])
	}
	t.Logf("%s", out)
}

// The same cases against the SQLite that is built in.
func TestInvariantsBuiltIn(t *testing.T) {
	t.Parallel()
	var scenes, cases, sound []block
	for _, file := range invariantFiles(t) {
		for _, b := range readBlocks(t, file) {
			switch {
			case b.has("scene"):
				scenes = append(scenes, b)
			case b.has("sound"):
				sound = append(sound, b)
			default:
				cases = append(cases, b)
			}
		}
	}
	db, err := sql.Open("sqlite", "file:"+newLedger(t)+"?_pragma=recursive_triggers(ON)&_pragma=synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p := player{conn: conn, sound: sound, scenes: map[string]block{}, stmts: map[string]*sql.Stmt{}, now: ledger.WallClock()}
	for _, s := range scenes {
		p.scenes[s.get("scene")] = s
	}
	for _, c := range inStrides(cases) {
		for _, wrong := range p.play(c) {
			t.Errorf("%s: %s: %s", c.file, c.get("case"), wrong)
		}
	}
}

// block is a scene, a case or a query of testdata/invariants (0_scenes.sql says how
// they are written).
type block struct {
	file       string
	headers    [][2]string
	statements []string
}

func (b block) all(key string) (values []string) {
	for _, h := range b.headers {
		if h[0] == key {
			values = append(values, h[1])
		}
	}
	return values
}

func (b block) has(key string) bool { return len(b.all(key)) > 0 }

func (b block) get(key string) string { return strings.Join(b.all(key), "") }

var (
	headerLine   = regexp.MustCompile(`^-- (scene|case|sound|given|refused|silent|passes|then): ?(.*)$`)
	endStatement = regexp.MustCompile(`;[ ]*(\n|$)`)
)

func readBlocks(t testing.TB, file string) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(file) // #nosec G304 -- a test's own data
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	finish := func() {
		if len(blocks) > 0 {
			for _, s := range endStatement.Split(strings.Join(lines, "\n"), -1) {
				if s = strings.TrimSpace(s); s != "" {
					blocks[len(blocks)-1].statements = append(blocks[len(blocks)-1].statements, s)
				}
			}
		}
		lines = nil
	}
	for _, line := range strings.Split(string(text), "\n") {
		m := headerLine.FindStringSubmatch(line)
		switch {
		case m != nil && (m[1] == "scene" || m[1] == "case" || m[1] == "sound"):
			finish()
			blocks = append(blocks, block{file: file, headers: [][2]string{{m[1], strings.TrimSpace(m[2])}}})
		case m != nil:
			last := &blocks[len(blocks)-1]
			last.headers = append(last.headers, [2]string{m[1], strings.TrimSpace(m[2])})
		case !strings.HasPrefix(line, "-- "):
			lines = append(lines, line)
		}
	}
	finish()
	return blocks
}

// player plays cases, each in a transaction that is rolled back. Statements stay
// prepared: compiling the triggers takes longer than running them.
type player struct {
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt
	scenes map[string]block
	sound  []block
	now    ledger.Millis
	used   int
}

var placeholder = regexp.MustCompile(`@(now|next|head|h1|h2)\b([+-]\d+)?`)

func (p *player) fill(query string) string {
	return placeholder.ReplaceAllStringFunc(query, func(word string) string {
		m := placeholder.FindStringSubmatch(word)
		switch m[1] {
		case "now":
			offset, _ := strconv.ParseInt(m[2], 10, 64)
			return strconv.FormatInt(int64(p.now)+offset, 10)
		case "next":
			p.used++
			return fmt.Sprintf("'%064x'", 0xABC000+p.used)
		case "head":
			return "(SELECT hash FROM chain_head)"
		}
		return "'" + strings.Repeat(map[string]string{"h1": "a", "h2": "b"}[m[1]], 64) + "'"
	})
}

// rows runs a statement to its end and spells out what it returns.
func (p *player) rows(query string) (all []string, err error) {
	stmt, ok := p.stmts[query]
	if !ok {
		if stmt, err = p.conn.PrepareContext(context.Background(), query); err != nil {
			return nil, err
		}
		p.stmts[query] = stmt
	}
	rows, err := stmt.QueryContext(context.Background())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			all = append(all, v.String)
		}
	}
	return all, rows.Err()
}

func (p *player) dump() (all []string) {
	for _, table := range []string{"intents", "attempts", "lookups", "decisions", "claims", "grants", "events"} {
		rows, err := p.rows("SELECT rowid, * FROM main." + table + " ORDER BY rowid")
		all = append(append(all, rows...), fmt.Sprint(table, err))
	}
	return all
}

func (p *player) play(c block) (wrong []string) {
	p.used = 0
	if _, err := p.rows("BEGIN IMMEDIATE"); err != nil {
		return []string{err.Error()}
	}
	defer func() { _, _ = p.rows("ROLLBACK") }()
	var before []string
	for _, name := range strings.Split(c.get("given"), ", ") {
		before = append(before, p.scenes[name].statements...)
	}
	before = append(before, c.statements[:len(c.statements)-1]...)
	for _, s := range before {
		if _, err := p.rows(p.fill(s)); err != nil {
			return []string{fmt.Sprintf("the scene was not set: %v: %s", err, s)}
		}
	}
	was := p.dump()
	_, err := p.rows(p.fill(c.statements[len(c.statements)-1]))
	if unchanged := reflect.DeepEqual(was, p.dump()); !unchanged && !c.has("passes") {
		wrong = append(wrong, "changed the ledger")
	}
	if c.has("refused") {
		return append(wrong, judgeRefusal(c.get("refused"), err)...)
	}
	if err != nil {
		return append(wrong, "was refused: "+err.Error())
	}
	return append(wrong, p.ask(c)...)
}

func judgeRefusal(codes string, err error) []string {
	if err == nil {
		return []string{"was not refused"}
	}
	if codes == "-" {
		codes = ""
	}
	if got := string(ledger.CodeOf(mapError(err))); !strings.Contains(codes, got) || (got == "") != (codes == "") {
		return []string{"was refused in other words: " + err.Error()}
	}
	return nil
}

// ask runs the queries after a case that passed, and all that must always hold.
func (p *player) ask(c block) (wrong []string) {
	for _, then := range c.all("then") {
		query, want, _ := strings.Cut(then, " => ")
		if got, err := p.rows(p.fill(query)); err != nil || strings.Join(got, "|") != want {
			wrong = append(wrong, fmt.Sprintf("%s gives %v %v, want %s", query, got, err, want))
		}
	}
	wrong = append(wrong, p.verify()...)
	for _, s := range p.sound {
		if found, err := p.rows(s.statements[0]); err != nil || len(found) > 0 {
			wrong = append(wrong, fmt.Sprintf("not so: %s: %v %v", s.get("sound"), found, err))
		}
	}
	return wrong
}

// verify: whatever the ledger's own rules let pass is nothing that Verify reports,
// however odd. Only the hashes here are made up.
func (p *player) verify() (wrong []string) {
	v := &verifier{ctx: context.Background(), q: p.conn, found: map[string]int{}}
	for _, check := range []func() error{v.journal, v.intents, v.grants, v.successors} {
		if err := check(); err != nil {
			wrong = append(wrong, "verify: "+err.Error())
		}
	}
	for _, f := range v.report.Findings {
		wrong = append(wrong, fmt.Sprintf("verify: %+v", f))
	}
	return wrong
}
