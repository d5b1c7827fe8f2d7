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

func main() { os.Exit(run(screen)) }

// run is the whole program, with the screen that it is to open. It returns the exit
// code.
func run(screen func(context.Context, cli.ScreenRequest) error) int {
	signal.Ignore(syscall.SIGPIPE) // `triage … | head` ends with an error that is handled, not in the middle
	drill.SenderMain()             // returns at once, but in the sender process that a drill starts
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	program := cli.Program{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Screen:      screen,
		Getenv:      os.LookupEnv,
		HasTerminal: hasTerminal,
	}
	return program.Run(ctx, os.Args[1:])
}

func screen(ctx context.Context, r cli.ScreenRequest) error {
	return tui.Run(ctx, tui.Options{Acts: r.Acts, LedgerName: r.LedgerName, ReadOnly: r.ReadOnly, Notices: r.Notices, Plain: r.Plain})
}

func hasTerminal() bool {
	return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
}
