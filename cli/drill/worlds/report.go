package worlds

import "slices"

// Report is what a run came to, and its JSON.
type Report struct {
	Worlds        int         `json:"worlds"` // with each robot
	Asked         int         `json:"worlds_asked"`
	Seed          uint64      `json:"seed"`
	Robots        []RobotRow  `json:"robots"`
	LedgerShare   LedgerShare `json:"ledger_share"`
	LeftOut       []TwistRow  `json:"left_out"`
	FalsePromises []TwistRow  `json:"false_promises"`
	FailingSeeds  []uint64    `json:"failing_seeds"` // of (c) with true promises; at most 20
	Stopped       bool        `json:"stopped"`       // interrupted before everything was played
}

// RobotRow is what one robot did to its worlds.
type RobotRow struct {
	Name            string  `json:"name"`
	What            string  `json:"what"`
	Worlds          int     `json:"worlds"`
	Deliveries      int     `json:"deliveries"`
	Duplicates      int     `json:"duplicates"`
	Losses          int     `json:"losses"`
	FailedDelivered int     `json:"failed_over_effect"`
	FalseProofs     int     `json:"false_proofs"` // a verdict said what was not so, whatever came of it
	Incidents       int     `json:"incidents"`
	InDoubt         int     `json:"in_doubt"`
	CouldSettle     int     `json:"could_settle"`
	SettledShare    float64 `json:"settled_share"` // of what evidence can settle
	Settle          Settle  `json:"time_to_settle_ms"`
}

// Settle is the time from begin to a final record, in worlds of human lengths.
type Settle struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
}

// LedgerShare is what came of the worlds that went through the real ledger and the real
// actions as well.
type LedgerShare struct {
	Worlds          int      `json:"worlds"`
	Duplicates      int      `json:"duplicates"`
	Losses          int      `json:"losses"`
	FailedDelivered int      `json:"failed_over_effect"`
	FalseProofs     int      `json:"false_proofs"`
	Differing       []uint64 `json:"differing_seeds"` // came out otherwise than in memory
	Error           string   `json:"error,omitempty"`
}

// TwistRow is what robot (c) comes to when one thing is not as it should be.
type TwistRow struct {
	Name            string `json:"name"`
	What            string `json:"what"`
	Worlds          int    `json:"worlds"`
	Duplicates      int    `json:"duplicates"`
	Losses          int    `json:"losses"`
	FailedDelivered int    `json:"failed_over_effect"`
	FalseProofs     int    `json:"false_proofs"`
	NeedlessDoubt   int    `json:"needless_doubt"`         // a receipt was there, and nobody wrote it
	Control         int    `json:"control_harm"`           // harm in the same worlds without it
	ControlSeed     uint64 `json:"control_seed,omitempty"` // of the first of them
	ControlLies     bool   `json:"control_lies,omitempty"` // a promise is false in the control as well: its harm is no failure
	Harmful         bool   `json:"harmful"`
	Recorded        uint64 `json:"recorded_seed,omitempty"` // these worlds showed no harm, and the recorded one of this seed does
	Seed            uint64 `json:"seed"`                    // of the first world that came to harm; 0: none
}

// leastSettled is the share of what evidence can settle that the verdict has to settle.
const leastSettled = 0.99

// enoughIncidents are needed before a share says anything.
const enoughIncidents = 2000

// Harm says that robot (c) did harm although every promise held, in the worlds of the
// first table or in a control of the second, or that a row shows none and so tests nothing.
func (r Report) Harm() bool {
	for _, row := range r.Robots {
		if row.Name == "c" && (row.Duplicates+row.Losses+row.FailedDelivered+row.FalseProofs > 0 || row.tooCareful()) {
			return true
		}
	}
	for _, row := range slices.Concat(r.LeftOut, r.FalsePromises) {
		if row.Control > 0 && !row.ControlLies || !row.Harmful && !r.Stopped {
			return true
		}
	}
	s := r.LedgerShare
	return s.Duplicates+s.Losses+s.FailedDelivered+s.FalseProofs > 0 || len(s.Differing) > 0 || s.Error != ""
}

// tooCareful: it leaves too much in doubt that evidence could have settled.
func (r RobotRow) tooCareful() bool {
	return r.Incidents >= enoughIncidents && r.SettledShare < leastSettled
}

func robotRow(name, what string, t tally) RobotRow {
	row := RobotRow{Name: name, What: what, Worlds: t.Worlds, Deliveries: t.Lines, Duplicates: t.Duplicates, Losses: t.losses(), FailedDelivered: t.OverEffect, FalseProofs: t.FalseProofs,
		Incidents: t.Incidents, InDoubt: t.InDoubt, CouldSettle: t.CouldSettle, SettledShare: 1}
	if settled := t.Incidents - t.InDoubt; settled+t.CouldSettle > 0 {
		row.SettledShare = float64(settled) / float64(settled+t.CouldSettle)
	}
	row.Settle = Settle{P50: t.percentile(50), P95: t.percentile(95)}
	return row
}

// percentile of the times to settle, which are sorted; 0 where nothing was settled.
func (t *tally) percentile(p int) int64 {
	if len(t.SettledAfter) == 0 {
		return 0
	}
	return t.SettledAfter[(len(t.SettledAfter)-1)*p/100]
}
