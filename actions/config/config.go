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

// Lookup says how a receiver is asked.
type Lookup struct {
	HTTP    *HTTP
	Timeout time.Duration
	Rate    Rate
	Missing []MissingVariable // unset ${VARIABLE}s: they stop every lookup of this target
}

// HTTP is the connector of that name. The strings after URL and Headers are jq
// expressions over {status, headers, body}.
type HTTP struct {
	URL           string
	Headers       map[string]string
	Found         string
	NotFound      string
	InProgress    string
	Refused       string
	Withdrawn     string
	Final         string
	Hits          string
	Next          string
	Key           string
	Receipt       string
	PayloadSHA256 string
	Owner         string
	Secrets       []string // values of ${VARIABLE}s, to be redacted from whatever is kept
}

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
		terms.Connector = "http"
		terms.LookupTimeout = t.Lookup.Timeout
		terms.LookupOff = t.LookupOff()
	}
	return terms
}
