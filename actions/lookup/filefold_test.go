package lookup

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"triage/actions/config"
	"triage/ledger"
)

// What a person, a spreadsheet or another program made of a key is not absent.
func TestKeysThatWereChangedOnTheWay(t *testing.T) {
	const long = "20261201120000123456"
	for _, c := range []struct{ asked, cell string }{
		{"007", "7"}, {"7", "007"}, {"42", "42.0"}, {"42", `"42,00"`}, {"1.10", "1.1"}, {"1000000", `"1,000,000"`}, {"1000000", "1'000'000"},
		{"weekly-42", "'weekly-42"}, {"weekly-42", `"=""weekly-42"""`}, {"weekly-42", `"""weekly-42"""`}, {"weekly-42", "“weekly-42”"},
		{"weekly-42", "WEEKLY-42"}, {"weekly-42", " weekly-42 "}, {"weekly-42", "weekly 42"}, {"weekly 42", "weekly\u00a042"},
		{"weekly-42", "weekly-42\u200b"}, {"weekly-42", "\ufeffweekly-42"}, {"weekly-42", "weekly\u00ad-42"}, {"weekly-42", "weekly\u201142"}, {"weekly-42", "weekly–42"}, {"weekly-42", "weekly\u221242"},
		{"weekly-42", "ｗｅｅｋｌｙ－４２"}, {"zürich-1", "zu\u0308rich-1"}, {"ﬁ-1", "fi-1"}, {"@42", "42"}, {"-", "--"},
		{long, "2.02612E+19"}, {long, `"2,02612E+19"`}, {long, "2E+19"}, {long, "2.0261201120000124e19"}, {"123456789012", "1.23457E+11"}, {"12e5", "1.20E+06"}, {"12e5", "1200000"},
		{long, "20261201120000100000"}, {long, "20261201120000123000"}, {long, "20261201120000122880"}, {long, "20261201120000123456.00"},
		{"1234567890123456", "1234567890123450"}, {"1234567890123456", "1234567890123460"}, {"9007199254740993", "9007199254740992"}, {"0020261201120000123456", "20261201120000100000"},
	} {
		a := askFor(t, fileTarget(t, config.CSV, "op_key\nanother\n"+c.cell+"\nlast\n"), c.asked)
		wantFailed(t, a, "other_key")
		if !strings.Contains(a.Evidence.Error, "line 3") || !strings.HasSuffix(a.Evidence.Source, ", line 3") {
			t.Errorf("%s in place of %s: %s (%s)", c.cell, c.asked, a.Evidence.Error, a.Evidence.Source)
		}
	}
}

// Other keys are other keys: a receiver with numbers for keys can prove an absence.
func TestKeysThatAreOthersDoNotStandInTheWay(t *testing.T) {
	for _, c := range []struct{ asked, cell string }{
		{"weekly-42", "weekly-43"}, {"weekly-42", "weekly-421"}, {"70", "7"}, {"weekly-42", "2.02612E+19"}, {"12345", "1.2E+04"},
		{"20261201120000123456", "20261201120000123457"}, {"20261201120000123456", "20261101120000100000"}, {"20261201120000123456", "202612011200001000000"},
		{"1234567890123456", "1234567890123457"}, {"weekly-42", "20261201120000100000"}, {"12e5", "34e7"}, {"20261201120000123456", "e5"},
		{"0e99999999999", "1"}, {"1e999999999", "1"}, {strings.Repeat("9", 255), "1"}, {"1e308", "1"},
	} {
		if a := askFor(t, fileTarget(t, config.CSV, "op_key\n"+c.cell+"\n"), c.asked); a.Outcome != ledger.LookupNotFound {
			t.Errorf("%s beside %s: %s (%s)", c.asked, c.cell, a.Cause, a.Evidence.Error)
		}
	}
}

// Among the rows that are changed ones of others, the right one is found, exactly.
func TestTheRightKeyIsFoundAmongSimilarOnes(t *testing.T) {
	target := fileTarget(t, config.CSV, "op_key,receipt\n7,r-1\n007,r-2\n'007,r-3\n2.02612E+19,r-4\n20261201120000123456,r-5\n20261201120000100000,r-6\n")
	for key, want := range map[string]string{"7": "r-1", "007": "r-2", "'007": "r-3", "2.02612E+19": "r-4", "20261201120000123456": "r-5", "20261201120000100000": "r-6"} {
		if a := askFor(t, target, key); a.Outcome != ledger.LookupFound || a.Receipt != want {
			t.Errorf("%s: %+v", key, a)
		}
	}
}

// Whatever is put around and between the letters of a key, it folds to the same.
func TestFoldingForgetsWhatIsNotLettersOrDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z][a-zäé0-9]{0,10}`).Draw(t, "key")
		sign := rapid.Rune().Filter(func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.IsSymbol(r)
		})
		var changed strings.Builder
		for _, r := range strings.ToUpper(key) {
			changed.WriteString(string(sign.Draw(t, "sign")) + string(r))
		}
		if got, want := foldKey(changed.String()), foldKey(key); got != want {
			t.Fatalf("%q folds to %q, %q to %q", changed.String(), got, key, want)
		}
	})
}

func TestTheColumnThatRowKeyNames(t *testing.T) {
	for text, want := range map[string]string{
		".op_key": "op_key", `."Ref No"`: "Ref No", `.["Ref No"]`: "Ref No", ".op_key?": "op_key", " .op_key ": "op_key",
		".": "", ".a.b": "", ".[0]": "", `."a\(.x)"`: "", ".a | tostring": "", `.a // .b`: "", ".a[0]": "", `.["a"]["b"]`: "", `"op_key"`: "", `.["a":]`: "", `.[("a")]`: "",
	} {
		if got := columnNamed(text); got != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}

// An export without rows is believed where its header shows that it is the right one.
func TestAnExportWithoutRows(t *testing.T) {
	target := fileTarget(t, config.CSV, "Ref No,receipt\n")
	for rowKey, cause := range map[string]string{`."Ref No"`: "", `.["Ref No"]`: "", `."Ref No" | tostring`: "empty_export", ".reference": "malformed", "": "malformed"} {
		target.Lookup.File.RowKey = rowKey
		if a := askFor(t, target, theKey); a.Cause != cause || (a.Outcome == ledger.LookupNotFound) != (cause == "") {
			t.Errorf("%s: %s (%s: %s)", rowKey, a.Outcome, a.Cause, a.Evidence.Error)
		}
	}
	target.Lookup.File.RowKey = `."Ref No" | tostring`
	target.Promises.Canary = "probe-1"
	if a := askFor(t, target, theKey); a.Outcome != ledger.LookupNotFound || *a.CanarySeen {
		t.Errorf("with a canary: %+v", a)
	}
}
