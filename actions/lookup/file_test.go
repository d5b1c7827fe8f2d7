package lookup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"triage/actions/config"
	"triage/ledger"
)

const columns = "op_key,receipt,payload_sha256,owner\n"

func exported(key, receipt string) string {
	return key + "," + receipt + "," + theHash + ",agent-1\n"
}

// fileTarget is an export with this text, complete and as of a minute ago.
func fileTarget(t *testing.T, format config.ExportFormat, text string) config.Target {
	t.Helper()
	path := filepath.Join(t.TempDir(), "inbox-export")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	asOf := ledger.At(time.Now().Add(-time.Minute))
	return config.Target{Name: "inbox", Lookup: &config.Lookup{
		Timeout: 5 * time.Second, File: &config.File{Path: path, Format: format, AsOf: asOf, CompleteAt: asOf + 5000, Complete: true},
	}}
}

func askFor(t *testing.T, target config.Target, key string) Answer {
	t.Helper()
	c, err := For(target)
	if err != nil {
		t.Fatal(err)
	}
	intent := theIntent
	intent.OpKey = key
	return c.Look(context.Background(), intent)
}

func TestAnExportIsEvidenceForManyIntents(t *testing.T) {
	text := columns + exported("a-1", "r-a") + "\"weekly-42\",\"r\r\n1\",,\n" + exported("b-1", "r-b") + exported(" c-1", "r-c") + "\"d,\"\"1\"\"\",r-d,,\n"
	target := fileTarget(t, config.CSV, text)
	sum := sha256.Sum256([]byte(text))
	source := "inbox-export, SHA-256 " + hex.EncodeToString(sum[:]) + ", "
	for _, c := range []struct {
		key     string
		outcome ledger.LookupOutcome
		cause   string
		receipt string
		where   string
	}{
		{"a-1", ledger.LookupFound, "", "r-a", "line 2"},
		{"b-1", ledger.LookupFound, "", "r-b", "line 5"}, // the row before it takes two lines
		{"weekly-42", ledger.LookupFailed, "bad_receipt", "", "line 3"},
		{" c-1", ledger.LookupFound, "", "r-c", "line 6"},
		{"c-1", ledger.LookupFailed, "other_key", "", "line 6"},
		{"A-1", ledger.LookupFailed, "other_key", "", "line 2"},
		{`d,"1"`, ledger.LookupFound, "", "r-d", "line 7"},
		{"e-1", ledger.LookupNotFound, "", "", "none of its 5 rows"},
		{"", ledger.LookupNotFound, "", "", "none of its 5 rows"},
	} {
		a := askFor(t, target, c.key)
		if a.Outcome != c.outcome || a.Cause != c.cause || a.Receipt != c.receipt || a.Evidence.Source != source+c.where {
			t.Errorf("%q: %+v", c.key, a)
		}
		if a.Evidence.AsOf != target.Lookup.File.AsOf || a.Evidence.CompleteAt != target.Lookup.File.CompleteAt {
			t.Errorf("%q: as of %d, complete at %d", c.key, a.Evidence.AsOf, a.Evidence.CompleteAt)
		}
	}
}

func TestJSONLinesAreExact(t *testing.T) {
	target := fileTarget(t, config.JSONLines, `{"ref":{"id":9007199254740993},"receipt":12345678901234567890,"payload_sha256":"`+theHash+`"}`+"\r\n"+`{"ref":{"id":2},"receipt":null}`+"\n")
	target.Lookup.File.RowKey = ".ref.id"
	a := askFor(t, target, "9007199254740993")
	if a.Outcome != ledger.LookupFound || a.Receipt != "12345678901234567890" || a.PayloadSHA256 != theHash || *a.Evidence.Key != "9007199254740993" ||
		!strings.HasSuffix(a.Evidence.Source, ", line 1") || !strings.Contains(a.Evidence.Excerpt, `"columns":["payload_sha256","receipt","ref"]`) {
		t.Errorf("%+v", a)
	}
	if a := askFor(t, target, "2"); a.Outcome != ledger.LookupFound || a.Receipt != "" || a.Evidence.Key == nil || *a.Evidence.Key != "2" {
		t.Errorf("%+v", a)
	}
	if a := askFor(t, target, "9007199254740992"); a.Outcome != ledger.LookupNotFound {
		t.Errorf("%+v", a)
	}
}

// One bad line and nothing of the file is believed, with the line for whoever mends it.
func TestAnExportIsReadWholeOrNotAtAll(t *testing.T) {
	good := exported("a-1", "r-1")
	for name, c := range map[string]struct {
		format config.ExportFormat
		text   string
		line   int
	}{
		"ragged, too few":           {config.CSV, columns + good + "b-1,r\n", 3},
		"ragged, too many":          {config.CSV, columns + good + "b-1,r,,,\n", 3},
		"a quote never closed":      {config.CSV, columns + good + "\"b-1,r,,\n" + good, 3},
		"a quote out of place":      {config.CSV, columns + good + "b\"1,r,,\n", 3},
		"an empty line":             {config.CSV, columns + good + "\n" + good, 3},
		"an empty line, the first":  {config.CSV, "\n" + columns + good, 1},
		"an empty line, the second": {config.CSV, columns + "\r\n" + good, 2},
		"an empty line at the end":  {config.CSV, columns + good + "\n", 3},
		"no last line break":        {config.CSV, columns + good + strings.TrimSuffix(good, "\n"), 3},
		"one name twice":            {config.CSV, "op_key,receipt,receipt\n", 1},
		"a column without a name":   {config.CSV, "op_key, ,receipt\n", 1},
		"no column for the key":     {config.CSV, "key,receipt\na-1,r\n", 1},
		"semicolons":                {config.CSV, "op_key;receipt\na-1;r\n", 1},
		"any other line of text":    {config.CSV, "Error 500: export failed\n", 1},
		"a page for people":         {config.CSV, "<html><body>please log in</body></html>\n", 1},
		"semicolons, no rows":       {config.CSV, "op_key;receipt\n", 1},
		"old line ends":             {config.CSV, "op_key,receipt\ra-1,r\rb-1,r\n", 1},
		"old line ends, one column": {config.CSV, "op_key\nb-1\ra-1\n", 2},
		"an old line end in quotes": {config.CSV, columns + good + "b-1,\"r\rx\",,\n", 3},
		"a line end in a key":       {config.CSV, columns + good + "\"b-1\na-1\",r,,\n", 3},
		"a line separator in a key": {config.CSV, "op_key\nb-1\u2028a-1\n", 2},
		"a paragraph separator":     {config.CSV, "op_key\nb-1\u2029a-1\n", 2},
		"next line in a key":        {config.CSV, "op_key\nb-1\u0085a-1\n", 2},
		"a tab in a key":            {config.CSV, "op_key\nb-1\ta-1\n", 2},
		"a line end in a name":      {config.CSV, "op_key,\"re\nceipt\"\n", 1},
		"JSON, old line ends":       {config.JSONLines, "{\"op_key\":\"b\"}\r{\"op_key\":\"a-1\"}\n", 1},
		"JSON, a return in a row":   {config.JSONLines, "{\"op_key\":\r\"b\"}\n", 1},
		"JSON, a line end in a key": {config.JSONLines, `{"op_key":"b\na-1"}` + "\n", 1},
		"JSON, an error's object":   {config.JSONLines, `{"error":"export failed"}` + "\n", 1},
		"a row without a key":       {config.CSV, columns + good + ",r,,\n", 3},
		"a byte order mark":         {config.CSV, "\ufeff" + columns + good, 1},
		"UTF-16":                    {config.CSV, "\xff\xfeo\x00p\x00\n\x00", 2},
		"NUL":                       {config.CSV, columns + good + "b\x00,r,,\n", 3},
		"Latin-1":                   {config.CSV, columns + good + "b,r,,Z\xfcrich\n", 3},
		"JSON, cut":                 {config.JSONLines, `{"op_key":"a"}` + "\n" + `{"op_key":"b"` + "\n", 2},
		"JSON, no last line break":  {config.JSONLines, `{"op_key":"a"}` + "\n" + `{"op_key":"b"}`, 2},
		"JSON, two on a line":       {config.JSONLines, `{"op_key":"a"}{"op_key":"b"}` + "\n", 1},
		"JSON, one name twice":      {config.JSONLines, `{"op_key":"a","op_key":"b"}` + "\n", 1},
		"JSON, an empty line":       {config.JSONLines, `{"op_key":"a"}` + "\n\n" + `{"op_key":"b"}` + "\n", 2},
		"JSON, no key":              {config.JSONLines, `{"op_key":"a"}` + "\n" + `{"op_key":null}` + "\n", 2},
		"JSON, a key of true":       {config.JSONLines, `{"op_key":true}` + "\n", 1},
		"JSON, a list":              {config.JSONLines, `["a"]` + "\n", 1},
		"CSV that says it is JSON":  {config.JSONLines, columns + good, 1},
	} {
		for _, key := range []string{"a-1", "zzz"} {
			a := askFor(t, fileTarget(t, c.format, c.text), key)
			wantFailed(t, a, "malformed")
			if want := fmt.Sprintf("line %d ", c.line); !strings.Contains(a.Evidence.Error, want) {
				t.Errorf("%s: %s lacks %s", name, a.Evidence.Error, want)
			}
		}
	}
}

// The file is read once for many intents, and again when it is another one.
func TestAnExportIsReadAgainWhenItChanges(t *testing.T) {
	target := fileTarget(t, config.CSV, columns+exported("a-1", "r-1"))
	path := target.Lookup.File.Path
	written := time.Now().Add(-10 * time.Second)
	touch := func(at time.Time) {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	loaded := func() *exportLoad {
		exports.mu.Lock()
		defer exports.mu.Unlock()
		return exports.byID[path+"\x00csv\x00.op_key"]
	}
	touch(written)
	if a := askFor(t, target, theKey); a.Outcome != ledger.LookupNotFound {
		t.Fatalf("%+v", a)
	}
	first := loaded()
	askFor(t, target, "a-1")
	if loaded() != first {
		t.Error("the same file was read again")
	}
	if err := os.WriteFile(path, []byte(columns+exported(theKey, "r-1")), 0o600); err != nil {
		t.Fatal(err)
	}
	touch(written.Add(time.Millisecond))
	wantFound(t, askFor(t, target, theKey))
	if loaded() == first {
		t.Error("another file was not read")
	}
	// One that was written just now may be written again within the same tick.
	touch(time.Now())
	wantFound(t, askFor(t, target, theKey))
	fresh := loaded()
	askFor(t, target, theKey)
	if loaded() == fresh {
		t.Error("a file that is still warm was not read again")
	}
}

// What a file's content is to blame for stays; what may pass is tried again.
func TestAFailureThatMayPassIsNotRemembered(t *testing.T) {
	target := fileTarget(t, config.CSV, columns)
	path := target.Lookup.File.Path
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	close(done)
	for cause, want := range map[string]bool{"malformed": true, "unreadable": false, "changed": false, "internal": false} {
		load := &exportLoad{info: info, begun: time.Now(), done: done, fail: fail(cause, "x")}
		if got := load.stillRight(info); got != want {
			t.Errorf("%s is remembered: %t", cause, got)
		}
	}
}

// However long the rest is, evidence from an export never looks as if the receiver had
// been asked just now.
func TestEvidenceThatIsTooLongKeepsItsInstants(t *testing.T) {
	key := strings.Repeat("k", ledger.MaxEvidenceBytes)
	got := fit(ledger.Evidence{Key: &key, Excerpt: "x", AsOf: 7, CompleteAt: 8, Source: "e.csv", SkewMS: 9, Pages: 2})
	if want := (ledger.Evidence{AsOf: 7, CompleteAt: 8, Source: "e.csv", SkewMS: 9, Pages: 2}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestAnExportThatChangesWhileItIsReadIsNotBelieved(t *testing.T) {
	target := fileTarget(t, config.CSV, columns)
	path := target.Lookup.File.Path
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if raw, f := readWhole(path, before); f != nil || string(raw) != columns {
		t.Fatalf("%q %+v", raw, f)
	}
	for name, change := range map[string]func() error{
		"grown":        func() error { return os.WriteFile(path, []byte(columns+exported("a", "r")), 0o600) },
		"cut":          func() error { return os.Truncate(path, 5) },
		"touched":      func() error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Second)) },
		"gone":         func() error { return os.Remove(path) },
		"another file": func() error { return os.WriteFile(path, []byte(columns), 0o600) },
	} {
		if err := change(); err != nil && !os.IsNotExist(err) {
			t.Fatal(name, err)
		}
		if _, f := readWhole(path, before); f == nil || f.cause != "changed" && f.cause != "unreadable" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestACanaryMustBeInTheExport(t *testing.T) {
	target := fileTarget(t, config.CSV, columns+exported("probe-1", "r-1"))
	target.Promises.Canary = "probe-1"
	if a := askFor(t, target, theKey); a.Outcome != ledger.LookupNotFound || a.CanarySeen == nil || !*a.CanarySeen {
		t.Errorf("%+v", a)
	}
	target.Promises.Canary = "probe-2"
	if a := askFor(t, target, theKey); a.Outcome != ledger.LookupNotFound || a.CanarySeen == nil || *a.CanarySeen {
		t.Errorf("%+v", a)
	}
}
