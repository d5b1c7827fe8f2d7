package config

import (
	"errors"
	"time"

	"triage/actions/config/address"
	"triage/actions/verdict"
)

// config reads the whole file.
func (v value) config(c *Config) error {
	return v.settings(
		into("stuck_after", &c.Stuck.Default, duration(time.Millisecond, longest)),
		setting{"targets", func(v value) error { return v.targets(c) }},
		later("operators"), later("policy"),
	)
}

// targets reads the receivers, by name.
func (v value) targets(c *Config) error {
	entries, err := v.entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		t, stuckAfter, err := e.value.target(e.name)
		if err != nil {
			return err
		}
		c.Targets[e.name] = t
		if stuckAfter > 0 {
			c.Stuck.PerTarget[e.name] = stuckAfter
		}
	}
	return nil
}

// target reads one receiver.
func (v value) target(name string) (t Target, stuckAfter time.Duration, err error) {
	t = Target{Name: name, Promises: verdict.Promises{LookupBy: verdict.ByKey, Receipt: verdict.OwnReceipt}}
	var lookup, promises value
	keep := func(place *value) func(value) error {
		return func(v value) error { *place = v; return nil }
	}
	err = v.settings(
		into("environment", &t.Environment, value.id),
		into("console", &t.Console, value.console),
		into("runbook", &t.Runbook, value.words),
		into("contact", &t.Contact, value.words),
		into("duplicate_means", &t.DuplicateMeans, value.words),
		into("stuck_after", &stuckAfter, duration(time.Millisecond, longest)),
		into("accounts", &t.Accounts, value.accounts),
		setting{"lookup", keep(&lookup)},
		setting{"promises", keep(&promises)},
	)
	if err == nil && promises.node != nil {
		err = promises.promises(&t.Promises)
	}
	if err == nil && lookup.node != nil { // after the promises: what a URL must hold depends on them
		t.Lookup, err = lookup.lookup(t.Promises)
	}
	return t, stuckAfter, err
}

// accounts maps principals to owners as the receiver names them.
func (v value) accounts() (map[string]string, error) {
	entries, err := v.entries()
	if err != nil {
		return nil, err
	}
	accounts := map[string]string{}
	for _, e := range entries {
		if accounts[e.name], err = e.value.id(); err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// console is the address of the receiver's own page about an intent.
func (v value) console() (string, error) {
	s, err := v.words()
	if err != nil {
		return "", err
	}
	if _, err := address.Parse(s, "op_key"); err != nil {
		return "", v.badAddress(err)
	}
	return s, nil
}

// badAddress is the error for a URL that can't be used.
func (v value) badAddress(err error) error {
	var a *address.Error
	if errors.As(err, &a) {
		return v.fail(v.name()+": "+a.What, a.Mend)
	}
	return v.fail(v.name()+" can't be used", "")
}

// ConsoleFor is the console's address for one intent, "" where none is configured
// or the key can't stand in it. It is for showing; triage never opens it.
func (t Target) ConsoleFor(opKey string) string {
	pattern, err := address.Parse(t.Console, "op_key")
	if t.Console == "" || err != nil {
		return ""
	}
	filled, err := pattern.Fill(map[string]string{"op_key": opKey})
	if err != nil {
		return ""
	}
	return filled
}
