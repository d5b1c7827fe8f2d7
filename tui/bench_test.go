package tui

import (
	"testing"
)

// BenchmarkStep is one key down the queue, with its view, on two sizes.
func BenchmarkStep(b *testing.B) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"200x60", 200, 60}} {
		b.Run(size.name, func(b *testing.B) {
			d := drive(b, crowd(200), size.width, size.height)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				d.press(map[bool]string{true: "j", false: "k"}[i/150%2 == 0])
				_ = d.m.View()
			}
		})
	}
}
