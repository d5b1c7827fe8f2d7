package lookup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"triage/actions/config"
	"triage/ledger"
)

// execSource asks by running the operator's own program, once for each question.
type execSource struct {
	*asker
	argv      []string
	env       []string
	exitCodes []int
	protocol  bool // nothing is mapped: the program must repeat the key it was asked for
}

// NewExec makes a connector that runs a program, with a rate of its own.
func NewExec(target config.Target, opts ...Option) (Connector, error) {
	if target.Lookup == nil || target.Lookup.Exec == nil {
		return nil, ErrNoLookup
	}
	e := target.Lookup.Exec
	a, err := newAsker(target, e.Means(), "", secrets{anywhere: credentials(e.Secrets, e.Env)}, collect(opts))
	if err != nil {
		return nil, err
	}
	a.source = &execSource{
		asker: a, argv: e.Argv, env: execEnvironment(e.Env), exitCodes: e.ExitCodes, protocol: e.Mapping == config.Mapping{},
	}
	return a, nil
}

// inherited are the variables that a program gets from triage's own environment. No
// other one: the secrets of other receivers stand there.
var inherited = []string{"PATH", "HOME", "LANG", "TMPDIR", "TZ"}

func execEnvironment(given map[string]string) []string {
	env := []string{} // nil would mean triage's whole environment
	for _, name := range inherited {
		if value, set := os.LookupEnv(name); set && given[name] == "" {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range given {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// question is what a program reads from its standard input.
type question struct {
	OpKey         string        `json:"op_key"`
	Task          string        `json:"task"`
	Stage         string        `json:"stage"`
	Principal     string        `json:"principal"`
	Target        string        `json:"target"`
	PayloadSHA256 string        `json:"payload_sha256"`
	CreatedAt     ledger.Millis `json:"created_at"`
	Attempts      int           `json:"attempts"`
}

// ask runs the program and reads what it prints.
func (c *execSource) ask(ctx context.Context, intent ledger.Intent) exchange {
	asked, err := json.Marshal(question{
		OpKey: intent.OpKey, Task: intent.Task, Stage: intent.Stage, Principal: intent.Principal, Target: intent.Target,
		PayloadSHA256: intent.PayloadSHA256, CreatedAt: intent.CreatedAt, Attempts: intent.Derived.Attempts,
	})
	if err != nil {
		return exchange{reading: failed(fail("not_started", "The question can't be written as JSON."))}
	}
	r := run(ctx, c.argv, c.env, append(asked, '\n'))
	e := exchange{body: r.stdout, truncated: r.tooMuch, aside: r.stderr}
	f := r.failure
	if f == nil && !slices.Contains(c.exitCodes, r.code) {
		f = fail(fmt.Sprintf("exit_%d", r.code), "The program ended with exit code %d, which is not among exit_codes.", r.code)
	}
	if f == nil {
		e.parsed, f = programJSON(r.stdout)
	}
	if f != nil {
		e.reading = failed(f)
		return e
	}
	e.reading = c.mapping.classify(ctx, map[string]any{"exit_code": r.code, "body": e.parsed}, intent.OpKey)
	if c.protocol && e.reading.key == nil && e.reading.outcome != ledger.LookupFailed && e.reading.outcome != ledger.LookupAmbiguous {
		e.reading = failed(fail("no_key", "The program's answer does not name the key that was asked for, in op_key."))
	}
	return e
}

// programJSON reads what a program printed: exactly one JSON value.
func programJSON(printed []byte) (any, *failure) {
	if len(bytes.TrimSpace(printed)) == 0 {
		return nil, fail("empty_body", "The program printed nothing.")
	}
	return parseJSON(printed)
}
