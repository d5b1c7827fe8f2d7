package lookup

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryCauseIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	causes := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:fail|label)\([^")]*"([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			causes++
			if !strings.Contains(string(text), "`"+m[1]+"`") {
				t.Errorf("%s (%s) is not in docs/configuration.md", m[1], name)
			}
		}
	}
	if causes < 30 {
		t.Errorf("only %d causes were looked at", causes)
	}
}
