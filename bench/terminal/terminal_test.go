package terminal_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"triage/bench/terminal"
)

// What is measured is right: a program that answers each key after 30 ms in two parts
// is seen to do so, however busy the machine is.
func TestTerminal(t *testing.T) {
	const program = `stty raw -echo
printf '\033[2J\033[3;5HY\033[3;1HREAD'
n=0
while k=$(dd bs=1 count=1 2>/dev/null); do
  case $k in
    q) exit;;
    s) printf '\033[0m'; continue;;
    h) printf '\033[1;1Hcount'; continue;;
  esac
  n=$((n+1)); printf '\033[5;1H%d' $n; sleep 0.03; printf '\033[6;1Hx%d' $n
done`
	term, err := terminal.Start(context.Background(), 40, 10, nil, "sh", "-c", program)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close("q")
	first, err := term.Until("the word", time.Minute, func(screen string) bool { return strings.Contains(screen, "\nREADY\n") })
	if err != nil || first <= 0 {
		t.Fatalf("%v, %v", first, err)
	}
	p, err := term.Press("j", 2, func(screen string) bool { return strings.Contains(screen, "\nx1\n") })
	if err != nil || !p.Changed || !p.Done || p.Settled < 30*time.Millisecond || p.Bytes != len("\x1b[5;1H1\x1b[6;1Hx1") {
		t.Errorf("a key in two parts: %+v, %v", p, err)
	}
	if text := term.Text(); !strings.Contains(text, "\n1\nx1\n") {
		t.Errorf("the screen:\n%s", text)
	}
	for key, what := range map[string]string{"s": "a colour without a text", "h": "the header"} {
		if p, err = term.Press(key, 2, nil); err != nil || p.Changed || p.Bytes == 0 {
			t.Errorf("%s: %+v, %v", what, p, err)
		}
	}
	if _, err := term.Until("nothing", time.Millisecond, func(string) bool { return false }); err == nil {
		t.Error("what never came was seen")
	}
	if _, err = term.Press("q", 0, nil); !errors.Is(err, terminal.ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
}
