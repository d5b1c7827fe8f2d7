// Command triage settles deliveries whose outcome nobody knows. It only parses,
// wires the faces together and exits.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"triage/cli"
	"triage/cli/drill"
	"triage/tui"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // `triage … | head` ends with an error that is handled, not in the middle
	drill.SenderMain()             // returns at once, but in the sender process that a drill starts
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	program := cli.Program{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Screen:      screen,
		Getenv:      os.LookupEnv,
		HasTerminal: hasTerminal,
	}
	code := program.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func screen(ctx context.Context, r cli.ScreenRequest) error {
	return tui.Run(ctx, tui.Options{Acts: r.Acts, LedgerName: r.LedgerName, ReadOnly: r.ReadOnly, Notices: r.Notices})
}

func hasTerminal() bool {
	return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
}
