package worlds

import "math/rand/v2"

// dice are a world's only source of chance.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, 0x7472696167653a31))} //nolint:gosec // worlds must be drawn again from their seed
}

// chance is true in so many of a hundred cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// upTo is 0 to n, both included; one time in four one of the two ends, because that
// is where rules break.
func (d dice) upTo(n int64) int64 {
	if n <= 0 {
		return 0
	}
	switch d.IntN(8) {
	case 0:
		return 0
	case 1:
		return n
	}
	return d.Int64N(n + 1)
}

// between is upTo with another start.
func (d dice) between(from, to int64) int64 { return from + d.upTo(to-from) }

// WorldSeed is the seed of world i of a run. World 0 is that of the run's own seed, so
// that a printed seed replays its world.
func WorldSeed(run uint64, i int) uint64 {
	if i == 0 {
		return run
	}
	x := run + uint64(i)*0x9e3779b97f4a7c15 //nolint:gosec // SplitMix64, Steele and others 2014; i is no less than 0
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) >> 11 // 53 bits, so that every JSON reader keeps it
}
