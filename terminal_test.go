package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"triage/ledger"
	"triage/tui/screentest"
)

// What a terminal does to the program, and the program to the terminal.

func TestLeavingRestoresTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name  string
		leave func(s *screentest.Terminal)
	}{
		{"q", func(s *screentest.Terminal) { s.Press("q") }},
		{"ctrl+c", func(s *screentest.Terminal) { s.Press("ctrl+c") }},
		{"SIGINT", func(s *screentest.Terminal) { s.Signal(syscall.SIGINT) }},
		{"SIGTERM", func(s *screentest.Terminal) { s.Signal(syscall.SIGTERM) }},
		{"SIGHUP", func(s *screentest.Terminal) { s.Signal(syscall.SIGHUP) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newPlace(t).start(t)
			if !s.OnAltScreen() || !s.RawLine() {
				t.Fatalf("alternate screen %v, raw line %v", s.OnAltScreen(), s.RawLine())
			}
			c.leave(s)
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			restored(t, s)
		})
	}
}

// A lookup whose answer is still awaited when the line drops is finished and
// recorded, however often the drop is told.
func TestALineThatDropsLosesNoAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		drop func(s *screentest.Terminal)
	}{
		{"SIGHUP twice", func(s *screentest.Terminal) {
			s.Signal(syscall.SIGHUP)
			s.WaitFor("Waiting for the lookup of " + key + " to finish")
			s.Signal(syscall.SIGHUP)
		}},
		{"SIGTERM", func(s *screentest.Terminal) { s.Signal(syscall.SIGTERM) }},
		{"the terminal goes away", (*screentest.Terminal).HangUp},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			s := p.start(t)
			s.Press("l")
			<-p.receiver.asked
			c.drop(s)
			p.receiver.answers()
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			p.settled(t)
		})
	}
}

// In the background the terminal is the shell's, and in the foreground everything is
// there again.
func TestIntoTheBackgroundAndBack(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash, whose job control is needed")
	}
	p := newPlace(t)
	cmd := p.command(t, nil)
	words := strings.Join(cmd.Args, "' '")
	cmd.Path, cmd.Args = shell, []string{"bash", "--norc", "--noprofile", "-i"}
	cmd.Env = append(cmd.Env, "PS1=ready> ", "INPUTRC=/dev/null", "HISTFILE=")
	s := screentest.Command(t, 80, 24, cmd)
	s.WaitFor("ready>")
	s.Type("'" + words + "'\r")
	s.WaitFor("Nobody has looked it up")
	for range 2 {
		s.Press("ctrl+z")
		s.WaitFor("Stopped")
		s.WaitUntil("a prompt", func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "ready>") })
		if s.OnAltScreen() || s.CursorHidden() {
			t.Fatalf("alternate screen %v, cursor hidden %v", s.OnAltScreen(), s.CursorHidden())
		}
		s.Resize(100, 30)
		s.Type("fg\r")
		s.WaitUntil("the screen in its new size", func(screen string) bool {
			return s.OnAltScreen() && strings.Contains(screen, "Nobody has looked it up") && len(strings.Split(screen, "\n")) == 31
		})
	}
	s.Press("q")
	s.WaitUntil("the shell again", func(screen string) bool {
		return !s.OnAltScreen() && strings.HasSuffix(strings.TrimSpace(screen), "ready>")
	})
	s.Type("exit\r")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	restored(t, s)
}

// Hundreds of sizes, none and one cell among them, while keys come: nothing breaks,
// and the last size is what is drawn.
func TestAStormOfSizes(t *testing.T) {
	s := newPlace(t).start(t)
	random := rand.New(rand.NewPCG(48, 1))
	sizes := [][2]int{{0, 0}, {1, 1}, {1, 200}, {300, 1}, {59, 15}, {60, 14}, {2, 2}}
	for range 300 {
		sizes = append(sizes, [2]int{random.IntN(220), random.IntN(80)})
	}
	for i, size := range sizes {
		s.Resize(size[0], size[1])
		s.Press([]string{"j", "enter", "esc", "H", "?", "t", "esc", "/"}[i%8])
	}
	s.Resize(59, 15)
	s.WaitFor("This window is too small: 59×15. triage needs 60×15.")
	s.Resize(60, 14)
	s.WaitFor("triage needs 60×15.")
	s.Resize(80, 24)
	s.WaitGone("too small")
	s.Press("esc", "esc", "esc", "esc")
	s.WaitFor("Nobody has looked it up")
	s.Press("q")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	restored(t, s)
}

var colour = regexp.MustCompile(`\x1b\[(?:[0-9;:]*;)?(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:;[0-9;:]*)?m`)

func TestNoColour(t *testing.T) {
	s := newPlace(t).start(t, "NO_COLOR=1")
	if found := colour.Find(s.Raw()); found != nil {
		t.Errorf("a colour was written: %q", found)
	}
	s.WaitFor("? UNKNOWN") // the symbol and the word say it
}

// Without a UTF-8 locale nothing but ASCII is written; other letters are escapes.
func TestTheCLocale(t *testing.T) {
	for _, locale := range []string{"LC_ALL=C", "LANG=", "LC_CTYPE=de_DE.ISO-8859-1"} {
		t.Run(locale, func(t *testing.T) {
			s := newPlace(t).start(t, locale)
			s.WaitFor(`inbox: \u6d4b\u8bd5`)
			s.Press("enter", "G", "H", "esc", "esc", "?", "esc", "t")
			s.WaitFor("[> Cancel ]")
			if i := strings.IndexFunc(string(s.Raw()), func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
				t.Errorf("not ASCII: %q", s.Raw()[max(i-40, 0):i+8])
			}
		})
	}
}

func TestWithoutATerminal(t *testing.T) {
	p := newPlace(t)
	for _, args := range [][]string{nil, {"--plain"}} {
		cmd := p.command(t, nil, args...)
		cmd.Stdin = strings.NewReader("q")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%q: %v", args, err)
		}
		if !strings.Contains(string(out), "there is no terminal") || !strings.Contains(string(out), " list`") {
			t.Errorf("%q: %s", args, out)
		}
	}
}

// A defect while an act is under way: the terminal is restored, the act's state is
// said, a report is left, and the exit code is 1.
func TestADefectIsToldInPlainWords(t *testing.T) {
	p := newPlace(t)
	p.receiver.answers()
	s := p.start(t, asTriage+"=breaking")
	s.Press("l")
	if code := s.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	restored(t, s)
	words := strings.ReplaceAll(s.Text(), "\n", "") // the terminal itself broke the lines
	for _, want := range []string{
		"triage: the screen broke off because of a defect in triage. The terminal has been restored.",
		"The lookup of " + key + " broke off. It may have been recorded, or not:", "show '" + key + "'` before you do anything else",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the terminal lacks %q:\n%s", want, s.Text())
		}
	}
	if strings.Contains(words, "goroutine") || strings.Contains(words, "of its own") {
		t.Errorf("the terminal shows the defect itself:\n%s", s.Text())
	}
	found, err := filepath.Glob(filepath.Join(p.dir, "cache", "triage", "panic-*.txt"))
	if err != nil || len(found) != 1 {
		t.Fatalf("reports %q, %v", found, err)
	}
	info, err := os.Stat(found[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	p.settled(t) // here it had been recorded
}

// A terminal that shows lines only gets lines: the line discipline stays as it is, no
// escape is written, and an act goes through its dialog as questions.
func TestADumbTerminal(t *testing.T) {
	for _, c := range []struct {
		name, env string
		args      []string
		why       string
	}{
		{"TERM=dumb", "TERM=dumb", nil, "TERM is dumb: this terminal shows lines of text only."},
		{"no TERM", "TERM=", nil, "TERM is not set, so nobody knows what this terminal can show."},
		{"--plain", "TERM=xterm", []string{"--plain"}, "triage, ledger "},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.receiver.answers()
			s := screentest.Command(t, 100, 60, p.command(t, []string{c.env}, c.args...))
			s.WaitFor(c.why)
			s.WaitFor("Verdict on " + key)
			if s.RawLine() {
				t.Error("the line is not as the shell left it")
			}
			s.Type("note\rasked billing\rwrite the note\r") // pasted: nothing but the dialog comes of it
			s.WaitFor("came too soon after the question, and was left out.")
			s.Type("esc\r")
			s.WaitFor("Note: cancelled, nothing was done.")
			s.Type("l\r")
			s.WaitFor("receipt " + receipt)
			s.Type("q\r")
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			restored(t, s)
			p.settled(t)
			if i := strings.IndexByte(string(s.Raw()), '\x1b'); i >= 0 {
				t.Errorf("an escape was written: %q", s.Raw()[i:min(i+20, len(s.Raw()))])
			}
		})
	}
}

// A tmux session that is killed while an answer is awaited loses nothing either.
func TestAKilledTmuxSession(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux")
	}
	p := newPlace(t)
	socket := filepath.Join(p.dir, "tmux")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), tmux, append([]string{"-S", socket, "-f", os.DevNull}, args...)...)
		cmd.Env = p.command(t, nil).Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	cmd := p.command(t, nil)
	run("new-session", "-d", "-x", "80", "-y", "24", "-s", "night", "'"+strings.Join(cmd.Args, "' '")+"'")
	eventually(t, "the queue in tmux", func() bool {
		return strings.Contains(run("capture-pane", "-p", "-t", "night"), "Nobody knows yet")
	})
	run("send-keys", "-t", "night", "l")
	<-p.receiver.asked
	run("kill-session", "-t", "night")
	p.receiver.answers()
	eventually(t, "the answer in the ledger", func() bool {
		db := p.open(t)
		defer func() { _ = db.Close() }()
		i, err := db.Get(t.Context(), key)
		return err == nil && i.State == ledger.Delivered
	})
	p.settled(t)
}

// eventually waits until something is so that no channel tells of.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	look, late := time.NewTicker(20*time.Millisecond), time.NewTimer(screentest.Patience)
	defer look.Stop()
	defer late.Stop()
	for !so() {
		select {
		case <-look.C:
		case <-late.C:
			t.Fatalf("waited %v for %s", screentest.Patience, what)
		}
	}
}
