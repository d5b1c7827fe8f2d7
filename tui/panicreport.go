package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"triage/actions/wording"
)

// Broken says that the screen broke off because of a defect in triage itself. The
// terminal is restored by then, and whatever was under way has ended.
type Broken struct {
	Report string // the file that tells developers where; "" where none could be written
	words  []string
}

// Error says in several lines what happened, what state the acts are in, and what to
// do now.
func (b *Broken) Error() string { return strings.Join(b.words, "\n") }

// brokenBy makes the error, and the report, of a panic.
func (o Options) brokenBy(c *crash, g *guard, stillRunning error) *Broken {
	b := &Broken{words: []string{"the screen broke off because of a defect in triage. The terminal has been restored."}}
	acts := o.actWords(g.work, stillRunning)
	b.words = append(b.words, acts...)
	path, err := o.writeReport(c, g, acts)
	if err != nil {
		b.words = append(b.words, "No report could be written: "+wording.Safe(err.Error())+".")
	} else {
		b.Report = path
		b.words = append(b.words, "For whoever looks after triage, a report is in "+wording.Safe(path)+" (where it broke, the terminal and its size; no payload, no secrets).")
	}
	b.words = append(b.words, "The commands do the same without the screen: `"+o.command("list")+"`.")
	return b
}

// actWords say how each act stands that the screen could not tell of any more.
func (o Options) actWords(w *work, stillRunning error) []string {
	var out []string
	broke, unsaid := w.account()
	for _, j := range broke {
		out = append(out, upper(j.what)+" broke off. It may have been recorded, or not: look with `"+o.look(j)+"` before you do anything else.")
	}
	for _, j := range unsaid {
		out = append(out, upper(j.what)+" had ended, and what came of it was not shown any more: look with `"+o.look(j)+"`.")
	}
	if stillRunning != nil {
		out = append(out, upper(stillRunning.Error())+".")
	}
	if len(out) == 0 {
		out = append(out, "Nothing was under way. What was confirmed earlier is in the ledger; what was being filled in was not done.")
	}
	return out
}

// look is the command that shows how an act stands.
func (o Options) look(j *job) string {
	if j.key == "" {
		return o.command("list")
	}
	return o.command("show " + argument(j.key))
}

func (o Options) command(words string) string {
	return "triage --db " + argument(o.LedgerName) + " " + words
}

// argument is a word as a shell takes it. What is no plain text is shown as Safe
// shows it.
func argument(s string) string {
	s = wording.Safe(s)
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("-_./:@%+=,", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func upper(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// writeReport leaves the report where only this user can read it, and returns its
// path. Keys are not in it, nor what the panic itself said unless the language's own
// runtime said it: either may hold what is nobody else's business.
func (o Options) writeReport(c *crash, g *guard, acts []string) (string, error) {
	now := o.Now().UTC()
	name := fmt.Sprintf("panic-%s-%d.txt", now.Format("20060102T150405.000Z"), os.Getpid())
	text := reportText(c, g, o.Environ, now, len(acts))
	var failed error
	for _, dir := range o.reportDirs() {
		path := filepath.Join(dir, name)
		if failed = os.MkdirAll(dir, 0o700); failed != nil {
			continue
		}
		if failed = writeNew(path, text); failed == nil {
			return path, nil
		}
	}
	return "", failed
}

// reportDirs are where a report may go, the best first.
func (o Options) reportDirs() []string {
	if o.ReportDir != "" {
		return []string{o.ReportDir}
	}
	var dirs []string
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "triage"))
	}
	return append(dirs, os.TempDir())
}

// writeNew writes a file that was not there before: never through a link that
// somebody else has laid.
func writeNew(path, text string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	_, err = f.WriteString(text)
	return err
}

// terminalVariables say what kind of terminal it is; none of them holds a secret.
var terminalVariables = []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"}

func reportText(c *crash, g *guard, environ []string, now time.Time, acts int) string {
	var out strings.Builder
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				version += " " + s.Key + "=" + s.Value
			}
		}
	}
	fmt.Fprintf(&out, "triage %s, %s, %s/%s\nat %s\nwhile %s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, now.Format(time.RFC3339), c.where)
	fmt.Fprintf(&out, "panic: %s\n", panicText(c.value))
	fmt.Fprintf(&out, "lines about acts on the terminal: %d\nscreen: %d×%d\n", acts, g.width, g.height)
	for _, name := range terminalVariables {
		fmt.Fprintf(&out, "%s=%q\n", name, env(environ, name))
	}
	fmt.Fprintf(&out, "tmux: %v, ssh: %v\n\n%s", env(environ, "TMUX") != "", env(environ, "SSH_CONNECTION") != "", c.stack)
	return out.String()
}

// panicText is what a panic said, where it is the runtime that speaks: an index, a nil
// pointer. Anybody else's text could hold anything.
func panicText(value any) string {
	if err, ok := value.(runtime.Error); ok {
		return wording.Safe(err.Error())
	}
	return fmt.Sprintf("a %T, whose text is left out", value)
}
