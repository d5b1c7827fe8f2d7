package lookuptest

import (
	"os"
	"path/filepath"
	"testing"

	"triage/actions/config"
)

// program is a receiver that is asked through a program: a shell script in a process of
// its own, speaking triage's protocol. It reads its question first, as a program
// should.
func program(script string) Setup {
	return func(testing.TB) config.Target {
		return asked(config.Lookup{Exec: &config.Exec{
			Argv: []string{"/bin/sh", "-c", "read -r question\n" + script}, ExitCodes: []int{0},
			Env: map[string]string{"TOKEN": secret}, Secrets: []string{secret},
		}})
	}
}

// prints is a program that prints these bytes and ends well. They must hold no quote.
func prints(text string) Setup { return program("printf '%s\\n' '" + text + "'") }

// noProgram is a target whose program is not there any more.
func noProgram(t testing.TB) config.Target {
	target := prints("")(t)
	target.Lookup.Exec.Argv = []string{filepath.Join(t.TempDir(), "inbox-lookup")}
	return target
}

// notRunnable is a target whose program can't be run.
func notRunnable(t testing.TB) config.Target {
	target := noProgram(t)
	write(t, target.Lookup.Exec.Argv[0], "#!/bin/sh\n")
	return target
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
