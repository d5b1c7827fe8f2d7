package drill

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"triage/actions"
	"triage/actions/wording"
	"triage/ledger"
)

// Exit codes of the commands (design §8), as far as the walk meets them.
const (
	exitDone    = 0
	exitRefused = 3
)

// Run runs one triage command on the scene's ledger and configuration, with
// arguments as after `triage --db ledger.db`. It writes what the command says,
// on both its channels, to where the walk's own words go.
type Run func(args ...string) (exitCode int)

// Walk plays the operator's job on a fresh scene as commands, each shown with its
// output: the queue, the lookups, what is refused and why, what is settled, a new
// intent and its delivery, and the proof. It fails where a command ends otherwise
// than it should, or where the receiver ends up with a duplicate or a loss.
func Walk(ctx context.Context, s *Scene, run Run, out io.Writer) error {
	w := walker{scene: s, run: run, out: &telling{out: out}}
	for _, chapter := range []func(context.Context) error{
		w.theQueue, w.theLookups, w.theEarlyMiss, w.whatIsRefused, w.whatIsSettled,
		w.theNewIntent, w.theRetry, w.theAcceptedRisk, w.theProof,
	} {
		if err := chapter(ctx); err != nil {
			return cmp.Or(ctx.Err(), err) // a command that was told to stop ends with a code that isn't due
		}
	}
	return w.checkEndings(ctx)
}

type walker struct {
	scene *Scene
	run   Run
	out   *telling
}

// say heads what follows, in lines that stand out as comments of a shell do.
func (w walker) say(text string) {
	w.out.say("")
	for _, line := range wording.Wrap(text, debriefWidth-2) {
		w.out.say("# %s", line)
	}
}

// expect shows a command, runs it and compares its exit code. Where nobody reads
// any more it ends before the command, or after it.
func (w walker) expect(want int, args ...string) error {
	line := "triage --db " + shellWord(w.scene.LedgerPath)
	for _, a := range args {
		line += " " + shellWord(a)
	}
	w.out.say("\n$ %s", line)
	if w.out.failed != nil {
		return w.out.failed
	}
	got := w.run(args...)
	if got != exitDone {
		w.out.say("(exit code %d)", got)
	}
	if w.out.failed != nil {
		return w.out.failed
	}
	if got != want {
		return fmt.Errorf("`triage %s` ended with exit code %d; %d was due", strings.Join(args, " "), got, want)
	}
	return nil
}

// each runs several commands that should all end the same way.
func (w walker) each(want int, commands ...[]string) error {
	for _, args := range commands {
		if err := w.expect(want, args...); err != nil {
			return err
		}
	}
	return nil
}

func (w walker) theQueue(context.Context) error {
	w.say("Deliveries whose outcome nobody knows: UNKNOWN, or PENDING for so long that the sender must be dead.")
	return w.expect(exitDone, "list")
}

func (w walker) theLookups(context.Context) error {
	w.say("First ask the receiver under the original keys. What it has, with the right content, becomes DELIVERED.")
	err := w.each(exitDone,
		[]string{"lookup", acmeReport, globexReport},
		[]string{"lookup", deadSender},
	)
	if err != nil {
		return err
	}
	w.say("What it refused, what it never saw and what it has with other content are told apart.")
	return w.each(exitDone,
		[]string{"lookup", refusedInvoice},
		[]string{"lookup", initechReport, umbrellaReport, revokedGrant},
		[]string{"lookup", changedContent},
	)
}

func (w walker) theEarlyMiss(context.Context) error {
	w.say("Not found is not always not there: the archive shows new contracts late, so this proves nothing yet.")
	if err := w.expect(exitDone, "lookup", lateContract); err != nil {
		return err
	}
	err := w.each(exitRefused,
		[]string{"reissue", lateContract, "--reason", "not found"},
		[]string{"close", lateContract, "--reason", "not found"},
	)
	if err != nil {
		return err
	}
	return w.expect(exitDone, "note", lateContract, "--reason", "looking again when the archive shows what it has")
}

func (w walker) whatIsRefused(context.Context) error {
	w.say("Other content under the key: neither delivered nor free to send again. Somebody has to find out how it got there.")
	err := w.each(exitRefused,
		[]string{"deliver", changedContent, "--receipt", "R-1", "--reason", "the receiver has something under the key"},
		[]string{"reissue", changedContent, "--reason", "send ours"},
	)
	if err != nil {
		return err
	}
	if err := w.expect(exitDone, "note", changedContent, "--reason", "handed over to "+inboxContact+": the draft was sent under this key"); err != nil {
		return err
	}
	w.say("A revoked grant: it was never delivered, and nobody may deliver it now.")
	err = w.expect(exitRefused, "reissue", revokedGrant, "--reason", "the receiver never got it")
	if err != nil {
		return err
	}
	return w.expect(exitDone, "note", revokedGrant, "--reason", "asked the release desk for a new grant")
}

func (w walker) whatIsSettled(context.Context) error {
	w.say("A refusal for good is closed as not delivered.")
	return w.each(exitDone,
		[]string{"show", refusedInvoice},
		[]string{"close", refusedInvoice, "--reason", "the invoice had been paid"},
	)
}

func (w walker) theNewIntent(ctx context.Context) error {
	w.say("What is proven absent, under a grant that holds, is delivered by a new intent with a key of its own.")
	if err := w.reissue(ctx, initechReport, "--reason", "the receiver never got it"); err != nil {
		return err
	}
	w.say("An intent has one successor and never gets a second.")
	return w.expect(exitRefused, "reissue", initechReport, "--reason", "once more, to be sure")
}

func (w walker) theRetry(ctx context.Context) error {
	w.say("Or, where the receiver honours the key, it is sent once more under the same one: by a sender, not by triage.")
	if err := w.expect(exitDone, "retry", umbrellaReport, "--reason", "the receiver never got it, and honours the key"); err != nil {
		return err
	}
	if err := w.awaitDelivery(ctx, umbrellaReport); err != nil {
		return err
	}
	return w.expect(exitDone, "show", umbrellaReport)
}

func (w walker) theAcceptedRisk(ctx context.Context) error {
	desk, err := w.scene.world.desk()
	if err != nil {
		return err
	}
	w.say("Where nobody can be asked a new intent may make a duplicate. It wants a phrase that says what that would mean.")
	if err := w.expect(exitRefused, "reissue", chatReminder, "--reason", "the standup begins soon"); err != nil {
		return err
	}
	return w.reissue(ctx, chatReminder, "--reason", "the standup begins soon, and a second reminder harms nobody",
		"--accept-duplicate", actions.Phrase(desk.Config.Target(chatTarget)))
}

// reissue makes a new intent, waits until a sender has delivered it, and shows it.
func (w walker) reissue(ctx context.Context, key string, flags ...string) error {
	if err := w.expect(exitDone, append([]string{"reissue", key}, flags...)...); err != nil {
		return err
	}
	old, err := w.scene.world.books.Get(ctx, key)
	if err != nil {
		return err
	}
	if err := w.awaitDelivery(ctx, old.SupersededBy); err != nil {
		return err
	}
	return w.expect(exitDone, "show", old.SupersededBy)
}

// awaitDelivery waits until a sender has delivered what it was left to.
func (w walker) awaitDelivery(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for {
		intent, err := w.scene.world.books.Get(ctx, key)
		if err != nil {
			return err
		}
		if intent.State == ledger.Delivered {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no sender delivered %s: it is %s", key, intent.State)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (w walker) theProof(context.Context) error {
	w.say("What is left is left for a reason, and the record of all this can be checked.")
	return w.each(exitDone, []string{"list"}, []string{"verify"})
}

// checkEndings judges what was done and makes sure that it did no harm.
func (w walker) checkEndings(ctx context.Context) error {
	all, err := w.scene.judgements(ctx)
	if err != nil {
		return err
	}
	w.out.printf("\n%s", debriefText(all))
	for _, j := range all {
		if j.mark == markWrong || j.lost {
			return fmt.Errorf("%s: %s", j.fate.OpKey, j.words)
		}
	}
	return w.out.failed
}

// shellWord writes an argument as one would type it.
func shellWord(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@", r)
	}) < 0
	if plain && s != "" {
		return s
	}
	return shellQuote(s)
}
