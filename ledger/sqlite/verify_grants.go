package sqlite

import "database/sql"

// grantEvent is an event of a grant, with the id as SQLite spells it.
type grantEvent struct {
	told
	grant string
}

func scanGrantEvent(rows *sql.Rows) (e grantEvent, err error) {
	err = rows.Scan(&e.Seq, (*int64)(&e.At), &e.Kind, &e.Actor, &e.Detail, &e.grant)
	return e, err
}

const grantAsJSON = `json_object('grant_id', grant_id, 'principal', principal, 'target', target, 'payload_sha256', payload_sha256,
  'granted_by', granted_by, 'granted_at', granted_at, 'expires_at', expires_at, 'revoked_at', revoked_at, 'seq', seq)`

// grants replays the journal of every grant and compares where that leads with the
// row.
func (v *verifier) grants() error {
	events, err := openStream(v, "", `SELECT seq, at, kind, actor, detail, CASE WHEN json_valid(detail) THEN coalesce(json_extract(detail, '$.grant_id[1]'), '') ELSE '' END
FROM events WHERE op_key IS NULL ORDER BY 6, seq`, scanGrantEvent, func(e grantEvent) string { return e.grant })
	if err != nil {
		return err
	}
	defer events.close()
	gone := func(before string, all bool) error {
		for events.more && (all || events.head.grant < before) {
			v.wrong(checkJournal, "", "event %d (%s) tells of grant %s, which is gone", events.head.Seq, events.head.Kind, shown(events.head.grant))
			if err := events.next(); err != nil {
				return err
			}
		}
		return nil
	}
	err = each(v, scanPair, `SELECT grant_id, `+grantAsJSON+` FROM grants ORDER BY grant_id`, func(pair [2]string) error {
		if err := gone(pair[0], false); err != nil {
			return err
		}
		of, err := events.take(v, pair[0])
		if err != nil {
			return err
		}
		row, err := readRow(pair[1])
		if err != nil {
			return err
		}
		v.replayGrant(pair[0], row, of)
		return nil
	})
	if err != nil {
		return err
	}
	return gone("", true)
}

func (v *verifier) replayGrant(id string, row values, events []grantEvent) {
	is := values{}
	for i, e := range events {
		d, err := e.read()
		if err != nil || (e.Kind == "granted") != (i == 0) {
			v.wrong(checkJournal, "", "event %d (%s) is where the journal of grant %s can't have it", e.Seq, e.Kind, shown(id))
		}
		for name, pair := range d.pairs {
			if i > 0 && pair[0] != is[name] {
				v.wrong(checkJournal, "", "event %d changed %s of grant %s from %s, and it was %s", e.Seq, name, shown(id), shown(pair[0]), shown(is[name]))
			}
			is[name] = pair[1]
		}
		is["seq"] = asNumber(e.Seq)
		if is["granted_by"] != asText(e.Actor) {
			v.wrong(checkJournal, "", "event %d (%s) names %s for who did it, where %s gave grant %s", e.Seq, e.Kind, shown(e.Actor), shown(is["granted_by"]), shown(id))
		}
	}
	for name, have := range row {
		if have != is[name] {
			v.wrong(checkJournal, "", "%s of grant %s is %s, and the journal leads to %s: the row was changed past its triggers", name, shown(id), shown(have), shown(is[name]))
		}
	}
}
