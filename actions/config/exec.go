package config

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Exec is the connector of that name: a program of the operator's own that is told
// about one intent on its standard input and prints one JSON value. jq sees
// {exit_code, body}. Without any mapping the program speaks ExecProtocol.
type Exec struct {
	Mapping
	Argv      []string          // the first is an absolute path
	Env       map[string]string // given to the program beside the few variables it inherits
	ExitCodes []int             // those that an answer may come with
	Secrets   []string          // values of ${VARIABLE}s, to be redacted from whatever is kept
}

// ExecProtocol is what a program's answer means where nothing is mapped: an object
// whose member outcome says what became of the delivery, beside op_key, receipt,
// payload_sha256, owner, final and withdrawn. op_key is always needed.
func ExecProtocol() Mapping {
	return Mapping{
		Found:         `.body.outcome == "found"`,
		NotFound:      `.body.outcome == "not_found"`,
		InProgress:    `.body.outcome == "in_progress"`,
		Refused:       `.body.outcome == "refused"`,
		Withdrawn:     `.body.withdrawn // false`,
		Final:         `.body.final`,
		Hits:          `if .body.outcome == "ambiguous" then 2 elif .body.outcome == "not_found" then 0 else 1 end`,
		Key:           `.body.op_key`,
		Receipt:       `.body.receipt`,
		PayloadSHA256: `.body.payload_sha256`,
		Owner:         `.body.owner`,
	}
}

// Means is the mapping that holds.
func (e Exec) Means() Mapping {
	if e.Mapping == (Mapping{}) {
		return ExecProtocol()
	}
	return e.Mapping
}

// exec reads the connector of that name.
func (v value) exec(l *Lookup) error {
	l.Exec = &Exec{ExitCodes: []int{0}}
	e := l.Exec
	err := v.settings(slices.Concat([]setting{
		{"argv", func(v value) error { return v.argv(l) }},
		{"env", func(v value) error { return v.environment(l) }},
		into("exit_codes", &e.ExitCodes, value.exitCodes),
	}, mapping(&e.Mapping))...)
	switch {
	case err != nil:
		return err
	case len(e.Argv) == 0:
		return v.fail(v.name()+" has no argv", "Write argv: with the program and its arguments, such as [/usr/local/bin/inbox-lookup, --json]")
	case e.Mapping != (Mapping{}) && e.Found == "":
		return v.fail(v.name()+" maps the answer and has no found",
			"Write found: with a jq expression that is true only for a delivery that is there, or no mapping at all where the program prints the outcome itself")
	}
	return nil
}

// argumentPlaceholder is what somebody would write who expects arguments to be
// filled in.
var argumentPlaceholder = regexp.MustCompile(`\{[a-z0-9_]+\}`)

// argv reads the program and its arguments. Nothing is filled in: what comes from
// the ledger is never part of a command, and arguments are seen by every user of
// the machine.
func (v value) argv(l *Lookup) error {
	items, err := v.items("the program and its arguments", "Write argv: [/usr/local/bin/inbox-lookup, --json]")
	if err != nil {
		return err
	}
	for _, item := range items {
		s, err := item.text()
		switch {
		case err != nil:
			return err
		case strings.ContainsFunc(s, control):
			return item.fail(item.name()+" has a line break or control character", "Remove it")
		case strings.Contains(s, "${"):
			return item.fail(item.name()+" holds ${, and arguments can be seen by every user of the machine", "Give the program the variable in env")
		case argumentPlaceholder.MatchString(s):
			return item.fail(item.name()+" holds a placeholder, and nothing is filled in here", "Let the program read the key and the intent as JSON from its standard input")
		}
		l.Exec.Argv = append(l.Exec.Argv, s)
	}
	return items[0].program(l)
}

// program finds the program itself. One that is not there stops the lookups of its
// target and nothing else.
func (v value) program(l *Lookup) error {
	name := l.Exec.Argv[0]
	dirs := []string{""}
	switch {
	case filepath.IsAbs(name):
	case strings.ContainsRune(name, filepath.Separator):
		return v.fail(fmt.Sprintf("%s: %s depends on where triage is started", v.name(), name), "Write the program's absolute path, or its name alone to look it up on PATH")
	default:
		path, _ := v.file.getenv("PATH")
		dirs = slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	}
	for _, dir := range dirs {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			l.Exec.Argv[0] = found
			return nil
		}
	}
	line, _ := v.position()
	l.Off = append(l.Off, fmt.Sprintf("%s:%d: the program %s is not there or can't be run. Install it and start again.", v.file.path, line, name))
	return nil
}

// environment reads what the program is given beside the few variables it inherits.
func (v value) environment(l *Lookup) error {
	entries, err := v.entries()
	if err != nil {
		return err
	}
	l.Exec.Env = map[string]string{}
	for _, e := range entries {
		raw, err := e.value.text()
		switch {
		case !variableName.MatchString(e.name):
			return e.keyAt.fail(fmt.Sprintf("%q is not a variable's name", e.name), "Write letters, digits and _ only")
		case err != nil:
			return err
		case strings.ContainsRune(raw, 0):
			return e.value.fail(e.value.name()+" holds a NUL character", "Remove it")
		}
		filled, err := e.value.expand(raw, func(string) string { return "" })
		if err != nil {
			return err
		}
		l.Exec.Env[e.name] = filled.text
		l.Exec.Secrets = append(l.Exec.Secrets, filled.secrets...)
		l.Missing = append(l.Missing, filled.missing...)
	}
	return nil
}

// exitCodes reads the codes that an answer may come with.
func (v value) exitCodes() ([]int, error) {
	const mend = "Write whole numbers from 0 to 255, such as [0, 1]"
	items, err := v.items("a list of exit codes", mend)
	if err != nil {
		return nil, err
	}
	var codes []int
	for _, item := range items {
		code, err := strconv.Atoi(item.node.GetToken().Value)
		if item.node.Type() != ast.IntegerType || err != nil || code < 0 || code > 255 || strconv.Itoa(code) != item.node.GetToken().Value {
			return nil, item.fail(item.name()+" is not an exit code", mend)
		}
		if slices.Contains(codes, code) {
			return nil, item.fail(fmt.Sprintf("the exit code %d appears twice", code), "Remove one of the two")
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// items are the values of a list that is not empty.
func (v value) items(what, mend string) ([]value, error) {
	list, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil, v.expected(what, mend)
	}
	if len(list.Values) == 0 {
		return nil, v.fail(v.name()+" is an empty list", mend)
	}
	var items []value
	for i, node := range list.Values {
		items = append(items, value{file: v.file, node: node, at: fmt.Sprintf("%s[%d]", v.at, i)})
	}
	return items, nil
}
