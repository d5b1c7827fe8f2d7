package doctor

import (
	"regexp"
	"slices"
	"strings"

	"triage/actions/verdict"
	"triage/actions/wording"
	"triage/ledger"
)

// receiptOrCheckpoint is question 6.
func receiptOrCheckpoint(p *page, s subject) {
	s.mappedReceipt(p)
	if s.unlooked(p) {
		return
	}
	var own, local, brought, other, bare hits
	delivered := 0
	holders := map[string]string{}
	for _, h := range s.intents {
		i := h.Intent
		for _, a := range h.Attempts {
			if a.Outcome == ledger.OutcomeDelivered && a.Receipt == "" {
				bare.add(i.OpKey)
			}
		}
		if i.State != ledger.Delivered {
			continue
		}
		delivered++
		switch isOwn, isLocal := ownName(h), localName.MatchString(strings.TrimSpace(i.Receipt)); {
		case s.Promises.Receipt == verdict.KeyAsReceipt:
		case (isOwn || isLocal) && i.SettledBy == ledger.ByLookup:
			brought.add(i.OpKey)
		case isOwn:
			own.add(i.OpKey)
		case isLocal:
			local.add(i.OpKey)
		}
		if holder, taken := holders[i.Receipt]; taken {
			other.add(i.OpKey + " (as " + holder + ")")
		}
		holders[i.Receipt] = i.OpKey
	}
	const means = "What the sender made itself proves nothing about the receiver: what never arrived counts as delivered, a loss that nobody looks for."
	const do = "Let the sender write the id from the receiver's own answer, and nothing else; dispute the receipts that are wrong."
	if len(own) > 0 {
		p.gap(Loss, "Receipts repeat what the sender knew before: the key, the payload hash, an attempt's id, the task or the principal: "+own.String()+".", means, do)
	}
	if len(local) > 0 {
		p.gap(Loss, "Receipts look like checkpoints, files or a plain yes: "+local.String()+".", means, do)
	}
	if len(brought) > 0 {
		p.gap(Loss, "Lookups brought receipts that repeat what was known before, or look like checkpoints, files or a plain yes: "+brought.String()+".",
			"The mapping receipt, not the sender, took them from the answer. They prove nothing about the receiver: what never arrived may count as delivered.", mapReceipt)
	}
	if len(other) > 0 {
		p.gap(Loss, "One receipt stands for several intents: "+other.String()+".", "At most one of them has it from the receiver; the others may not have arrived.", do)
	}
	if len(bare) > 0 {
		p.gap(NeverSettled, "Attempts are recorded as delivered without a receipt: "+bare.String()+".", "They stay in doubt until a lookup finds them.", "Let the sender keep the receiver's id.")
	}
	switch {
	case delivered == 0:
		p.ask("Nothing among what was looked at was delivered, so there is no receipt to judge.", "")
	case len(own)+len(local)+len(brought)+len(other) == 0:
		p.ok(wording.Count(delivered, "receipt", "receipts") + " looked at: none repeats what the sender knew before, and none stands twice.")
	}
}

// ownName says that an intent's receipt is a name that its sender already had.
func ownName(h ledger.History) bool {
	i := h.Intent
	names := []string{i.OpKey, i.PayloadSHA256, i.Task, i.Principal, i.Target, i.PayloadRef, i.GrantID}
	for _, a := range h.Attempts {
		names = append(names, a.AttemptID)
	}
	receipt := strings.TrimSpace(i.Receipt)
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.EqualFold(name, receipt) })
}

// localName is what looks like a checkpoint, a place on the sender's machine, or no id at
// all.
var localName = regexp.MustCompile(`(?i)^(ok|okay|yes|true|done|success|succeeded|sent|delivered|accepted|null|nil|none|undefined|n/?a|unknown|[1-5]\d\d)$` +
	`|^(checkpoint|ckpt|chkpt|state|step|thread|run|node|snapshot|journal)[-_:/#.]` +
	`|^(file:|/|\./|~/|[a-z]:\\)|^(localhost|127\.0\.0\.1)\b|\.(json|ckpt|pkl|db|sqlite|log)$`)
