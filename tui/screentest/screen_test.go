package screentest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"triage/tui/screentest"
)

// echo prints what is typed, in red, until a q or ctrl+c comes.
func echo(in io.Reader, out io.Writer, width, height int) error {
	fmt.Fprintf(out, "%dx%d\r\n\x1b[1;31m", width, height)
	keys := bufio.NewReader(in)
	for {
		r, _, err := keys.ReadRune()
		switch {
		case err != nil:
			return err
		case r == 'q':
			return errors.New("left")
		case r == 3:
			return nil
		case r == '\x1b':
			r = '^'
		}
		fmt.Fprint(out, string(r))
	}
}

func TestScreen(t *testing.T) {
	s := screentest.Start(t, 20, 3, echo)
	s.WaitFor("20x3")
	s.Type("héé 周 ")
	s.WaitFor("héé 周")
	s.Paste("p")
	s.WaitFor("^[200~p^[201~")
	cells := s.Cells()
	if len(cells) != 3 || len(cells[0]) != 20 {
		t.Errorf("%d rows of %d cells", len(cells), len(cells[0]))
	}
	if c := cells[1][4]; c.Content != "周" || c.Width != 2 || c.Style.Fg == nil {
		t.Errorf("the cell is %+v", c)
	}
	svg := s.SVG("a < b")
	for _, want := range []string{"<title>a &lt; b</title>", ">20x3<", `fill="#e06c6c" font-weight="bold">héé<`, `textLength="16.8"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s:\n%s", want, svg)
		}
	}
	s.Press("q")
	if err := s.Ended(); err == nil || err.Error() != "left" {
		t.Errorf("ended with %v", err)
	}
}
