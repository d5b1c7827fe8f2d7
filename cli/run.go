package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"triage/actions"
)

// ScreenRequest is what the screen is opened on.
type ScreenRequest struct {
	Acts       actions.Acts
	LedgerName string
	ReadOnly   bool
	Plain      bool     // lines of text instead of a screen
	Notices    []string // what the configuration should tell before work begins
}

// Program is what main wires together.
type Program struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Screen func(context.Context, ScreenRequest) error // opens the terminal screen
	Getenv func(string) (string, bool)
	// HasTerminal says whether a person can be shown a screen.
	HasTerminal func() bool
}

// flags are those that every command takes.
type flags struct {
	db       string
	config   string
	readOnly bool
	plain    bool
	json     bool
}

// Run runs one command line and returns its exit code (design §8): 0 done, 1
// failed, 2 usage, configuration or not a ledger, 3 refused, 4 changed meanwhile
// or claimed.
func (p Program) Run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	err := root.ExecuteContext(ctx)
	if err != nil {
		printError(p.Err, err)
	}
	return exitCode(err)
}

func (p Program) root() *cobra.Command {
	f := &flags{}
	root := &cobra.Command{
		Use:   "triage --db ledger.db",
		Short: "Settle deliveries whose outcome nobody knows",
		Long: `triage settles deliveries whose outcome nobody knows: an agent's call timed out, and the
receiver may or may not have committed. It shows every uncertain intent of a delivery ledger
with what is proven and what is not, and offers the next safe step.

Without a command it opens the screen. Exit codes: 0 done, 1 failed, 2 usage, configuration or
not a ledger, 3 refused, 4 changed meanwhile or claimed by someone else.`,
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.screen(cmd.Context(), f) },
	}
	root.Version = programVersion()
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpCommand(root))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	pf := root.PersistentFlags()
	pf.Var(&once{value: &f.db}, "db", "the ledger `file` (there is no default)")
	pf.Var(&once{value: &f.config}, "config", "the configuration `file`; else $TRIAGE_CONFIG, else triage/config.yaml in your configuration directory")
	pf.BoolVar(&f.readOnly, "read-only", false, "look only: nothing can be written")
	pf.BoolVar(&f.plain, "plain", false, "instead of the screen: lines of text, for screen readers and simple terminals (docs/terminals.md)")
	pf.BoolVar(&f.json, "json", false, "print JSON with the ledger's column names; times are Unix milliseconds")
	for _, command := range []func(*flags) *cobra.Command{
		p.initCommand, p.listCommand, p.showCommand, p.lookupCommand, p.deliverCommand, p.reissueCommand,
		p.retryCommand, p.closeCommand, p.abandonCommand, p.setAsideCommand, p.disputeCommand,
		p.acknowledgeCommand, p.noteCommand, p.verifyCommand, p.doctorCommand, p.drillCommand,
	} {
		root.AddCommand(command(f))
	}
	return root
}

func (p Program) screen(ctx context.Context, f *flags) error {
	s, err := p.open(ctx, f)
	if err != nil {
		return err
	}
	defer s.close()
	if p.HasTerminal == nil || !p.HasTerminal() {
		return usagef("there is no terminal to show the screen on. Nothing was done. Use a command, such as `triage --db … list`, or run it in a terminal")
	}
	return p.Screen(ctx, ScreenRequest{
		Acts: s.desk, LedgerName: s.ledger.Path(), ReadOnly: f.readOnly, Plain: f.plain, Notices: s.desk.Config.Warnings(),
	})
}

// programVersion is what the build recorded of itself.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(built without version)"
	}
	return info.Main.Version
}

// once is a flag that may be given once: of two ledgers nobody knows which is meant.
type once struct {
	value *string
	given bool
}

func (o *once) String() string {
	if o.value == nil {
		return ""
	}
	return *o.value
}

func (o *once) Type() string { return "file" }

func (o *once) Set(s string) error {
	if o.given {
		return fmt.Errorf("it is given twice, as %q and as %q", *o.value, s)
	}
	*o.value, o.given = s, true
	return nil
}

// helpCommand is cobra's, but a topic that is not there is a usage error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Tell more about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("%q is not a command of triage; see `triage --help`", strings.Join(args, " "))
			}
			return topic.Help()
		},
	}
}
