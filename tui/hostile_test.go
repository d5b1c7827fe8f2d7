package tui

import (
	"reflect"

	"triage/actions"
	"triage/actions/verdict"
)

// hostileItem is the common case with the same bad text in every field of every
// record, wherever text can stand.
func hostileItem(bad string) actions.Item {
	item := contradicted()
	item.Grant, item.Claim = lost().Grant, claimed().Claim
	item.Events = lost().Events
	item.Twins = []string{""}
	item.Target = inbox
	poison(reflect.ValueOf(&item).Elem(), bad)
	item.ReceiptHolders = map[string]string{bad: bad}
	item.Intent.State = contradicted().Intent.State
	item.Verdict.Kind, item.Verdict.Safe = verdict.NeverLookedUp, lost().Verdict.Safe
	item.Verdict.ByHand, item.Verdict.AtRisk = lost().Verdict.ByHand, lost().Verdict.AtRisk
	item.LookupOff = ""
	return item
}

func poison(v reflect.Value, bad string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(bad)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i), bad)
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), bad)
		}
	case reflect.Pointer:
		if !v.IsNil() && v.CanSet() {
			copied := reflect.New(v.Type().Elem())
			copied.Elem().Set(v.Elem())
			poison(copied.Elem(), bad)
			v.Set(copied)
		}
	}
}

// hostilePermission is a recheck with the same bad text in every place.
func hostilePermission(bad string) actions.Permission {
	allow := scene().allow
	for i := range allow.Checks {
		allow.Checks[i].Found = bad
	}
	return allow
}
