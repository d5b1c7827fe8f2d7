package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"triage/cli"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/commands.md anew")

func TestTheCommandReferenceIsUpToDate(t *testing.T) {
	path := filepath.Join("..", "docs", "commands.md")
	want := cli.Reference()
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
		t.Error("docs/commands.md does not match the commands; run `go test ./cli -update-docs`")
	}
}
