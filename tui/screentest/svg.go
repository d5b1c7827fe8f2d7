package screentest

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Measures of the picture, in SVG user units.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	fontSize   = 14.0
	frame      = 12.0
)

var (
	paper = color.RGBA{0x16, 0x18, 0x1d, 0xff}
	ink   = color.RGBA{0xd8, 0xda, 0xde, 0xff}
)

// sixteen are the colours by which a terminal's own palette is drawn.
var sixteen = []string{
	"#1d1f26", "#e06c6c", "#8fc379", "#d9b45f", "#6fa8dc", "#c58fd6", "#67b7c2", "#c5c8c6",
	"#7d828c", "#ff8785", "#a9dc8c", "#f0cf7a", "#8cc4ff", "#dcaaf0", "#85d7e2", "#ffffff",
}

// SVG draws the screen as it is, cell by cell, in a monospaced font, with its
// colours. title is the picture's text for readers who do not see it.
func (s *Screen) SVG(title string) string {
	cells := s.Cells()
	width := float64(len(cells[0]))*cellWidth + 2*frame
	height := float64(len(cells))*cellHeight + 2*frame
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f" role="img" aria-label="%s">`,
		width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(&out, "\n<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", html.EscapeString(title), hex(paper))
	fmt.Fprintf(&out, "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"%.0f\">\n", fontSize)
	for y, row := range cells {
		drawRow(&out, y, row)
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// drawRow draws runs of cells that look alike, each pinned to its column and
// stretched to its width, so that no font shifts what stands after it.
func drawRow(out *strings.Builder, y int, row []uv.Cell) {
	for from := 0; from < len(row); {
		to := from + 1
		for to < len(row) && row[to].Style.Equal(&row[from].Style) {
			to++
		}
		drawRun(out, from, y, row[from:to])
		from = to
	}
}

func drawRun(out *strings.Builder, x, y int, run []uv.Cell) {
	style := run[0].Style
	fg, bg := colour(style.Fg, hex(ink)), colour(style.Bg, "")
	if style.Attrs&uv.AttrReverse != 0 {
		fg, bg = orElse(bg, hex(paper)), fg
	}
	if bg != "" {
		fmt.Fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
			left(x), top(y), float64(len(run))*cellWidth, cellHeight, bg)
	}
	weight := ""
	if style.Attrs&uv.AttrBold != 0 {
		weight = ` font-weight="bold"`
	}
	// Word by word: SVG viewers make several spaces one.
	for from := 0; from < len(run); {
		to, word := from, ""
		for to < len(run) && run[to].Content != " " {
			word += run[to].Content
			to++
		}
		if word != "" {
			fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\" fill=\"%s\"%s>%s</text>\n",
				left(x+from), top(y)+cellHeight*0.75, float64(to-from)*cellWidth, fg, weight, html.EscapeString(word))
		}
		from = to + 1
	}
}

func left(x int) float64 { return frame + float64(x)*cellWidth }
func top(y int) float64  { return frame + float64(y)*cellHeight }

func colour(c color.Color, none string) string {
	switch c := c.(type) {
	case nil:
		return none
	case ansi.BasicColor:
		return sixteen[c%16]
	}
	return hex(c)
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
