package doctor

import (
	"context"
	"slices"
	"strings"

	"triage/actions/config"
	"triage/actions/verdict"
)

// mappedReceipt: what a lookup brings as a receipt, before it has brought any.
func (s subject) mappedReceipt(p *page) {
	if s.Lookup != nil && s.Promises.Receipt != verdict.KeyAsReceipt && s.Lookup.Means().Receipt == "" {
		p.gap(NeverSettled, "The receiver has receipts of its own (receipt: own), and no lookup brings one: receipt is not mapped.",
			"What is found by a lookup can't be marked delivered by it.", "Map receipt, or promise receipt: key where the receiver has none.")
	}
	if s.keyForReceipt() {
		p.gap(Loss, "The mapping receipt ("+s.Lookup.Means().Receipt+") gives back the key that was asked for, and the receiver has receipts of its own (receipt: own).",
			"An answer that only repeats the question settles the intent: what never arrived may count as delivered.", mapReceipt)
	}
}

// mapReceipt mends a mapping that brings no receipt of the receiver's.
const mapReceipt = "Map receipt to the id that the receiver itself gave, such as .body.id, or promise receipt: key where it has none."

// keyForReceipt says that the mapping receipt gives the key that was asked for, where the
// receiver is said to have receipts of its own. It is tried on answers that repeat the key
// and hold nothing else.
func (s subject) keyForReceipt() bool {
	if s.Lookup == nil || s.Promises.Receipt == verdict.KeyAsReceipt || s.Lookup.Means().Receipt == "" {
		return false
	}
	m := s.Lookup.Means()
	code, err := config.Compile(m.Receipt)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), evaluation)
	defer cancel()
	return slices.ContainsFunc(repeating(ctx, m.Key), func(answer map[string]any) bool {
		receipt, text := first(ctx, code, answer).(string)
		return text && strings.EqualFold(strings.TrimSpace(receipt), sampleKey)
	})
}

// sampleKey stands for the key that was asked for.
const sampleKey = "triage-doctor-sample"

// repeating are answers that repeat the key: in places of the usual names, and where the
// mapping key reads it, as far as that is a place.
func repeating(ctx context.Context, key string) []map[string]any {
	usual := map[string]any{
		"status": 200, "exit_code": 0, "columns": []any{"op_key"},
		"headers": map[string]any{"idempotency-key": sampleKey, "x-op-key": sampleKey},
		"body":    map[string]any{"op_key": sampleKey, "idempotency_key": sampleKey},
		"rows":    []any{map[string]any{"op_key": sampleKey}},
	}
	all := []map[string]any{usual}
	if key == "" {
		return all
	}
	code, err := config.Compile("(" + key + "\n) = \"" + sampleKey + "\"")
	if err != nil {
		return all
	}
	if placed, ok := first(ctx, code, usual).(map[string]any); ok {
		all = append(all, placed)
	}
	return all
}
