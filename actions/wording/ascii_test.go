package wording

import "testing"

func TestASCII(t *testing.T) {
	SetASCII(true)
	defer SetASCII(false)
	for in, want := range map[string]string{
		"plain": "plain", "周报": `\u5468\u62a5`, "e\u0301x": `e\u0301x`, "🇩🇪": `\U0001f1e9\U0001f1ea`, "👩‍👩": `\U0001f469\u200d\U0001f469`, "a\x9b": `a\x9b`,
	} {
		got := Safe(in)
		if got != want || Safe(got) != got {
			t.Errorf("%q: %s, not %s", in, got, want)
		}
	}
	if got := Fit("a long key", 6); got != "a lon~" {
		t.Errorf("cut: %q", got)
	}
	if got := FitMiddle("a long key", 6); got != "a l~ey" {
		t.Errorf("cut in the middle: %q", got)
	}
}

func TestInASCII(t *testing.T) {
	for in, want := range map[string]string{"│ “a” … 3×4 → b 界": `| "a" ~ 3x4 > b ?`, "as it is": "as it is"} {
		if got := InASCII(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
}

func TestLocale(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		utf8             bool
	}{
		{"", "", "", false}, {"C", "", "en_US.UTF-8", false}, {"", "", "en_US.UTF-8", true}, {"", "C.utf8", "C", true},
		{"", "POSIX", "de_DE.UTF-8", false}, {"", "", "de_DE.ISO-8859-1", false}, {"", "", "de_DE", false}, {"ja_JP.UTF-8", "C", "C", true},
	} {
		env := map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}
		if got := Locale(func(name string) string { return env[name] }); got != c.utf8 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
