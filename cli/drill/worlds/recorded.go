package worlds

import (
	_ "embed"
	"encoding/json"
)

// recordedJSON names, for each row of the second table, one world that comes to harm.
//
//go:embed recorded.json
var recordedJSON []byte

// recorded is the seed of the recorded world of a row; 0 if it has none.
func recorded(row string) uint64 {
	seeds := map[string]uint64{}
	if err := json.Unmarshal(recordedJSON, &seeds); err != nil {
		return 0 // a test reads the same file
	}
	return seeds[row]
}

// harmful says that a world comes to harm with a twist, and to none without.
func harmful(seed uint64, x *twist) bool {
	j := once(seed, letter{}, x)
	return j.harm()+j.Unwritten > 0 && once(seed, letter{}, x.control()).harm() == 0
}
