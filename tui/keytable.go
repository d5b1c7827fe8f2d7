package tui

import (
	"fmt"
	"strings"
)

// quoted puts each key in a row between backquotes.
func quoted(keys string) string { return "`" + strings.Join(strings.Fields(keys), "` `") + "`" }

// KeyTable is docs/keys.md, made from the bindings themselves so that the two can't
// differ.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the program by `go test ./tui -update-docs`; do not edit.\n\n" +
		"A key that is off says why. `?` shows this table with the reasons of the moment.\n")
	for _, group := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| key | what it does |\n| --- | --- |\n", group)
		for _, k := range newBindings() {
			if k.group == group {
				fmt.Fprintf(&b, "| `%s` | %s |\n", k.Help().Key, k.Help().Desc)
			}
		}
	}
	fmt.Fprintf(&b, "\n%s: later versions\n", laterKeys())
	b.WriteString(`
## In a dialog

The key, version and hash that you saw are pinned; if the intent changes meanwhile, nothing can be confirmed any more.
Cancel has the focus. Keys count only once input has been quiet for 300 ms, so a held key or typing ahead confirms
nothing; a paste goes into the field that has the focus, is trimmed, and never confirms.

| key | what it does |
| --- | --- |
| ` + "`tab` `shift+tab`" + ` | to the next field or button, and back |
| ` + "`enter`" + ` | press the button that has the focus |
| ` + "`space` `←` `→`" + ` | in a field that offers a choice: the other choice |
| ` + "`esc`" + ` | cancel: nothing is done |

## While a sweep is shown

| key | what it does |
| --- | --- |
| ` + "`s`" + ` | stop it once the question under way is answered and recorded |
| ` + "`esc`" + ` | back; the sweep goes on, a line above the queue tells how far it is, and ` + "`L`" + ` shows it again |
| ` + "`L`" + ` | once it has ended: another one, or the rest of it |
| ` + "`j` `k` `pgdn` `pgup`" + ` | scroll |

## While you look back (V)

What is shown is the past, and the header says of which instant. No act is possible there. An instant is taken from the
ledger's own clock, which never runs backwards; within one of them the changes stand in the order in which they were
written.

| key | what it does |
| --- | --- |
`)
	for _, k := range reviewKeyTable() {
		fmt.Fprintf(&b, "| %s | %s |\n", quoted(k[0]), k[1])
	}
	b.WriteString("\nIn the list of what changed:\n\n| key | what it does |\n| --- | --- |\n")
	for _, k := range changeKeyTable {
		fmt.Fprintf(&b, "| %s | %s |\n", quoted(k[0]), k[1])
	}
	return b.String()
}
