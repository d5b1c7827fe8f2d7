// Package config reads the operator's configuration: receivers, how to ask them,
// and what they promise. It is the only source of addresses, commands and
// secrets; the ledger is untrusted input (design §5, §7).
package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	Unknown        string // why the configuration has nothing about it, as a sentence; "": it has
}

// Lookup says how a receiver is asked. Exactly one connector is set.
type Lookup struct {
	HTTP    *HTTP
	Exec    *Exec
	SQL     *SQL
	File    *File
	Timeout time.Duration
	Rate    Rate
	Missing []MissingVariable // unset ${VARIABLE}s: they stop every lookup of this target
	Off     []string          // what else stops it, as sentences
}

// Mapping says what an answer means, in jq expressions. What they read depends on
// the connector: HTTP gives them {status, headers, body}, Exec {exit_code, body}, SQL
// and File {rows, columns}.
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
	Method  string // GET or HEAD; "" is GET
	Headers map[string]string
	Next    string   // jq: the URL of the next page; null, false or "" where there is none
	Pages   int      // how many pages are read at most; 0 is DefaultPages
	TLS     *TLS     // nil: the machine's authorities, no certificate of our own
	Proxy   string   // "": as the environment says; NoProxy: none; else the proxy's URL
	Secrets []string // values of ${VARIABLE}s, to be redacted from whatever is kept
}

// Connector is the connector's name in the ledger.
func (l *Lookup) Connector() string {
	switch {
	case l.Exec != nil:
		return "exec"
	case l.SQL != nil:
		return "sql"
	case l.File != nil:
		return "file"
	}
	return "http"
}

// Means is the mapping that holds, with what a connector fills in by itself.
func (l *Lookup) Means() Mapping {
	switch {
	case l.Exec != nil:
		return l.Exec.Means()
	case l.SQL != nil:
		return l.SQL.Means()
	case l.File != nil:
		return l.File.Means()
	case l.HTTP != nil:
		return l.HTTP.Mapping
	}
	return Mapping{}
}

// Address tells receivers apart: what is asked, before placeholders are filled in.
// It may hold secrets and is never shown.
func (l *Lookup) Address() string {
	switch {
	case l.Exec != nil:
		return strings.Join(l.Exec.Argv, "\x00")
	case l.SQL != nil:
		return l.SQL.SQLite + l.SQL.Postgres
	case l.File != nil:
		return l.File.Path
	case l.HTTP != nil:
		return l.HTTP.URL
	}
	return ""
}

// Rate bounds how often a target is asked.
type Rate struct {
	Count int
	Per   time.Duration
}

// Target returns what is configured for a target, or a Target with only its name and
// why there is nothing more.
func (c *Config) Target(name string) Target {
	if c != nil {
		if t, ok := c.Targets[name]; ok {
			return t
		}
	}
	return Target{Name: name, Unknown: c.unknown(name)}
}

// NotRead says, as a sentence, that no configuration was read; "" if one was.
func (c *Config) NotRead() string {
	if c == nil || c.Path == "" && len(c.Targets) == 0 {
		return "No configuration was read: name the file with --config or $TRIAGE_CONFIG."
	}
	return ""
}

// unknown says, as a sentence, why a target is not configured: a forgotten --config or a
// name spelt otherwise looks like a fact about the receiver, else.
func (c *Config) unknown(name string) string {
	const shown = 6
	switch {
	case c.NotRead() != "":
		return c.NotRead()
	case len(c.Targets) == 0:
		return fmt.Sprintf("The configuration %s has no targets.", c.Path)
	}
	names := slices.Sorted(maps.Keys(c.Targets))
	for _, known := range names {
		if strings.EqualFold(known, name) {
			return fmt.Sprintf("The configuration knows %s, which is spelt otherwise.", known)
		}
	}
	if more := len(names) - shown; more > 0 {
		names = append(names[:shown], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("The configuration knows no target of that name; it knows %s.", strings.Join(names, ", "))
}

// Terms are what a verdict depends on.
func (t Target) Terms() verdict.Terms {
	terms := verdict.Terms{Unconfigured: t.Unknown, Promises: t.Promises, Environment: t.Environment, Accounts: t.Accounts}
	if t.Lookup != nil {
		terms.HasLookup = true
		terms.Connector = t.Lookup.Connector()
		terms.LookupTimeout = t.Lookup.Timeout
		terms.LookupOff = t.LookupOff()
		if t.Lookup.File != nil {
			terms.ExportAsOf = t.Lookup.File.AsOf
		}
	}
	return terms
}
