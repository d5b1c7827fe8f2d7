package config

import (
	"fmt"
	"maps"
	"slices"
)

// Warnings tells, target by target, what the configuration can never come to: a
// receiver that is asked, and whose "not found" can nevertheless never prove that
// something is not there (design §5). They are no errors; the start and doctor
// show them, so that nobody waits for a proof that can't come.
func (c *Config) Warnings() []string {
	if c == nil {
		return nil
	}
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(c.Targets)) {
		t := c.Targets[name]
		if t.Lookup == nil {
			continue
		}
		if t.Lookup.Means().NotFound == "" {
			warnings = append(warnings, fmt.Sprintf("%s: no lookup can ever prove an absence here: not_found is not mapped.", name))
			continue
		}
		if t.Lookup.File != nil && !t.Lookup.File.Complete {
			warnings = append(warnings, fmt.Sprintf("%s: no lookup can ever prove an absence here: the export isn't stated to be complete.", name))
			continue
		}
		switch ok, why := t.Terms().CanProveAbsence(); {
		case !ok:
			warnings = append(warnings, fmt.Sprintf("%s: no lookup can ever prove an absence here: %s.", name, why))
		case why != "":
			warnings = append(warnings, fmt.Sprintf("%s: %s.", name, why))
		}
	}
	return warnings
}
