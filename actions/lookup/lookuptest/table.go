package lookuptest

import (
	"fmt"
	"slices"
	"strings"

	"triage/actions/config"
	"triage/ledger"
)

// record is what a receiver tells about the delivery, as JSON. receipt is JSON too.
func record(key, receipt, hash string) string {
	return fmt.Sprintf(`{"op_key":%q,"outcome":"found","receipt":%s,"payload_sha256":%q,"owner":%q}`, key, receipt, hash, Owner)
}

const miss = `{"op_key":"` + Key + `","outcome":"not_found"}`

// Troubles are all of them. Each call makes the table anew; receivers are made only
// when a Setup is called.
func Troubles() []Trouble {
	all := slices.Concat(unreachable(), unreadable(), misleadingExports(), aboutSomethingElse(), unkeepable(), contradictory(), unbelieved())
	for i := range all {
		if all[i].Want == "" {
			all[i].Want = ledger.LookupFailed
		}
	}
	return all
}

type (
	targets = map[string]Setup
	causes  = map[string]string
)

// unreachable: nobody answers, or nobody who may.
func unreachable() []Trouble {
	return []Trouble{
		{Name: "silence", Targets: targets{
			HTTP: hurried(overHTTP(silent)), Exec: hurried(program("sleep 600")), SQL: hurried(locked), Postgres: hurried(overPostgres(silent)),
		}, Causes: causes{HTTP: "timeout", Exec: "timeout", SQL: "timeout", Postgres: "timeout"}},
		{Name: "work without end", Targets: targets{
			HTTP: hurried(overHTTP(begins("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"))),
			Exec: hurried(program("trap '' TERM; while :; do :; done")),
			SQL:  hurried(database("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS receipt, :op_key AS op_key FROM c")),
		}, Causes: causes{HTTP: "timeout", Exec: "timeout", SQL: "timeout"}},
		{Name: "a helper that never lets go", Targets: targets{
			Exec: hurried(program("printf '%s\\n' '" + miss + "'; sleep 600 & exit 0")),
		}, Causes: causes{Exec: "timeout"}},
		{Name: "gone", Targets: targets{
			HTTP: func(t tb) target { return httpTarget("http://" + nobody(t)) }, Exec: noProgram, SQL: noDatabase,
			Postgres: func(t tb) target { return postgresTarget(nobody(t)) }, File: noExport,
		}, Causes: causes{HTTP: "connection_refused", Exec: "not_started", SQL: "unreadable", Postgres: "connection_refused", File: "unreadable"}},
		{Name: "something else in its place", Targets: targets{
			HTTP: overHTTP(says("220 mail.example ESMTP\r\n")), Exec: notRunnable, SQL: fileInstead(strings.Repeat("not a database\n", 100)),
			Postgres: overPostgres(says("HTTP/1.1 400 Bad Request\r\n\r\n")), File: directoryInstead,
		}, Causes: causes{HTTP: "malformed", Exec: "not_started", SQL: "unreadable", Postgres: "connection", File: "unreadable"}},
		{Name: "the connection breaks", Targets: targets{
			HTTP: overHTTP(resets), Postgres: overPostgres(resets), Exec: program("kill -9 $$"),
		}, Causes: causes{HTTP: "connection_reset|connection_closed", Postgres: "connection_reset|connection_closed", Exec: "killed"}},
		{Name: "killed after it answered", Targets: targets{
			Exec: program("printf '%s\\n' '" + miss + "'; kill -9 $$"),
		}, Causes: causes{Exec: "killed"}},
		{Name: "not allowed", Targets: targets{
			HTTP: overHTTP(answers(403, miss)), Exec: program("echo 'not allowed' >&2; exit 77"), Postgres: overPostgres(says(postgresError("28P01", "password authentication failed"))),
		}, Causes: causes{HTTP: "http_403", Exec: "exit_77", Postgres: "access_denied"}},
		{Name: "not found, and other credentials are asked for", Targets: targets{
			HTTP: overHTTP(answers(404, miss, `WWW-Authenticate: Bearer error="invalid_token"`)),
		}, Causes: causes{HTTP: "access_denied"}},
		{Name: "out of order, and says not found all the same", Targets: targets{
			HTTP: overHTTP(answers(500, miss)), Exec: program("printf '%s\\n' '" + miss + "'; exit 3"), SQL: database("SELECT op_key, receipt FROM sent WHERE op_key = :op_key"),
			Postgres: overPostgres(says(postgresError("57P03", "the database system is starting up"))),
		}, Causes: causes{HTTP: "http_500", Exec: "exit_3", SQL: "sql_error", Postgres: "sql_error"}},
		{Name: "sent elsewhere", Targets: targets{
			HTTP: overHTTP(answers(302, miss, "Location: http://elsewhere.invalid/")),
		}, Causes: causes{HTTP: "redirect"}},
		{Name: "asked too often", Targets: targets{HTTP: overHTTP(answers(429, miss, "Retry-After: 60"))}, Causes: causes{HTTP: "http_429"}},
	}
}

// unreadable: what comes is not an answer, or not a whole one.
func unreadable() []Trouble {
	cut := `{"op_key":"` + Key + `","outcome":"not_fou`
	return []Trouble{
		{Name: "nothing at all", Targets: targets{
			HTTP: overHTTP(answers(200, "")), Exec: program("exit 0"), SQL: fileInstead(""), Postgres: overPostgres(says("")), File: export(config.CSV, ""),
		}, Causes: causes{HTTP: "empty_body", Exec: "empty_body", SQL: "unreadable", Postgres: "connection_closed|connection_reset", File: "malformed"}},
		{Name: "an export that lists nothing and names no columns", Targets: targets{File: jsonl("")}, Causes: causes{File: "malformed"}},
		{Name: "a page for people", Targets: targets{
			HTTP: overHTTP(page(404, "text/html", "<html>not found</html>")), Exec: prints("No such delivery."), SQL: fileInstead("<html>" + strings.Repeat("not found ", 100) + "</html>\n"),
			File: export(config.CSV, "<html>\n<p>not found</p>\n</html>\n"),
		}, Causes: causes{HTTP: "not_json", Exec: "malformed", SQL: "unreadable", File: "malformed"}},
		{Name: "one line of text", Targets: targets{
			HTTP: overHTTP(answers(404, "Error 500: export failed\n")), Exec: prints("Error 500: export failed"), File: export(config.CSV, "Error 500: export failed\n"),
		}, Causes: causes{HTTP: "malformed", Exec: "malformed", File: "malformed"}},
		{Name: "a body that was announced and never came", Targets: targets{
			HTTP: overHTTP(says("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")),
		}, Causes: causes{HTTP: "empty_body"}},
		{Name: "cut off", Targets: targets{
			HTTP: overHTTP(says("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n" + miss)), Exec: program("printf '%s' '" + cut + "'"),
			SQL: cutDatabase, File: csv(line("weekly-41", "r-1", Hash) + "weekly-4"), Postgres: overPostgres(says("R\x00\x00\x00\x08")),
		}, Causes: causes{HTTP: "truncated", Exec: "truncated", SQL: "unreadable|sql_error", File: "malformed", Postgres: "connection_closed|connection_reset"}},
		{Name: "cut off between two lines", Targets: targets{File: export(config.CSV, header+`weekly-41,"r-1`)}, Causes: causes{File: "malformed"}},
		{Name: "too large", Targets: targets{
			HTTP: overHTTP(floods("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n[", strings.Repeat("1,", 5000))),
			Exec: program("exec yes '" + miss + "'"),
			SQL:  database("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) SELECT :op_key AS op_key, x AS receipt FROM c"),
			File: hugeExport,
		}, Causes: causes{HTTP: "too_large", Exec: "too_large", SQL: "too_large", File: "too_large"}},
		{Name: "one value that is too large", Targets: targets{
			SQL: database("SELECT :op_key AS op_key, hex(zeroblob(2000000)) AS receipt"),
		}, Causes: causes{SQL: "too_large"}},
		{Name: "two answers", Targets: targets{
			HTTP: overHTTP(answers(404, miss+miss)), Exec: prints(miss + miss), File: jsonl(record("weekly-41", `"r-1"`, Hash) + record("weekly-43", `"r-2"`, Hash) + "\n"),
		}, Causes: causes{HTTP: "malformed", Exec: "malformed", File: "malformed"}},
		{Name: "an answer and chatter", Targets: targets{
			HTTP: overHTTP(answers(404, miss+"done.")), Exec: prints(miss + " done."), File: csv("exported by cron\n"),
		}, Causes: causes{HTTP: "malformed", Exec: "malformed", File: "malformed"}},
		{Name: "not UTF-8", Targets: targets{
			HTTP: overHTTP(answers(404, "{\"x\":\"\xff\"}")), Exec: prints("{\"op_key\":\"" + Key + "\",\"outcome\":\"not_found\",\"x\":\"\xff\"}"),
			SQL: database(theQuery, "INSERT INTO deliveries VALUES ('"+Key+"', CAST(x'ff41' AS TEXT), '"+Hash+"', '"+Owner+"', 'sent')"), File: csv(line("weekly-41", "\xff", Hash)),
		}, Causes: causes{HTTP: "malformed", Exec: "malformed", SQL: "malformed", File: "malformed"}},
		{Name: "one name twice", Targets: targets{
			HTTP: overHTTP(answers(404, `{"op_key":"other","op_key":"`+Key+`"}`)), Exec: prints(`{"op_key":"` + Key + `","outcome":"found","outcome":"not_found"}`),
			SQL: database("SELECT 'other' AS op_key, op_key FROM deliveries WHERE op_key = :op_key", row(Key, "'r'", Hash)), File: export(config.CSV, "op_key,op_key,receipt\nother,"+Key+",r-1\n"),
		}, Causes: causes{HTTP: "malformed", Exec: "malformed", SQL: "malformed", File: "malformed"}},
		{Name: "a ragged line", Targets: targets{File: csv(line("weekly-41", "r-1", Hash) + "weekly-43,r-2\n")}, Causes: causes{File: "malformed"}},
		{Name: "a byte order mark", Targets: targets{
			HTTP: overHTTP(answers(404, "\ufeff"+miss)), Exec: prints("\ufeff" + miss), File: export(config.CSV, "\ufeff"+header),
		}, Causes: causes{HTTP: "malformed", Exec: "malformed", File: "malformed"}},
		{Name: "NUL", Targets: targets{Exec: program("printf '%s\\000\\n' '" + miss + "'"), File: csv(line("weekly-41", "r\x00", Hash))}, Causes: causes{Exec: "malformed", File: "malformed"}},
		{Name: "an empty line among the rows", Targets: targets{File: csv(line("weekly-41", "r-1", Hash) + "\n" + line("weekly-43", "r-1", Hash))}, Causes: causes{File: "malformed"}},
		{Name: "rows without a key", Targets: targets{
			SQL: database("SELECT count(*) AS n FROM deliveries WHERE op_key = :op_key"), File: csv(line("", "r-1", Hash)),
		}, Causes: causes{SQL: "mapping_error", File: "malformed"}},
		{Name: "further pages", Targets: targets{
			HTTP: changed(overHTTP(answers(404, `{"op_key":"`+Key+`","next":"http://elsewhere.invalid/2"}`)), func(t *target) { t.Lookup.HTTP.Next = ".body.next" }),
		}, Causes: causes{HTTP: "pages_unread|pages|pages_loop"}},
		{Name: "pages that move while they are read", Targets: targets{HTTP: moving}, Causes: causes{HTTP: "changed"}},
		{Name: "only half of it was copied", Targets: targets{SQL: crashed, File: changed(csv(""), func(t *target) { t.Lookup.File.Complete = false })}, Causes: causes{SQL: "unreadable", File: "partial_export"}},
		{Name: "older than it says", Targets: targets{File: olderThanItSays}, Causes: causes{File: "stale_export"}},
	}
}

// misleadingExports: a file that can be read, and does not say what it seems to.
func misleadingExports() []Trouble {
	return []Trouble{
		{Name: "no column for the key", Targets: targets{File: export(config.CSV, "op_key;receipt\n")}, Causes: causes{File: "malformed"}},
		{Name: "old line ends", Targets: targets{File: export(config.CSV, "op_key\nweekly-41\r"+Key+"\n")}, Causes: causes{File: "malformed"}},
		{Name: "two keys in one", Targets: targets{File: export(config.CSV, "op_key\nweekly-41\u2028"+Key+"\n")}, Causes: causes{File: "malformed"}},
		{Name: "nothing that shows what was exported", Targets: targets{
			File: changed(csv(""), func(t *target) { t.Lookup.File.RowKey = ".reference // .id" }),
		}, Causes: causes{File: "empty_export"}},
		{Name: "the key as a spreadsheet leaves it", Targets: targets{File: csv(line(`"=""`+Key+`"""`, Receipt, Hash))}, Causes: causes{File: "other_key"}},
		{Name: "the key with an invisible sign", Targets: targets{File: csv(line("weekly\u00ad-42", Receipt, Hash))}, Causes: causes{File: "other_key"}},
	}
}

// aboutSomethingElse: an answer, but not to this question.
func aboutSomethingElse() []Trouble {
	other := strings.ToUpper(Key)
	unsorted := `{"op_key":"` + Key + `","outcome":"perhaps"}`
	return []Trouble{
		{Name: "another key", Targets: targets{
			HTTP: overHTTP(answers(200, record(other, `"`+Receipt+`"`, Hash))), Exec: prints(record(other, `"`+Receipt+`"`, Hash)),
			SQL: database(theQuery, row(other, "'"+Receipt+"'", Hash)), File: csv(line(other, Receipt, Hash)),
		}, Causes: causes{HTTP: "other_key", Exec: "other_key", SQL: "other_key", File: "other_key"}},
		{Name: "not found under another key", Targets: targets{
			HTTP: overHTTP(answers(404, `{"op_key":"`+other+`"}`)), Exec: prints(`{"op_key":"` + other + `","outcome":"not_found"}`), File: csv(line(Key+" ", Receipt, Hash)),
		}, Causes: causes{HTTP: "other_key", Exec: "other_key", File: "other_key"}},
		{Name: "no key at all", Targets: targets{HTTP: overHTTP(answers(422, `{"error":"the listed resource cannot be searched"}`)), Exec: prints(`{"outcome":"not_found"}`)},
			Causes: causes{HTTP: "no_key", Exec: "no_key"}},
		{Name: "neither found nor not found", Targets: targets{
			HTTP: overHTTP(answers(409, unsorted)), Exec: prints(unsorted), SQL: mapped(database(theQuery, row(Key, "NULL", Hash)), sent), File: mapped(csv(line(Key, "", Hash)), sent),
		}, Causes: causes{HTTP: "unclassified", Exec: "unclassified", SQL: "unclassified", File: "unclassified"}},
		{Name: "a list for a record", Targets: targets{HTTP: overHTTP(answers(404, "[]")), Exec: prints("[]"), File: jsonl("[]\n")},
			Causes: causes{HTTP: "mapping_error", Exec: "mapping_error", File: "malformed"}},
		{Name: "two records", Want: ledger.LookupAmbiguous, Targets: targets{
			HTTP: mapped(overHTTP(answers(200, `{"items":[1,2]}`)), func(m *config.Mapping) { m.Hits = ".body.items" }),
			Exec: prints(`{"op_key":"` + Key + `","outcome":"ambiguous"}`),
			SQL:  database(theQuery, row(Key, "'r-1'", Hash), row(Key, "'r-2'", Hash)), File: csv(line(Key, "r-1", Hash) + line(Key, "r-2", Hash)),
		}},
	}
}

func sent(m *config.Mapping) { m.Found = `any(.rows[]; .state == "delivered")` }

// unkeepable: found, with something that can't be what it should be.
func unkeepable() []Trouble {
	everywhere := func(name, cause, receipt, hash, sqlReceipt, csvReceipt string) Trouble {
		r := record(Key, receipt, hash)
		return Trouble{Name: name, Targets: targets{
			HTTP: overHTTP(answers(200, r)), Exec: prints(r), SQL: database(theQuery, row(Key, sqlReceipt, hash)), File: csv(line(Key, csvReceipt, hash)),
		}, Causes: causes{HTTP: cause, Exec: cause, SQL: cause, File: cause}}
	}
	wrong := everywhere("a receipt of another kind", "mapping_error", `1.5`, Hash, "1.5", "")
	wrong.Targets[File] = jsonl(record(Key, `["r-1"]`, Hash) + "\n")
	return []Trouble{
		wrong,
		everywhere("a blank receipt", "bad_receipt", `"   "`, Hash, "'   '", "   "),
		everywhere("a receipt with a control character", "bad_receipt", `"r\u001b[31m"`, Hash, "'r' || char(27) || '[31m'", "r\x1b[31m"),
		everywhere("a receipt that reads backwards", "bad_receipt", `"\u202er-1"`, Hash, "char(8238) || 'r-1'", "\u202er-1"),
		everywhere("a receipt without end", "bad_receipt", `"`+strings.Repeat("r", 600)+`"`, Hash, "'"+strings.Repeat("r", 600)+"'", strings.Repeat("r", 600)),
		everywhere("a hash that is none", "bad_hash", `"`+Receipt+`"`, "abc", "'"+Receipt+"'", Receipt),
		{Name: "a secret for a receipt", Targets: targets{
			HTTP: overHTTP(answers(200, record(Key, `"`+secret+`"`, Hash))), Exec: program(`printf '{"op_key":"` + Key + `","outcome":"found","receipt":"%s"}\n' "$TOKEN"`),
			SQL: changed(database(theQuery, row(Key, "'"+secret+"'", Hash)), func(t *target) { t.Lookup.SQL.Secrets = []string{secret} }),
		}, Causes: causes{HTTP: "secret_echoed", Exec: "secret_echoed", SQL: "secret_echoed"}},
	}
}

// contradictory: an answer that denies itself.
func contradictory() []Trouble {
	both := func(m *config.Mapping) { m.NotFound = m.Found }
	found := record(Key, `"`+Receipt+`"`, Hash)
	shows := strings.Replace(found, `"outcome":"found"`, `"outcome":"not_found"`, 1)
	inSQL, inFile := database(theQuery, row(Key, "'"+Receipt+"'", Hash)), csv(line(Key, Receipt, Hash))
	owned := `{"op_key":"` + Key + `","outcome":"not_found","owner":"` + Owner + `"}`
	final := `{"op_key":"` + Key + `","outcome":"not_found","final":true}`
	blind := func(m *config.Mapping) { m.Found, m.NotFound, m.Hits = "false", "true", "0" }
	return []Trouble{
		{Name: "found and not found", Targets: targets{
			HTTP: mapped(overHTTP(answers(200, found)), both), Exec: mapped(prints(found), both), SQL: mapped(inSQL, everything), File: mapped(inFile, everything),
		}, Causes: causes{HTTP: "mapping_conflict", Exec: "mapping_conflict", SQL: "mapping_conflict", File: "mapping_conflict"}},
		{Name: "not found, with its receipt", Targets: targets{
			HTTP: overHTTP(answers(404, shows)), Exec: prints(shows), SQL: mapped(inSQL, blind), File: mapped(inFile, blind),
		}, Causes: causes{HTTP: "mapping_conflict", Exec: "mapping_conflict", SQL: "mapping_conflict", File: "mapping_conflict"}},
		{Name: "not found, with its owner", Targets: targets{
			HTTP: overHTTP(answers(404, owned)), Exec: prints(owned), SQL: mapped(database(theQuery, row(Key, "NULL", "")), blind), File: mapped(csv(line(Key, "", "")), blind),
		}, Causes: causes{HTTP: "mapping_conflict", Exec: "mapping_conflict", SQL: "mapping_conflict", File: "mapping_conflict"}},
		{Name: "not found, and final", Targets: targets{
			HTTP: mapped(overHTTP(answers(404, final)), func(m *config.Mapping) { m.Final = ".body.final" }), Exec: prints(final),
		}, Causes: causes{HTTP: "mapping_conflict", Exec: "mapping_conflict"}},
	}
}

// everything is both, whatever the rows.
func everything(m *config.Mapping) { m.Found, m.NotFound = "true", "true" }

// unbelieved: read without fault, and worth nothing.
func unbelieved() []Trouble {
	return []Trouble{
		{Name: "not found, and the canary neither", Want: ledger.LookupNotFound, Unbelieved: "the canary was not seen", Targets: targets{
			HTTP: withCanary(overHTTP(answers(404, "{}"))), Exec: withCanary(program(`case $question in *'"op_key":"` + Canary + `"'*) exit 1;; esac; printf '%s\n' '` + miss + `'`)),
			SQL: withCanary(database(theQuery)), File: withCanary(csv("")),
		}},
		{Name: "not found, and the canary only after a redirect", Want: ledger.LookupNotFound, Unbelieved: "the canary was seen elsewhere", Targets: targets{
			HTTP: withCanary(byPath(map[string]speaker{
				"/deliveries/" + Canary: answers(302, "{}", "Location: /moved"), "/moved": answers(200, record(Canary, "null", Hash)),
			}, answers(404, miss))),
		}},
		{Name: "an answer whose date can't be read", Want: ledger.LookupNotFound, Unbelieved: "the answer may be older than the question", Targets: targets{
			HTTP: overHTTP(answers(404, miss, "Date: 2020-12-01T05:00:00Z")),
		}},
		{Name: "an old answer served again", Want: ledger.LookupNotFound, Unbelieved: "the answer is older than the question", Targets: targets{
			HTTP: overHTTP(answers(404, miss, "Age: 86400")),
		}},
		{Name: "an export from before the delivery", Want: ledger.LookupNotFound, Unbelieved: "it shows the receiver as it was two days ago", Targets: targets{File: stale}},
	}
}
