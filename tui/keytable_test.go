package tui

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/keys.md anew")

func TestTheKeyTableIsUpToDate(t *testing.T) {
	path := filepath.Join("..", "docs", "keys.md")
	want := KeyTable()
	if *updateDocs {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/keys.md does not match the bindings; run `go test ./tui -update-docs`")
	}
}
