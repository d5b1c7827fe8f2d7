// Package config reads the operator's configuration: receivers, how to ask them,
// and what they promise. It is the only source of addresses, commands and
// secrets; the ledger is untrusted input (design §5, §7).
package config

import (
	"time"

	"triage/actions/verdict"
	"triage/ledger"
)

// Config is a whole configuration file. The zero value, no file at all, is fine.
type Config struct {
	Path    string // "" where there is no file
	Hash    string // SHA-256 of the file's bytes, lower-case hex; "" without a file
	Stuck   ledger.StuckRule
	Targets map[string]Target
}

// Target is one receiver.
type Target struct {
	Name           string
	Environment    string
	Console        string // shown, never opened by itself; {op_key} is filled in
	Runbook        string
	Contact        string
	DuplicateMeans string
	Accounts       map[string]string
	Lookup         *Lookup
	Promises       verdict.Promises
}

// Lookup says how a receiver is asked. Exactly one connector is set.
type Lookup struct {
	HTTP    *HTTP
	Timeout time.Duration
	Rate    Rate
	Missing []MissingVariable // unset ${VARIABLE}s: they stop every lookup of this target
}

// Mapping says what an answer means, in jq expressions. What they read depends on
// the connector: HTTP gives them {status, headers, body}.
type Mapping struct {
	Found         string
	NotFound      string
	InProgress    string
	Refused       string
	Withdrawn     string
	Final         string
	Hits          string
	Key           string
	Receipt       string
	PayloadSHA256 string
	Owner         string
}

// HTTP is the connector of that name.
type HTTP struct {
	Mapping
	URL     string
	Headers map[string]string
	Next    string   // jq: where the next page is; null, false or "" where there is none
	Secrets []string // values of ${VARIABLE}s, to be redacted from whatever is kept
}

// Connector is the connector's name in the ledger.
func (l *Lookup) Connector() string { return "http" }

// Address tells receivers apart: what is asked, before placeholders are filled in.
// It may hold secrets and is never shown.
func (l *Lookup) Address() string { return l.HTTP.URL }

// Rate bounds how often a target is asked.
type Rate struct {
	Count int
	Per   time.Duration
}

// Target returns what is configured for a target, or a Target with only its name.
func (c *Config) Target(name string) Target {
	if c != nil {
		if t, ok := c.Targets[name]; ok {
			return t
		}
	}
	return Target{Name: name}
}

// Terms are what a verdict depends on.
func (t Target) Terms() verdict.Terms {
	terms := verdict.Terms{Promises: t.Promises, Environment: t.Environment, Accounts: t.Accounts}
	if t.Lookup != nil {
		terms.HasLookup = true
		terms.Connector = t.Lookup.Connector()
		terms.LookupTimeout = t.Lookup.Timeout
		terms.LookupOff = t.LookupOff()
	}
	return terms
}
