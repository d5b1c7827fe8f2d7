package wording

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ellipsis shows that something was cut off, in one cell.
func ellipsis() string {
	if ASCII() {
		return "~"
	}
	return "…"
}

// Width is the number of terminal cells that s may take. Where terminals
// disagree (some measure whole characters as a reader sees them, some the code
// points that they are made of), it is the larger number.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	cells := 0
	for len(s) > 0 {
		cluster, width := firstCluster(s)
		cells += width
		s = s[len(cluster):]
	}
	return cells
}

// firstCluster is the first character of s as a reader sees it, and its cells.
func firstCluster(s string) (string, int) {
	cluster, narrow := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	_, wide := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
	return cluster, max(narrow, wide)
}

// Fit cuts s to at most cells, never inside a character as a reader sees it. What
// was cut ends with an ellipsis. The text must be safe already.
func Fit(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	if cells < 1 {
		return ""
	}
	return head(s, cells-1) + ellipsis()
}

// FitMiddle is Fit for identifiers, whose beginning and end both tell them apart:
// it cuts in the middle.
func FitMiddle(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	if cells < 5 {
		return Fit(s, cells)
	}
	right := (cells - 1) / 2
	return head(s, cells-1-right) + ellipsis() + Tail(s, right)
}

// Pad is Fit followed by as many spaces as make it exactly cells wide.
func Pad(s string, cells int) string {
	s = Fit(s, cells)
	return s + strings.Repeat(" ", max(0, cells-Width(s)))
}

// head is the longest beginning of s that takes at most cells.
func head(s string, cells int) string {
	end := 0
	for end < len(s) {
		cluster, width := firstCluster(s[end:])
		if cells -= width; cells < 0 {
			break
		}
		end += len(cluster)
	}
	return s[:end]
}

// Tail is the longest end of s that takes at most cells.
func Tail(s string, cells int) string {
	total := Width(s)
	for total > cells {
		cluster, width := firstCluster(s)
		total -= width
		s = s[len(cluster):]
	}
	return s
}

// Wrap breaks s into lines of at most cells, at spaces where there are any, else
// between characters. The text must be safe already; line ends in it are kept.
// There is always at least one line.
func Wrap(s string, cells int) []string {
	var lines []string
	for _, paragraph := range strings.Split(s, "\n") {
		lines = append(lines, wrapLine(paragraph, max(1, cells))...)
	}
	return lines
}

func wrapLine(s string, cells int) []string {
	var lines []string
	line, width := "", 0
	for _, word := range strings.Split(s, " ") {
		w := Width(word)
		if line != "" && width+1+w > cells {
			lines = append(lines, line)
			line, width = "", 0
		}
		for w > cells { // a key or a hash that fits on no line
			part := head(word, cells)
			if part == "" {
				part, _ = firstCluster(word)
			}
			lines = append(lines, part)
			word = word[len(part):]
			w -= Width(part)
		}
		if line == "" {
			line, width = word, w
			continue
		}
		line, width = line+" "+word, width+1+w
	}
	return append(lines, line)
}
