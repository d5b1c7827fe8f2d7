package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Reference is docs/commands.md, made from the commands themselves so that the two
// can't differ.
func Reference() string {
	var b strings.Builder
	root := Program{}.root()
	b.WriteString("# Commands\n\nMade from the program by `go test ./cli -update-docs`; do not edit.\n\n")
	fmt.Fprintf(&b, "%s\n\n## Flags of every command\n\n", root.Long)
	writeFlags(&b, root.PersistentFlags())
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		writeCommand(&b, c)
	}
	return b.String()
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	ledger := "--db ledger.db "
	if c.Name() == "drill" { // it makes a ledger of its own
		ledger = ""
	}
	fmt.Fprintf(b, "\n## %s\n\n    triage %s%s\n\n%s.\n", c.Name(), ledger, c.Use, c.Short)
	if c.Long != "" {
		fmt.Fprintf(b, "\n%s\n", c.Long)
	}
	if c.LocalNonPersistentFlags().HasAvailableFlags() {
		b.WriteString("\n")
		writeFlags(b, c.LocalNonPersistentFlags())
	}
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | meaning |\n| --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		value, meaning := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, meaning)
	})
}
