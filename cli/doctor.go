package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"triage/actions/config"
	"triage/actions/doctor"
	"triage/actions/lookup"
	"triage/actions/wording"
	"triage/ledger"
	"triage/ledger/sqlite"
)

// doctorFlags are doctor's own.
type doctorFlags struct {
	target  string
	offline bool
}

func (p Program) doctorCommand(f *flags) *cobra.Command {
	var own doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Review the configuration, target by target, with ten questions",
		Long: `Go through the configuration as a reviewer would: target by target, ten questions that decide
whether a lost answer ends in a duplicate, a loss, or an intent that nobody can ever settle. What
the configuration and the ledger can tell is answered, the rest is asked, in words that can be
taken to the receiver's people. Without --db only the configuration is judged.

Of the ledger a bounded sample is read: the newest lines of its journal, and what has waited in
the queue for longest. Nothing is written. Each receiver that has a lookup is asked once, through
its own connector, for a key that nobody ever used and for its canary; that only reads, and
--offline leaves it out.

Exit code 1 says that something was found that can make a duplicate or a loss, or that a
credential stands where it can be read.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.doctor(cmd.Context(), f, &own) },
	}
	cmd.Flags().StringVar(&own.target, "target", "", "review this `target` only")
	cmd.Flags().BoolVar(&own.offline, "offline", false, "ask no receiver")
	return cmd
}

func (p Program) doctor(ctx context.Context, f *flags, own *doctorFlags) error {
	in, err := p.doctorInput(ctx, f, own)
	if err != nil {
		return err
	}
	report := doctor.Review(in)
	if f.json {
		err = printJSON(p.Out, report)
	} else {
		err = printReview(p.Out, report)
	}
	if n := report.Harmful(); err == nil && n > 0 {
		err = &failedError{fmt.Sprintf("doctor found %s that can make a duplicate or a loss, or show a credential. What to do stands with each",
			wording.Count(n, "gap", "gaps"))}
	}
	return err
}

// doctorInput reads everything that the review rests on.
func (p Program) doctorInput(ctx context.Context, f *flags, own *doctorFlags) (doctor.Input, error) {
	in := doctor.Input{Target: own.target, Asked: map[string]doctor.Asking{}}
	var err error
	if in.Config, err = p.configuration(f); err != nil {
		return in, err
	}
	if in.Config.Path == "" && f.db == "" {
		return in, usagef("there is nothing to review: name a configuration with --config, a ledger with --db, or both")
	}
	if in.Config.Path != "" { // within bounds: it was just read as the configuration
		raw, err := os.ReadFile(in.Config.Path)
		if err != nil {
			return in, &config.Error{Path: in.Config.Path, What: "the configuration file can't be read a second time", Mend: "Run it again"}
		}
		in.Text = string(raw)
	}
	if f.db != "" {
		if in.Sample, err = sampled(ctx, f.db, in.Config); err != nil {
			return in, err
		}
	}
	if err := knownTarget(in); err != nil {
		return in, err
	}
	return in, askReceivers(ctx, in, own.offline)
}

// sampled opens the ledger for looking only.
func sampled(ctx context.Context, path string, c *config.Config) (*doctor.Sample, error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it was only read
	return doctor.Gather(ctx, db, slices.Sorted(maps.Keys(c.Targets)), c.Stuck, ledger.WallClock())
}

// knownTarget refuses a name that neither configuration nor sample has: a clean bill for
// nothing would be worse than none.
func knownTarget(in doctor.Input) error {
	if in.Target == "" {
		return nil
	}
	if _, configured := in.Config.Targets[in.Target]; configured {
		return nil
	}
	if in.Sample != nil && len(in.Sample.Intents[in.Target]) > 0 {
		return nil
	}
	return usagef("nothing is known of a target %q. %s", in.Target, in.Config.Target(in.Target).Unknown)
}

// askReceivers puts one harmless question to each receiver that can be asked.
func askReceivers(ctx context.Context, in doctor.Input, offline bool) error {
	var asking errgroup.Group
	asking.SetLimit(asksAtOnce)
	var mu sync.Mutex
	for name, t := range in.Config.Targets {
		if in.Target != "" && name != in.Target {
			continue
		}
		asking.Go(func() error {
			asked, err := askOne(ctx, in.Sample, t, offline)
			mu.Lock()
			defer mu.Unlock()
			in.Asked[name] = asked
			return err
		})
	}
	return asking.Wait()
}

// asksAtOnce is how many receivers are asked side by side.
const asksAtOnce = 8

func askOne(ctx context.Context, sample *doctor.Sample, t config.Target, offline bool) (doctor.Asking, error) {
	if offline {
		return doctor.NotAsked("No receiver was asked (--offline)."), nil
	}
	key, err := unusedKey()
	if err != nil {
		return doctor.Asking{}, err
	}
	var other *ledger.Intent
	var held ledger.Millis
	if sample != nil {
		held = sample.Held[t.Name]
		if known := sample.Intents[t.Name]; len(known) > 0 {
			other = &known[0].Intent
		}
	}
	return doctor.Ask(ctx, t, key, other, held, lookup.For), ctx.Err()
}

// unusedKey is a key that nobody ever used.
func unusedKey() (string, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", errors.New("the system gives no random numbers, so no unused key can be made; use --offline")
	}
	return "triage-doctor-" + hex.EncodeToString(random[:]), nil
}

// reviewWidth is how wide the review is printed, in cells.
const reviewWidth = 100

var answerMarks = map[doctor.Answer]string{doctor.Gap: "GAP", doctor.ToAsk: "ASK", doctor.Ok: "ok"}

// printReview writes the review for a person, worst first.
func printReview(w io.Writer, r doctor.Report) error {
	out := &paragraphs{w: w}
	for _, line := range r.LookedAt {
		out.write("", line)
	}
	if len(r.Targets) == 0 {
		out.write("", "There is no target to review.")
	}
	for _, t := range r.Targets {
		name := t.Target
		if !t.Configured {
			name += " (not configured)"
		}
		out.write("", "")
		out.write("", fmt.Sprintf("%s: %s, %d to ask, %d ok; %s looked at", name, wording.Count(t.Count(doctor.Gap), "gap", "gaps"),
			t.Count(doctor.ToAsk), t.Count(doctor.Ok), wording.Count(t.Intents, "intent", "intents")))
		out.write("  ", t.Asked)
		for _, q := range t.Questions {
			out.finding(q)
		}
	}
	return out.err
}

// paragraphs writes wrapped and safe text and remembers the first error.
type paragraphs struct {
	w   io.Writer
	err error
}

func (p *paragraphs) finding(q doctor.Finding) {
	head := fmt.Sprintf("%-3s %2d  %s", answerMarks[q.Answer], q.N, q.Question)
	if len(q.Harms) > 0 {
		var words []string
		for _, h := range q.Harms {
			words = append(words, strings.ReplaceAll(string(h), "_", " "))
		}
		head += " [" + strings.Join(words, ", ") + "]"
	}
	const indent = "          "
	p.wrapped("  ", indent, head)
	for _, because := range q.Because {
		p.write(indent, because)
	}
	for _, tail := range []struct{ label, text string }{{"Means: ", q.Means}, {"Do: ", q.Do}} {
		if tail.text != "" {
			p.write(indent, tail.label+tail.text)
		}
	}
}

// write wraps one paragraph; the lines after the first are indented a little more.
func (p *paragraphs) write(indent, text string) { p.wrapped(indent, indent+"  ", text) }

// wrapped writes a paragraph with one indent for its first line and another for the rest.
func (p *paragraphs) wrapped(first, rest, text string) {
	if p.err != nil {
		return
	}
	if text == "" {
		_, p.err = fmt.Fprintln(p.w)
		return
	}
	for i, line := range wording.Wrap(wording.Safe(text), reviewWidth-len(rest)) {
		indent := rest
		if i == 0 {
			indent = first
		}
		if _, p.err = fmt.Fprintln(p.w, indent+line); p.err != nil {
			return
		}
	}
}
